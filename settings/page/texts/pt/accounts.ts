import type { AccountsTexts } from "../en/accounts.ts";

export const accounts: AccountsTexts = {
  none: "Nenhum número está conectado ainda.",
  connected: "Conectado",
  disconnected: "Desconectado",
  disconnectedOn: "Desconectado em",
  connectedSince: "Conectado desde",
  templates: "Catálogo de modelos",
  templatesRead: "lido",
  templatesNeverRead: "ainda não foi lido",
  approved: (count, shown) => count === 1 ? "1 modelo aprovado" : `${shown} modelos aprovados`,
  readingsFailed: (count) =>
    count === 1 ? "a última leitura falhou" : `as últimas ${count} leituras falharam`,
  lastEvent: "Último evento do WhatsApp",
  noEvent: "nenhum ainda",
  businessAccount: "Conta comercial",
  phoneNumberId: "Id do número",
  unknown: "desconhecida",
  notices: "O que o WhatsApp diz deste número",
  since: (when) => `desde ${when}`,
  noticeUntil: (until) => `até ${until}`,
  trouble: (code) => `Problema ${code}`,
  stopsSending: "O envio está parado ou limitado",
  knownNotices: {
    ACCOUNT_RESTRICTION:
      "O WhatsApp limita o que a conta comercial pode enviar. Recorra na Central de Suporte da Meta, ou espere.",
    ACCOUNT_VIOLATION: "A conta comercial violou uma regra do WhatsApp. Pode vir um limite.",
    DISABLED_UPDATE:
      "O WhatsApp desativa a conta comercial, ou já a desativou. Recorra na Central de Suporte da Meta.",
    ACCOUNT_DELETED: "A conta comercial não existe mais. Desconecte o número.",
    PARTNER_REMOVED: "Sua empresa retirou o acesso. O número precisa ser conectado de novo.",
    ACCOUNT_OFFBOARDED: "Sua empresa retirou o acesso. O número precisa ser conectado de novo.",
    "130429":
      "As mensagens são enviadas mais rápido do que o WhatsApp aceita. Faça os programas enviarem mais devagar.",
  },

  disconnect: "Desconectar",
  disconnectNumber: (phone) => `Desconectar ${phone}`,
  disconnectQuestion: (phone) => `Desconectar ${phone}?`,
  disconnectMeaning: (phone) =>
    `Nenhuma mensagem poderá mais ser enviada de ${phone}, e o token de acesso é apagado na hora. As conversas ` +
    "permanecem. Só quem administra este serviço pode conectar o número de novo.",
  isDisconnected: (phone) => `${phone} está desconectado.`,
  onlyManagers: "Proprietários e administradores podem desconectar um número.",

  connectHeading: "Conectar um número",
  connectMeaning:
    "Quem administra este serviço conecta um número, porque o token de acesso não deve passar por esta página. " +
    "Este é o comando, com o id da sua empresa. Ele pede o token.",
  connectFill: "Os dois valores em maiúsculas são os do número.",
  phoneNumberIdPlace: "ID_DO_NUMERO",
  phonePlace: "NUMERO",
  copyCommand: "Copiar o comando",
};
