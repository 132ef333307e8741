import type { TemplatesTexts } from "../en/templates.ts";

export const templates: TemplatesTexts = {
  title: "Plantillas",
  lead:
    "Una plantilla es un mensaje que WhatsApp aprobó. Solo con una plantilla un programa puede escribirle primero a una persona.",
  search: "Nombre",
  name: "Plantilla",
  status: "Estado",
  anyStatus: "Cualquiera",
  category: "Categoría",
  quality: "Calidad",
  account: "Número de WhatsApp",
  anyAccount: "Todos los números",
  noAccount: "ningún número conectado",
  toAccounts: "Ir a WhatsApp",
  noneFound: "Ninguna plantilla coincide",
  noneFoundWhy:
    "Ninguna plantilla cumple estos filtros. Una plantilla eliminada solo aparece con el estado Eliminada.",
  none: "Todavía no hay plantillas",
  noneWithoutAccount:
    "Las plantillas pertenecen a un número de WhatsApp, y no hay ninguno conectado. Conecta un número y sus plantillas aparecerán aquí.",
  noneAtWhatsApp:
    "La cuenta comercial no tiene plantillas. Crea una en el Administrador de WhatsApp. Aparecerá aquí cuando WhatsApp la reciba.",
  notRead: "Las plantillas aún no se leyeron",
  notReadWhy: "El número se acaba de conectar. Sus plantillas aparecerán aquí en unos minutos.",
  exampleTitle: "Por ejemplo",
  exampleText: "Hola, Ana: tu pedido 1042 va en camino.",
  statuses: {
    APPROVED: "Aprobada",
    PENDING: "En revisión",
    REJECTED: "Rechazada",
    PAUSED: "Pausada",
    DISABLED: "Desactivada",
    IN_APPEAL: "En apelación",
    LIMIT_EXCEEDED: "Límite alcanzado",
    PENDING_DELETION: "Eliminándose",
    ARCHIVED: "Archivada",
    DELETED: "Eliminada",
  },
  categories: { MARKETING: "Marketing", UTILITY: "Utilidad", AUTHENTICATION: "Autenticación" },
  qualities: { GREEN: "Alta", YELLOW: "Media", RED: "Baja", UNKNOWN: "Sin evaluar aún" },

  meanings: {
    PENDING:
      "WhatsApp está revisando esta plantilla. Suele tardar menos de un día. Hasta entonces no se puede enviar.",
    REJECTED:
      "WhatsApp rechazó esta plantilla. Cámbiala en el Administrador de WhatsApp y envíala a revisión otra vez.",
    PAUSED:
      "WhatsApp pausó esta plantilla porque hubo personas que la bloquearon o la denunciaron. Una pausa termina después de " +
      "3 a 6 horas. Después de varias pausas, WhatsApp desactiva la plantilla.",
    DISABLED: "WhatsApp desactivó esta plantilla por su calidad. Envía otra plantilla.",
    IN_APPEAL: "Alguien apeló el rechazo. WhatsApp está revisando esta plantilla de nuevo.",
    LIMIT_EXCEEDED:
      "La cuenta comercial alcanzó su límite de plantillas. Elimina las plantillas que no usas.",
    PENDING_DELETION: "Esta plantilla se está eliminando. Envía otra plantilla.",
    ARCHIVED:
      "Esta plantilla está archivada en el Administrador de WhatsApp. Recupérala allí para enviarla.",
    DELETED: "WhatsApp ya no muestra esta plantilla. Envía otra plantilla.",
  },
  otherMeaning:
    "WhatsApp no permite enviar esta plantilla ahora. Revísala en el Administrador de WhatsApp.",
  rejectedFor: "El motivo que da WhatsApp:",
  rejections: {
    ABUSIVE_CONTENT:
      "El contenido incumple las reglas de WhatsApp, por ejemplo con amenazas o insultos.",
    INCORRECT_CATEGORY: "El contenido no corresponde a la categoría. Elige la que corresponde.",
    INVALID_FORMAT:
      "El formato es incorrecto. Revisa que las variables estén numeradas sin saltos, que ninguna empiece ni termine el texto y que todas tengan un ejemplo.",
    PROMOTIONAL: "El contenido es marketing, pero la categoría no. Elige la categoría Marketing.",
    SCAM: "WhatsApp cree que el contenido es un fraude. Deja claro quién escribe y por qué.",
    TAG_CONTENT_MISMATCH: "El contenido no corresponde a la categoría o al idioma.",
    NON_TRANSIENT_ERROR: "WhatsApp no dice por qué. Cambia el texto y envíalo a revisión otra vez.",
  },
  unsupported: (parts) => `Este servicio no puede enviar plantillas con ${parts}.`,
  parts: {
    CAROUSEL: "un carrusel",
    LIMITED_TIME_OFFER: "una oferta por tiempo limitado",
    CATALOG: "un botón de catálogo",
    MPM: "una lista de productos",
    SPM: "un producto",
    FLOW: "un flujo",
    ORDER_DETAILS: "los detalles de un pedido",
    LOCATION: "una ubicación en el encabezado",
    TOO_LARGE: "más de 64 KiB de contenido",
  },
  mediaProblem:
    "No se pudo entregar a WhatsApp el archivo del encabezado, así que ahora un envío falla. El servicio lo intenta de nuevo cada cierto tiempo.",
  noSender: "No hay ningún número conectado de su cuenta comercial, así que no se puede enviar.",
  upcoming: (category) => `WhatsApp anunció que pasará esta plantilla a la categoría ${category}.`,

  preview: "Así la ve la persona",
  media: { image: "Imagen", video: "Video", document: "Documento" },
  codeText: (code) => `${code} es tu código de verificación.`,
  needs: "Qué necesita un envío",
  mediumNeeded: {
    image: "El encabezado es la imagen aprobada. La envía el servicio; el programa no indica nada.",
    video: "El encabezado es el video aprobado. Lo envía el servicio; el programa no indica nada.",
    document:
      "El encabezado es el documento aprobado. Lo envía el servicio; el programa no indica nada.",
  },
  noValues: "Nada: esta plantilla no tiene variables.",
  valuesHint:
    "Estos son los ejemplos de la plantilla. Si los cambias, cambian la vista previa, la prueba y la solicitud.",
  headerValue: (name) => `Encabezado, {{${name}}}`,
  bodyValue: (name) => `Texto, {{${name}}}`,
  buttonValue: (text) => `Botón “${text}”`,
  word: "ejemplo",

  test: {
    title: "Enviar una prueba",
    lead:
      "Mira el mensaje en tu propio teléfono. Es un mensaje real: WhatsApp puede cobrarlo, y el teléfono pasa a ser un contacto de tu empresa.",
    phone: "Tu teléfono",
    phoneHint: "Con el código del país. Solo lo recuerda este navegador.",
    phoneFault: "Escribe el teléfono con el signo más y el código del país, como +5511987654321.",
    sender: "Enviar desde",
    button: "Enviar prueba",
    sending: "Enviando…",
    steps: "Qué pasó con la prueba",
    toSend: "La página de este envío",
    onlyManagers: "Los propietarios y administradores pueden enviar una prueba.",
    notNow: "Esta plantilla no se puede enviar ahora. El motivo está al comienzo de esta página.",
    stopped: {
      do_not_contact: "No se envió nada: esta persona no quiere mensajes de tu empresa.",
      marketing_opt_out: "No se envió nada: esta persona no quiere marketing de tu empresa.",
    },
    tooMany:
      "Tu empresa envió 20 pruebas en las últimas 24 horas, y ese es el límite. Inténtalo de nuevo mañana.",
    refused: (words) => `No se envió nada. Revisa los valores. El servicio dice: ${words}`,
    noAccount: "No se envió nada: el número ya no está conectado.",
    accountError: "No se envió nada: WhatsApp rechaza la cuenta. La vista WhatsApp dice por qué.",
    unavailable: "WhatsApp no respondió y no se envió nada. Inténtalo de nuevo en un minuto.",
  },

  request: "La solicitud para un programa",
  requestHint:
    "Pon tu clave, y pon el teléfono en los dos lugares. La API envía un solo mensaje por cada clave de idempotencia, así que cambia esta clave para cada mensaje distinto.",
  copyRequest: "Copiar la solicitud",
  keyPlace: "<tu clave de API>",
  phonePlace: "<teléfono>",
  numberPlace: "<phone_number_id>",
  facts: "Sobre esta plantilla",
  statusSince: "Estado desde",
  readAt: "Última lectura",
  channelId: "Id en WhatsApp",
  toList: "Todas las plantillas",
};
