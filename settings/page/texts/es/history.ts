import type { HistoryTexts } from "../en/history.ts";

export const history: HistoryTexts = {
  intro: (zone) =>
    `Lo que se hizo con las claves de tu empresa. Nadie puede cambiar este historial. Las horas están en tu zona horaria (${zone}).`,
  none: "Aún no se ha hecho nada con una clave.",
  older: "Registros anteriores",
  olderShown: (count) => count === 1 ? "1 registro anterior." : `${count} registros anteriores.`,
  onlyManagers: "Los propietarios y administradores ven el historial de las claves.",
  platform: "Quien administra este servicio",
  database: "Alguien con acceso a la base de datos",
  unknownPerson: "Alguien que ya no se conoce",
  from: (address) => `desde ${address}`,
  never: "nunca",
  deeds: {
    created: "Creada",
    renamed: "Renombrada",
    switched_off: "Desactivada",
    switched_on: "Activada",
    rotated: "Reemplazada por una clave nueva",
    expiry_changed: "Caducidad cambiada",
    changed: "Cambiada",
    deleted: "Eliminada",
  },
  createdAsSuccessor: "Creada como sucesora",
  permissions: (scopes) => `Permisos: ${scopes}`,
  expires: (when) => `Caduca: ${when}`,
  ends: (when) => `La clave anterior termina: ${when}`,
  fromTo: (from, to) => `De ${from} a ${to}`,
};
