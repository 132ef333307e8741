import type { WebhooksTexts } from "../en/webhooks.ts";

export const webhooks: WebhooksTexts = {
  lead:
    "Un webhook le avisa a un programa tuyo lo que pasa aquí, apenas pasa. Cada solicitud lleva una firma.",
  create: "Crear un webhook",
  change: "Cambiar el webhook",
  onlyManagers: "Los propietarios y administradores se encargan de los webhooks.",
  none: "Todavía no hay webhooks",
  noneWhy:
    "Sin un webhook, tu programa tiene que preguntar una y otra vez qué hay de nuevo. Con uno, recibe cada evento cuando ocurre: se gana un negocio, alguien escribe, un mensaje no llega.",
  example: "Cuando se gana un negocio, tu programa recibe una solicitud con este contenido:",
  lastSuccess: "Última entrega",
  never: "nunca",
  waiting: "En espera",
  moreTypes: (count) => `${count} más`,
  nextAt: (when) => `Próximo intento: ${when}`,
  states: {
    on: "Activo",
    catching_up: "Poniéndose al día",
    paused: "En pausa",
    off: "Desactivado",
    failing: "Con fallas",
  },
  meanings: {
    paused:
      "No se entrega nada hasta que alguien active el webhook. Los eventos esperan hasta entonces.",
    catching_up:
      "Había tantos eventos en espera que ahora se entregan desde el registro, en su orden. Después siguen los nuevos.",
    fails: (since) =>
      `El receptor no acepta nada desde el ${since}. Lo intentamos durante tres días. Después el webhook se desactiva.`,
    failing: "El receptor no aceptó nada durante tres días, por eso el webhook se desactivó.",
    gone:
      "El receptor respondió que esta dirección ya no existe (410), por eso el webhook se desactivó.",
    key_ended: "La clave de API que creó este webhook ya no sirve, y el webhook terminó con ella.",
    off: "El webhook está desactivado. No se entrega nada.",
    since: (when) => `Desactivado desde el ${when}.`,
  },

  url: "Dirección",
  types: "Eventos",
  everything: "Todo",
  resources: {
    contact: "Contactos",
    deal: "Negocios",
    conversation: "Conversaciones",
    message: "Mensajes",
    send: "Envíos",
    template: "Plantillas",
    account: "Números de WhatsApp",
    webhook: "Webhooks",
  },
  happenings: {
    "contact.created": "agregado",
    "contact.updated": "cambiado",
    "contact.archived": "archivado",
    "contact.restored": "recuperado del archivo",
    "contact.merged": "unido con otro",
    "contact.erased": "datos personales borrados",
    "contact.deleted": "eliminado",
    "contact.opted_out": "no quiere mensajes o publicidad",
    "contact.opted_in": "acepta mensajes de nuevo",
    "deal.created": "agregado",
    "deal.updated": "cambiado",
    "deal.stage_changed": "movido a otra etapa",
    "deal.won": "ganado",
    "deal.lost": "perdido",
    "deal.reopened": "abierto de nuevo",
    "deal.archived": "archivado",
    "deal.restored": "recuperado del archivo",
    "deal.deleted": "eliminado",
    "conversation.opened": "abierta",
    "conversation.assigned": "asignada a una persona o un equipo",
    "conversation.updated": "cambiada",
    "conversation.closed": "cerrada",
    "conversation.window_closing": "pronto termina la respuesta libre",
    "conversation.deleted": "eliminada",
    "message.received": "recibido de una persona",
    "message.status_changed": "enviado, entregado, leído o fallido",
    "message.updated": "editado, retirado o con una reacción",
    "send.settled": "aceptado por WhatsApp",
    "send.failed": "fallido",
    "template.status_changed": "cambió de estado",
    "account.restricted": "restringido o rechazado por WhatsApp",
    "account.restored": "funciona de nuevo",
    "webhook.test": "evento de prueba",
    "webhook.switched_off": "otro webhook se desactivó",
  },
  payload: "Contenido",
  payloads: { full: "Con el registro", ids: "Solo los ids" },

  conflicts: {
    tooMany: "Una empresa tiene como máximo 10 webhooks. Elimina uno que no necesites.",
    tooManySecrets:
      "Cinco secretos anteriores siguen sirviendo. Espera a que uno termine, o elige “Anularlo ya”, que los anula todos.",
    notDelivering: "El webhook está desactivado o en pausa. Actívalo primero.",
    stillEnding:
      "Esperaban tantos eventos que el webhook aún no puede activarse. Inténtalo en unos minutos.",
    replayRuns:
      "Una repetición anterior de este webhook sigue en curso. Inténtalo en unos minutos.",
    testsWait: "Diez eventos de prueba siguen esperando. Inténtalo cuando se hayan entregado.",
  },
};
