import type { AccountsTexts } from "../en/accounts.ts";

export const accounts: AccountsTexts = {
  none: "Aún no hay ningún número conectado.",
  connected: "Conectado",
  disconnected: "Desconectado",
  disconnectedOn: "Desconectado el",
  connectedSince: "Conectado desde",
  templates: "Catálogo de plantillas",
  templatesRead: "leído",
  templatesNeverRead: "aún no se ha leído",
  approved: (count, shown) =>
    count === 1 ? "1 plantilla aprobada" : `${shown} plantillas aprobadas`,
  readingsFailed: (count) =>
    count === 1 ? "la última lectura falló" : `las últimas ${count} lecturas fallaron`,
  lastEvent: "Último evento de WhatsApp",
  noEvent: "ninguno todavía",
  businessAccount: "Cuenta comercial",
  phoneNumberId: "Id del número",
  unknown: "desconocida",
  notices: "Lo que WhatsApp dice de este número",
  since: (when) => `desde ${when}`,
  noticeUntil: (until) => `hasta ${until}`,
  trouble: (code) => `Problema ${code}`,
  stopsSending: "El envío está detenido o limitado",
  knownNotices: {
    ACCOUNT_RESTRICTION:
      "WhatsApp limita lo que la cuenta comercial puede enviar. Recurre en el Servicio de ayuda de Meta, o espera.",
    ACCOUNT_VIOLATION:
      "La cuenta comercial infringió una regla de WhatsApp. Puede seguir un límite.",
    DISABLED_UPDATE:
      "WhatsApp inhabilita la cuenta comercial, o ya lo hizo. Recurre en el Servicio de ayuda de Meta.",
    ACCOUNT_DELETED: "La cuenta comercial ya no existe. Desconecta el número.",
    PARTNER_REMOVED: "Tu empresa retiró el acceso. Hay que conectar el número de nuevo.",
    ACCOUNT_OFFBOARDED: "Tu empresa retiró el acceso. Hay que conectar el número de nuevo.",
    "130429":
      "Los mensajes se envían más rápido de lo que WhatsApp acepta. Haz que los programas envíen más despacio.",
  },

  disconnect: "Desconectar",
  disconnectNumber: (phone) => `Desconectar ${phone}`,
  disconnectQuestion: (phone) => `¿Desconectar ${phone}?`,
  disconnectMeaning: (phone) =>
    `Ya no se podrá enviar ningún mensaje desde ${phone}, y su token de acceso se borra de inmediato. Sus ` +
    "conversaciones permanecen. Solo quien administra este servicio puede conectar el número de nuevo.",
  isDisconnected: (phone) => `${phone} está desconectado.`,
  onlyManagers: "Los propietarios y administradores pueden desconectar un número.",

  connectHeading: "Conectar un número",
  connectMeaning:
    "Quien administra este servicio conecta un número, porque su token de acceso no debe pasar por esta página. " +
    "Este es el comando, con el id de tu empresa. Pide el token.",
  connectFill: "Los dos valores en mayúsculas son los del número.",
  phoneNumberIdPlace: "ID_DEL_NUMERO",
  phonePlace: "NUMERO",
  copyCommand: "Copiar el comando",
};
