import type { ActivityTexts } from "../en/activity.ts";

export const activity: ActivityTexts = {
  today: "hoy (UTC)",
  again: "Actualizar",
  readAt: (at) => `Actualizado a las ${at}.`,

  noRequests: "Ninguna solicitud en los últimos 30 días",
  requests: (count, shown) =>
    `${shown} ${count === 1 ? "solicitud" : "solicitudes"} en los últimos 30 días`,
  allSucceeded: (requests) => `${requests}, ninguna rechazada ni fallida`,
  someRefused: (requests, shown) => `${requests}, de ellas ${shown} rechazadas`,
  someFailed: (requests, shown) => `${requests}, de ellas ${shown} fallidas`,
  most: (day, shown) => `El mayor número en un día: ${shown}, el ${day}.`,
  outcomes: { succeeded: "Con éxito", refused: "Rechazadas", failed: "Fallidas" },
  outcomeHints: {
    succeeded: "2xx",
    refused: "4xx: el programa que llama debe cambiar algo",
    failed: "5xx: la plataforma o WhatsApp no pudo hacerlo",
  },
  requestsTable: "Los números: solicitudes por día y por estado",
  day: "Día (UTC)",
  all: "Total",
  countedLate:
    "Los días son días en UTC. Una solicitud aparece hasta un minuto después de su respuesta. Lo que un servidor aún " +
    "no había comunicado al terminar falta.",

  errors: "Últimos errores",
  noErrors: "Ningún error en los últimos 30 días.",
  errorsKept: (zone) =>
    `Se guardan los últimos 50 errores de una clave, durante 30 días como máximo. Las horas están en tu zona horaria (${zone}). ` +
    "Con el id de la solicitud, soporte encuentra la solicitud.",
  earlierErrors: (count) => count === 1 ? "1 error anterior" : `${count} errores anteriores`,
  noOperation: "ruta inexistente",
  requestId: "Id de la solicitud",
  copyRequestId: (id) => `Copiar el id de la solicitud ${id}`,

  noSends: "Ningún envío en los últimos 30 días",
  sent: (count, shown) => `${shown} ${count === 1 ? "envío" : "envíos"} en los últimos 30 días`,
  allTaken: (sends) => `${sends}, todos aceptados por WhatsApp`,
  someSendsFailed: (sends, shown) => `${sends}, de ellos ${shown} fallidos`,
  someSendsReleased: (sends, shown) => `${sends}, de ellos ${shown} no aceptados`,
  someSendsPending: (sends, shown) => `${sends}, de ellos ${shown} en curso`,
  sendStates: {
    sent: "Enviados",
    pending: "En curso",
    released: "No aceptados",
    failed: "Fallidos",
  },
  sendStateHints: {
    sent: "sent: WhatsApp aceptó el mensaje",
    pending: "pending: WhatsApp aún no respondió",
    released: "released: WhatsApp no lo aceptó, y el programa puede intentarlo de nuevo",
    failed: "failed: rechazado, o no se sabe si salió",
  },
  sendsTable: "Los números: envíos por día y por estado",
  sendDays: "Un día es el día en UTC en que comenzó el envío.",
};
