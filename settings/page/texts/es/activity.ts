import type { ActivityTexts } from "../en/activity.ts";

export const activity: ActivityTexts = {
  today: "hoy",
  again: "Actualizar",
  readAt: (at) => `Última actualización: ${at}`,

  noRequests: "Ninguna solicitud en los últimos 30 días",
  requests: (count, shown) =>
    `${shown} ${count === 1 ? "solicitud" : "solicitudes"} en los últimos 30 días`,
  allSucceeded: (requests) => `${requests}, ninguna con error`,
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
  day: "Día",
  all: "Total",
  countedLate:
    "Los días son los de tu zona horaria. Una solicitud se cuenta hasta un minuto después de su respuesta. Si un servidor se detuvo " +
    "antes de guardar sus cuentas, esas faltan.",
};
