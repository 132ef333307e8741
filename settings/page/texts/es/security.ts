import type { SecurityTexts } from "../en/security.ts";

export const security: SecurityTexts = {
  lead: (email) => `Así inicias sesión como ${email}.`,
  password: {
    title: "Contraseña",
    text: "Una contraseña nueva cierra todas las demás sesiones.",
  },
  factors: {
    title: "Segundo factor",
    on: "Activo",
    off: "Inactivo",
    textOff:
      "Con un código de una aplicación de tu teléfono, quien descubra tu contraseña no podrá iniciar sesión.",
    textOn:
      "Cada vez que inicias sesión, la página pide el código de una de estas aplicaciones. Configura otra en un segundo dispositivo: si pierdes la única, solo puede ayudarte quien administra este servicio.",
    name: "Nombre de la aplicación o del dispositivo",
    nameHint:
      "Sirve cualquier aplicación de códigos, por ejemplo un gestor de contraseñas. El nombre es solo para ti.",
    usualName: "Teléfono",
    setUp: "Configurar",
    setUpAnother: "Configurar otra aplicación",
    scan: "Escanea esta imagen",
    scanText: "Abre tu aplicación de códigos, agrega una cuenta y apunta la cámara a la imagen.",
    picture: "Código QR para tu aplicación",
    cannotScan: "No puedo escanearla",
    typeSecret: "Escribe esta clave en la aplicación. Es para códigos que cambian con el tiempo:",
    finish: "Terminar",
    added: "Tu segundo factor está activo. Se cerraron todas las demás sesiones.",
    since: "Desde",
    nameless: "Aplicación sin nombre",
    remove: "Quitar",
    removeOf: (name) => `Quitar ${name}`,
    removeTitle: (name) => `¿Quitar ${name}?`,
    removeText: "Los códigos de esta aplicación dejan de valer. Las demás siguen funcionando.",
    removeLastText:
      "Después bastará tu contraseña para iniciar sesión. Una empresa que exige un segundo factor ya no te dejará administrarla.",
    removed: "Se quitó la aplicación.",
  },
  sessions: {
    title: "Dónde tienes la sesión abierta",
    text:
      "Si no reconoces alguna, ciérrala y elige una contraseña nueva. La hora puede tener una hora de retraso.",
    current: "Este navegador",
    lastUsed: "último uso:",
    begun: "desde",
    from: (address) => `desde ${address}`,
    unknown: "Dispositivo desconocido",
    end: "Cerrar",
    endOf: (device) => `Cerrar la sesión de ${device}`,
    ended: "La sesión se cerró.",
    endOthers: "Cerrar todas las demás sesiones",
    othersEnded: "Se cerraron todas las demás sesiones.",
  },
};
