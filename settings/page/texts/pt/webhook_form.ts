import type { WebhookFormTexts } from "../en/webhook_form.ts";

export const webhookForm: WebhookFormTexts = {
  newLead:
    "A partir da criação, seu programa recebe cada evento que você escolher aqui. Antes, verificamos o endereço.",
  save: "Salvar",
  saved: "Salvo.",
  checking: "Verificando o endereço…",
  urlHint: "Um endereço do seu programa que começa com https://.",
  urlMissing: "Informe um endereço completo, como https://loja.example.com/webhooks.",
  typesHint: "Escolha grupos inteiros, ou abra um grupo para escolher eventos avulsos.",
  typesMissing: "Escolha pelo menos um evento.",
  everythingHint: "Todos os eventos, também os tipos que surgirem depois.",
  onlySome: "Só alguns",
  someChosen: (count) => count === 1 ? "1 evento" : `${count} eventos`,
  resourceHints: {
    contact: "Pessoas são adicionadas, alteradas ou unidas, ou não querem mensagens.",
    deal: "Negócios são abertos, movidos, ganhos ou perdidos.",
    conversation: "Conversas começam, passam a um colega e terminam.",
    message: "As pessoas escrevem, e as mensagens são entregues e lidas.",
    send: "O WhatsApp aceitou uma mensagem sua, ou ela falhou.",
    template: "O WhatsApp aprovou, recusou ou pausou um modelo.",
    account: "O WhatsApp restringe um número, ou retira a restrição.",
    webhook: "Outro webhook foi desativado, ou este é testado.",
  },
  descriptionHint: "Para os colegas saberem qual programa é, por exemplo “Loja virtual”.",
  description: "Descrição (opcional)",
  maybeMade:
    "Não veio resposta, então o webhook pode existir embora você não tenha visto o segredo. Veja a lista: exclua-o lá, ou gere um novo segredo.",
  addressFault: (words) => `O serviço não aceita este endereço (em inglês): it ${words}.`,
  addressFaults: {
    notHttps: "O endereço precisa começar com https://, para ninguém ler o que é enviado.",
    port: "Só as portas 443 e 8443 são aceitas. Deixe a porta de fora.",
    user: "O endereço não pode ter usuário nem senha. Ponha um segredo no caminho.",
    fragment: "Deixe de fora a parte depois de #, que nenhuma requisição leva.",
    numeric: "Use um nome de domínio no lugar do número.",
    hostName: "Use um nome de domínio completo, como hooks.example.com.",
    noDns: "Este domínio não tem endereço. Confira a grafia e os registros DNS.",
    nameServer:
      "O servidor de nomes deste domínio não respondeu. Tente de novo, ou confira o domínio.",
    notPublic: "Este endereço não está na internet pública, por isso não conseguimos alcançá-lo.",
    ownHost: "É um endereço deste serviço. Use um endereço do seu próprio programa.",
  },
  payloadHints: {
    full:
      "A requisição traz o contato, o negócio ou a mensagem como está naquele momento. Seu programa não precisa perguntar.",
    ids: "Nenhum dado pessoal sai. Seu programa pede à API o que precisa.",
  },
};
