import type { AccountsTexts } from "../en/accounts.ts";

export const accounts: AccountsTexts = {
  none: "Aún no hay ningún número conectado",
  noneMeaning:
    "Los programas envían mensajes de WhatsApp desde un número de tu empresa. Conecta un número que " +
    "esté en tu cuenta de WhatsApp Business en Meta.",
  noneForAgents: "Una persona propietaria o administradora de tu empresa conecta los números.",
  disconnected: "Desconectado",
  disconnectedMeaning:
    "No se puede enviar nada desde este número. Sus conversaciones se conservan. Para usarlo de nuevo, conéctalo con un token de acceso.",
  disconnectedOn: "Desconectado el",
  connectedSince: "Conectado desde",
  states: { works: "Funciona", attention: "Requiere atención", stopped: "Envíos detenidos" },
  templates: "Plantillas",
  templatesRead: "lista actualizada",
  templatesNeverRead: "primera lectura en curso; tarda unos minutos",
  approved: (count, shown) => count === 1 ? "1 aprobada" : `${shown} aprobadas`,
  readingsFailed: (count) =>
    count === 1 ? "la última actualización falló" : `las últimas ${count} actualizaciones fallaron`,
  businessAccount: "Id de la cuenta comercial",
  phoneNumberId: "Id del número",
  unknown: "desconocido",
  asked: (ago) => `consultado ${ago}`,
  since: (when) => `desde ${when}`,
  noticeUntil: (until) => `hasta ${until}`,

  token: {
    name: "Token de acceso",
    works: "Funciona",
    refused: "WhatsApp lo rechaza",
    expired: "Venció",
    expires: "Vence pronto",
    neverEnds: "sin vencimiento conocido",
    ends: (when) => `hasta ${when}`,
    renew: "Crea un token nuevo en la configuración del negocio de Meta e ingrésalo aquí.",
  },
  restriction: {
    name: "Restricciones",
    none: "Ninguna informada",
    limited: "WhatsApp limita esta cuenta",
  },
  quality: {
    name: "Calidad",
    high: "Alta",
    medium: "Media",
    low: "Baja",
    unknown: "Aún no se conoce",
    whatToDo:
      "Hay personas que bloquean o reportan los mensajes de este número. Envía menos marketing, y solo a quienes lo pidieron.",
  },
  limit: {
    name: "Límite de mensajes",
    people: (count) => `${count} personas en 24 horas`,
    unlimited: "Sin límite",
    unknown: "Aún no se conoce",
  },
  events: {
    name: "Respuestas e informes",
    arrive: "Llegan",
    last: (ago) => `el último ${ago}`,
    none: "Ninguno todavía",
    noApp: "No llegan",
    whatToDoNone:
      "Escribe un mensaje a este número. Si no llega nada en un minuto, la app de Meta no está suscrita a la cuenta comercial.",
    whatToDoApp:
      "Ninguna app los entrega. Agrega abajo la app de tu empresa, o pide ayuda a quien administra este servicio.",
  },
  jobs: {
    name: "Tareas en segundo plano",
    run: "Funcionan",
    late: "Detenidas",
    never: "Aún no se ejecutaron",
    soon: "Se ejecutarán en unos minutos",
    whatToDo:
      "Avisa a quien administra este servicio. Hasta entonces, las plantillas y los informes no se actualizan.",
  },

  notices: "Lo que WhatsApp informa sobre este número",
  trouble: (code) => `Problema ${code}`,
  code: (code) => `Código de WhatsApp: ${code}.`,
  stopsSending: "Los envíos están detenidos o limitados",
  stoppedSends: (count, shown) =>
    count === 1 ? "Se detuvo 1 envío." : `Se detuvieron ${shown} envíos.`,
  readingRefused: "WhatsApp no permite leer las plantillas",
  causes: {
    token: {
      title: "WhatsApp rechaza el token de acceso",
      whatToDo:
        "El token venció o fue retirado. Crea uno nuevo en la configuración del negocio de Meta, en Usuarios del sistema, e ingrésalo aquí.",
    },
    permission: {
      title: "Al token de acceso le falta un permiso",
      whatToDo:
        "Crea un token con whatsapp_business_messaging y whatsapp_business_management para esta cuenta comercial, e ingrésalo aquí.",
    },
    payment: {
      title: "Falló el pago en Meta",
      whatToDo:
        "Agrega un método de pago válido en el centro de facturación de Meta. Después los envíos funcionan sin cambiar nada aquí.",
    },
    policy: {
      title: "WhatsApp bloqueó o limitó la cuenta",
      whatToDo: "El motivo está en el servicio de ayuda para empresas de Meta. Allí puedes apelar.",
    },
    number: {
      title: "WhatsApp no acepta el número",
      whatToDo:
        "Revisa en el Administrador de WhatsApp que el número esté registrado y que su nombre esté aprobado.",
    },
    unusable: {
      title: "No se puede leer el token guardado",
      whatToDo: "Ingresa el token otra vez. Si no ayuda, avisa a quien administra este servicio.",
    },
    other: {
      title: "WhatsApp rechaza la cuenta",
      whatToDo: "Revisa la cuenta en el servicio de ayuda para empresas de Meta.",
    },
  },
  noticeTitles: {
    ACCOUNT_RESTRICTION: "WhatsApp limita la cuenta",
    ACCOUNT_VIOLATION: "La cuenta incumplió una regla de WhatsApp",
    DISABLED_UPDATE: "WhatsApp inhabilita la cuenta",
    ACCOUNT_DELETED: "Se eliminó la cuenta comercial",
    PARTNER_REMOVED: "Se retiró el acceso",
    ACCOUNT_OFFBOARDED: "Se retiró el acceso",
    "130429": "Los mensajes se envían demasiado rápido",
  },
  knownNotices: {
    ACCOUNT_RESTRICTION:
      "WhatsApp limita lo que la cuenta puede enviar. Apela en el servicio de ayuda para empresas de Meta, o espera.",
    ACCOUNT_VIOLATION:
      "WhatsApp podría limitar la cuenta. La regla está en el servicio de ayuda para empresas de Meta.",
    DISABLED_UPDATE: "Apela en el servicio de ayuda para empresas de Meta.",
    ACCOUNT_DELETED: "Desconecta el número. Puedes conectarlo con su nueva cuenta comercial.",
    PARTNER_REMOVED:
      "Tu empresa retiró el acceso en Meta. Ingresa un token nuevo para conectar otra vez.",
    ACCOUNT_OFFBOARDED:
      "Tu empresa retiró el acceso en Meta. Ingresa un token nuevo para conectar otra vez.",
    "130429": "Haz que los programas envíen más despacio.",
  },

  newToken: "Ingresar un token nuevo",
  newTokenFor: (phone) => `Ingresar un token nuevo para ${phone}`,
  connectAgain: "Conectar otra vez",
  connectAgainNumber: (phone) => `Conectar otra vez: ${phone}`,
  disconnect: "Desconectar",
  disconnectNumber: (phone) => `Desconectar ${phone}`,
  disconnectQuestion: (phone) => `¿Desconectar ${phone}?`,
  disconnectMeaning: (phone) =>
    `No se podrá enviar nada desde ${phone} hasta que alguien lo conecte otra vez con un token de acceso.`,
  disconnectStops: [
    "Los programas que envían desde este número reciben un error.",
    "El token de acceso se borra ahora.",
    "Los mensajes que escriben las personas esperan 30 días y después se pierden.",
    "Las conversaciones, las plantillas y el historial se conservan.",
  ],
  typeNumber: (phone) => `Para confirmar, escribe el número: ${phone}`,
  otherNumber: (phone) => `Ese no es el número. Escribe ${phone}.`,
  isDisconnected: (phone) => `${phone} está desconectado.`,
  onlyManagers: "Los propietarios y administradores conectan y desconectan números.",

  connect: "Conectar un número",
  connectIntro:
    "Necesitas el id del número y un token de acceso de Meta. Le preguntamos a WhatsApp si corresponden.",
  where: "¿Dónde los encuentro?",
  whereSteps: [
    "Abre el Administrador de WhatsApp en business.facebook.com y elige Configuración de la API. Allí está el id del número.",
    "Abre la configuración del negocio y luego Usuarios del sistema. Elige un usuario con acceso total a la cuenta de WhatsApp.",
    "Elige Generar token, tu app y los permisos whatsapp_business_messaging y whatsapp_business_management. En vencimiento, elige Nunca.",
    "Copia el token. Meta lo muestra una sola vez.",
  ],
  numberId: "Id del número",
  numberIdHint: "Solo dígitos, por ejemplo 106540352242922. No es el número de teléfono.",
  accessToken: "Token de acceso",
  accessTokenHint: "Se guarda cifrado y no se vuelve a mostrar.",
  businessId: "Id de la cuenta comercial",
  optional: "opcional",
  businessIdHint:
    "Solo si WhatsApp no lo indica. En el Administrador de WhatsApp se llama identificador de la cuenta de WhatsApp Business.",
  app: "App que entrega las respuestas",
  usualApp: "La misma que hasta ahora",
  submit: "Comprobar y conectar",
  checking: "Consultando a WhatsApp…",
  idMissing: "Ingresa el id: solo dígitos.",
  tokenMissing: "Pega el token, sin espacios ni saltos de línea.",
  isConnected: (phone) => `${phone} está conectado.`,
  hasNewToken: (phone) => `${phone} tiene el token nuevo.`,
  reasons: {
    token_invalid:
      "WhatsApp no acepta este token. Cópialo otra vez de Meta, completo y sin espacios.",
    token_expired: "Este token venció. Crea uno nuevo en la configuración del negocio de Meta.",
    permission_missing:
      "A este token le falta un permiso. Crea uno con whatsapp_business_messaging y whatsapp_business_management.",
    number_unknown:
      "WhatsApp no tiene un número con este id que el token pueda usar. El id no es el número de teléfono ni el id de la cuenta comercial.",
    number_of_another_account: "El número no está en esta cuenta comercial. Revisa los dos ids.",
    business_account_unknown:
      "WhatsApp no indica la cuenta comercial del número. Ingresa su id abajo.",
    refused_otherwise:
      "WhatsApp rechaza esta cuenta. Revísala en el servicio de ayuda para empresas de Meta.",
  },
  channelDown: "WhatsApp no responde ahora. No se guardó nada. Intenta de nuevo en unos minutos.",
  numberTaken: "Este número está conectado a otra empresa. Primero hay que desconectarlo allí.",

  apps: "Apps de tu empresa",
  appsMeaning:
    "Una app de Meta entrega las respuestas y los informes. Si tu empresa tiene su propia app, agrégala aquí. Si no, se usa la de quien administra este servicio.",
  addApp: "Agregar una app",
  appName: "Nombre",
  appNameHint: "Como tú la llamas, por ejemplo “Nuestra app”.",
  appSecret: "Clave secreta de la app",
  appSecretHint:
    "En el panel de apps de Meta, en Configuración de la app, Básica. Se guarda cifrada y no se vuelve a mostrar.",
  verifyToken: "Token de verificación",
  verifyTokenHint: "Inventa un texto de al menos 8 caracteres. En Meta ingresas el mismo texto.",
  secretMissing: "Ingresa de 8 a 255 caracteres sin espacios.",
  nameMissing: "Ingresa un nombre.",
  nameWrong: "El nombre es muy largo o tiene caracteres invisibles. Escríbelo de nuevo.",
  appAdded: (name) =>
    `${name} está agregada. Ingresa en Meta la URL de devolución de llamada y el token de verificación.`,
  callback: "URL de devolución de llamada",
  callbackHint: "Ingrésala en Meta, en WhatsApp, Configuración, con el token de verificación.",
  copyCallback: "Copiar la URL",
  newSecret: "Clave nueva",
  newSecretFor: (name) => `Clave nueva para ${name}`,
  newSecretMeaning:
    "Desde ahora se aceptan las dos claves. Cuando Meta use la nueva, deja de aceptar la anterior aquí.",
  saveSecret: "Guardar la clave",
  secretSaved: "Ahora se aceptan las dos claves.",
  rotatingSince: (when) => `Se aceptan dos claves desde: ${when}`,
  endOldSecret: "Dejar de aceptar la clave anterior",
  oldSecretEnded: "Ahora solo se acepta la clave nueva.",
  tooManyApps:
    "Una empresa tiene 10 apps como máximo. Pide a quien administra este servicio que borre una.",
};
