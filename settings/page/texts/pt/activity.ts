import type { ActivityTexts } from "../en/activity.ts";

export const activity: ActivityTexts = {
  today: "hoje (UTC)",
  again: "Atualizar",
  readAt: (at) => `Atualizado às ${at}.`,

  noRequests: "Nenhuma requisição nos últimos 30 dias",
  requests: (count, shown) =>
    `${shown} ${count === 1 ? "requisição" : "requisições"} nos últimos 30 dias`,
  allSucceeded: (requests) => `${requests}, nenhuma recusada nem com falha`,
  someRefused: (requests, shown) => `${requests}, das quais ${shown} recusadas`,
  someFailed: (requests, shown) => `${requests}, das quais ${shown} com falha`,
  most: (day, shown) => `O maior número em um dia: ${shown}, em ${day}.`,
  outcomes: { succeeded: "Com êxito", refused: "Recusadas", failed: "Com falha" },
  outcomeHints: {
    succeeded: "2xx",
    refused: "4xx: o programa que chama precisa mudar algo",
    failed: "5xx: a plataforma ou o WhatsApp não conseguiu",
  },
  requestsTable: "Os números: requisições por dia e por status",
  day: "Dia (UTC)",
  all: "Total",
  countedLate:
    "Os dias são dias em UTC. Uma requisição aparece até um minuto depois da resposta. O que um servidor não " +
    "informou antes de ser encerrado fica de fora.",

  errors: "Últimos erros",
  noErrors: "Nenhum erro nos últimos 30 dias.",
  errorsKept: (zone) =>
    `Os últimos 50 erros de uma chave são guardados, por no máximo 30 dias. Os horários estão no seu fuso horário (${zone}). ` +
    "Com o id da requisição, o suporte encontra a requisição.",
  earlierErrors: (count) => count === 1 ? "1 erro anterior" : `${count} erros anteriores`,
  noOperation: "caminho inexistente",
  requestId: "Id da requisição",
  copyRequestId: (id) => `Copiar o id da requisição ${id}`,

  noSends: "Nenhum envio nos últimos 30 dias",
  sent: (count, shown) => `${shown} ${count === 1 ? "envio" : "envios"} nos últimos 30 dias`,
  allTaken: (sends) => `${sends}, todos aceitos pelo WhatsApp`,
  someSendsFailed: (sends, shown) => `${sends}, dos quais ${shown} com falha`,
  someSendsReleased: (sends, shown) => `${sends}, dos quais ${shown} não aceitos`,
  someSendsPending: (sends, shown) => `${sends}, dos quais ${shown} em andamento`,
  sendStates: {
    sent: "Enviados",
    pending: "Em andamento",
    released: "Não aceitos",
    failed: "Com falha",
  },
  sendStateHints: {
    sent: "sent: o WhatsApp aceitou a mensagem",
    pending: "pending: o WhatsApp ainda não respondeu",
    released: "released: o WhatsApp não aceitou, e o programa pode tentar de novo",
    failed: "failed: recusado, ou não se sabe se foi enviado",
  },
  sendsTable: "Os números: envios por dia e por estado",
  sendDays: "Um dia é o dia em UTC em que o envio começou.",
};
