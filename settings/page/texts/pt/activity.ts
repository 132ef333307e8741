import type { ActivityTexts } from "../en/activity.ts";

export const activity: ActivityTexts = {
  today: "hoje",
  again: "Atualizar",
  readAt: (at) => `Última atualização: ${at}`,

  noRequests: "Nenhuma requisição nos últimos 30 dias",
  requests: (count, shown) =>
    `${shown} ${count === 1 ? "requisição" : "requisições"} nos últimos 30 dias`,
  allSucceeded: (requests) => `${requests}, nenhuma com erro`,
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
  day: "Dia",
  all: "Total",
  countedLate:
    "Os dias são os do seu fuso horário. Uma requisição é contada até um minuto depois da resposta. Se um servidor parou antes de " +
    "gravar a contagem, ela fica de fora.",
};
