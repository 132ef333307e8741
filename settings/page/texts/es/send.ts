import type { SendTexts } from "../en/send.ts";

export const send: SendTexts = {
  titleOf: (person) => `Mensaje para ${person}`,
  happened: "Qué pasó",
  refresh: "Actualizar",
  refreshed: "Este es el estado actual.",
  doubleSent:
    "WhatsApp informó este mensaje más de una vez. Es posible que la persona lo haya recibido dos veces.",
  noText: "El texto ya no está guardado.",
  notRendered:
    "Este es el texto que dio el programa. Aquí no se conocía la plantilla, así que la persona pudo ver otras palabras.",
  facts: "Detalles",
  phone: "Teléfono",
  kind: "Plantilla",
  from: "Enviado desde",
  attempts: "Intentos",
  link: "Enlace para el equipo",
  copyLink: "Copiar el enlace a este envío",
  idempotencyKey: "Clave de idempotencia",
  copyIdempotencyKey: "Copiar la clave de idempotencia",
  messageId: "Id del mensaje",
  copyMessageId: "Copiar el id del mensaje",
  whatsappId: "Id de WhatsApp",
  copyWhatsappId: "Copiar el id de WhatsApp",
  othersTo: (person) => `Todos los envíos a ${person}`,
  back: "Todos los envíos",
  toAccounts: "Ver tus números de WhatsApp",
  channelSays: (code) => `En palabras de WhatsApp, código ${code}:`,

  steps: {
    requested: "Solicitado",
    again: (attempt) => `Enviado de nuevo, intento ${attempt}`,
    accepted: "Aceptado por WhatsApp",
    sent: "Enviado al teléfono",
    delivered: "Entregado",
    read: "Leído",
    failed: "No llegó",
    refused: "Rechazado por WhatsApp",
    released: "No aceptado por WhatsApp",
    expired: "Vencido",
    expiredMore:
      "WhatsApp dejó de intentarlo. Probablemente el teléfono estuvo todo el tiempo apagado o sin internet. Si aún importa, envíalo de nuevo.",
    failedOnce: "Falló en un dispositivo",
    failedOnceMore: "La persona tiene varios dispositivos. El mensaje llegó a otro.",
    pending: "A la espera de la respuesta de WhatsApp",
    pendingMore: (until) => `Si no hay respuesta hasta el ${until}, el envío cuenta como fallido.`,
    waiting: "Aún no entregado",
    waitingMore:
      "Quizás el teléfono está apagado o sin internet. WhatsApp sigue intentando, por lo general hasta 30 días.",
    notRead: "Aún no leído",
    notReadMore:
      "Las personas pueden desactivar la confirmación de lectura. Entonces esto no cambia.",
  },

  explanations: {
    no_whatsapp: {
      what:
        "WhatsApp no puede entregar a este teléfono. Por lo general, el número no tiene WhatsApp. O la persona no aceptó las condiciones de WhatsApp o usa una versión muy antigua.",
      todo:
        "Confirma el número con la persona o contáctala por otro medio. Enviar de nuevo no ayuda.",
    },
    marketing_limit: {
      what:
        "WhatsApp limita cuánto marketing recibe una persona de todas las empresas, y retuvo este mensaje.",
      todo:
        "No lo envíes de nuevo enseguida. Prueba en unos días o cuando la persona te haya escrito.",
    },
    test_recipient: {
      what: "Este es un número de prueba, que solo llega a los teléfonos de su lista.",
      todo: "Agrega el teléfono a la lista en Meta, o envía desde un número real.",
    },
    recipient_unreachable: {
      what: "WhatsApp no entrega a esta persona.",
      todo: "Confirma el número con la persona o contáctala por otro medio.",
    },
    recipient_opted_out: {
      what: "La persona le dijo a WhatsApp que no quiere marketing de tu empresa.",
      todo: "Respétalo. Los mensajes sobre pedidos y citas sí llegan.",
    },
    window_closed: {
      what:
        "Una respuesta libre solo se permite hasta 24 horas después del último mensaje de la persona.",
      todo:
        "Envía una plantilla aprobada. Cuando la persona responda, podrás escribir libremente otra vez.",
    },
    template_missing: {
      what: "WhatsApp no tiene ninguna plantilla aprobada con este nombre en este idioma.",
      todo:
        "Compara el nombre y el idioma con la lista de tus plantillas. Una nueva debe aprobarse primero.",
    },
    template_paused: {
      what:
        "WhatsApp puso en pausa o desactivó la plantilla porque hubo personas que la bloquearon o denunciaron.",
      todo: "Usa otra plantilla o edita esta en Meta.",
    },
    template_values: {
      what:
        "El programa dio pocos o demasiados valores para la plantilla, o uno que WhatsApp no acepta.",
      todo:
        "Muestra esta página a quien se encarga del programa. El mensaje corregido necesita una clave de idempotencia nueva.",
    },
    media: {
      what: "WhatsApp no pudo usar la imagen, el video o el documento del mensaje.",
      todo: "Comprueba que el archivo exista y que su tipo y tamaño estén permitidos.",
    },
    template_rejected: {
      what: "WhatsApp rechazó la plantilla o el texto.",
      todo: "Corrígelo. El mensaje corregido necesita una clave de idempotencia nueva.",
    },
    too_fast: {
      what: "Los mensajes se enviaron más rápido de lo que WhatsApp permite.",
      todo:
        "El programa lo intenta de nuevo solo si sigue la documentación. Si no, envía de nuevo más tarde.",
    },
    channel_unavailable: {
      what: "WhatsApp no estaba disponible. Es seguro que no tiene el mensaje.",
      todo:
        "Envía de nuevo con la misma clave de idempotencia. La persona recibe el mensaje una sola vez.",
    },
    channel_account_error: {
      what:
        "WhatsApp rechaza tu número por su token de acceso, sus permisos, una restricción o un pago.",
      todo:
        "Primero arregla el número: hasta entonces no puede enviar nada. Después envía de nuevo con la misma clave de idempotencia.",
    },
    outcome_unknown: {
      what:
        "WhatsApp nunca dijo si recibió el mensaje. Es posible que le haya llegado a la persona.",
      todo:
        "Pregunta a la persona antes de enviarlo de nuevo. Un mensaje nuevo necesita una clave de idempotencia nueva.",
    },
    claim_unanswered: {
      what: "El servicio se interrumpió antes de dar el mensaje a WhatsApp.",
      todo:
        "Envía de nuevo con la misma clave de idempotencia. La persona recibe el mensaje una sola vez.",
    },
    channel_error: {
      what: "WhatsApp dio un motivo que esta página no conoce.",
      todo:
        "Abajo están las palabras de WhatsApp. La lista de códigos de error de Meta explica el código.",
    },
  },
};
