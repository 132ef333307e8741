import type { WebhookTexts } from "../en/webhook.ts";

export const webhook: WebhookTexts = {
  back: "Todos os webhooks",
  facts: "Sobre este webhook",
  previousSecret: "Segredo anterior",
  worksUntil: (when) => `também assina até ${when}`,
  belongsTo: "Pertence a",
  company: "À empresa.",
  madeBy: (name) => `Criado por ${name}.`,
  key: "À chave de API",
  endsWithKey: "Termina com essa chave, a não ser que ela seja substituída.",
  createdAt: "Criado em",

  once: {
    title: "O segredo só aparece agora",
    lead:
      "Com ele, seu programa confere se uma requisição vem mesmo de nós. Nós o guardamos cifrado, e ninguém consegue vê-lo de novo.",
    theSecret: "O segredo",
    copy: "Copiar o segredo",
    store: "Copie-o e guarde-o onde seu programa o lê.",
    verify: "Faça seu programa conferir a assinatura de cada requisição antes de usar o conteúdo.",
    guide: "Como conferir",
    test: "Depois, clique em “Enviar um evento de teste” mais abaixo.",
    stored: "Já guardei",
    leaveTitle: "Você guardou o segredo?",
    leaveText:
      "Ele não aparece de novo. Sem ele, seu programa não consegue conferir as requisições, e você terá que gerar um novo segredo.",
    stay: "Voltar ao segredo",
    leave: "Já guardei, sair",
  },
  maybeRotated:
    "Não veio resposta, então o webhook talvez já tenha um novo segredo que você não viu. Gere outro.",

  todo: {
    trying:
      "Conserte o destino. O que está na fila é entregue assim que ele voltar a aceitar requisições.",
    failing:
      "Conserte o destino e ative o webhook. Podemos entregar o que ele não recebeu, se você quiser.",
    gone: "Informe o novo endereço e ative o webhook. Ou exclua-o.",
    key_ended:
      "Confirme se o webhook ainda é necessário e se o endereço é seu. Se você o ativar, ele pertence à empresa e não mais a uma chave.",
    off: "Ative-o quando o destino estiver pronto.",
  },
  switchOn: "Ativar",
  pause: "Pausar",
  rotate: "Novo segredo",
  replay: "Entregar de novo…",
  delete: "Excluir",
  changesTitle: "Alterações",
  changes: {
    rotate: {
      title: "Gerar um novo segredo",
      text:
        "Durante a troca, as requisições levam duas assinaturas: uma com o segredo anterior e outra com o novo. Assim, seu programa pode trocar sem interrupção.",
      submit: "Gerar um novo segredo",
    },
    pause: {
      title: "Pausar este webhook?",
      text:
        "Nada é entregue até você ativá-lo de novo. Até lá, os eventos esperam. Se forem muitos, são entregues a partir do registro, que guarda 30 dias.",
      submit: "Pausar",
      done: "O webhook está pausado.",
    },
    switchOn: {
      title: "Ativar o webhook",
      text: "A partir de agora, os eventos são entregues de novo.",
      submit: "Ativar",
      done: "O webhook está ativo.",
    },
    replay: {
      title: "Entregar eventos de novo",
      text:
        "Todos os eventos do período são entregues mais uma vez, também os que o destino já tem. Eles levam os mesmos ids, então um programa pode pular o que conhece.",
      submit: "Entregar de novo",
      done: "Os eventos serão entregues de novo nos próximos minutos.",
    },
    delete: {
      title: "Excluir este webhook?",
      text:
        "Nada mais é entregue a este endereço, e o registro dele desaparece. O que está na fila se perde para este destino. Se não tiver certeza, pause-o.",
      submit: "Excluir",
      done: "O webhook foi excluído.",
    },
  },
  overlap: "Por quanto tempo o segredo anterior ainda vale?",
  overlaps: {
    0: "Encerrar já, porque outra pessoa pode conhecê-lo",
    24: "24 horas",
    168: "7 dias",
  },
  alsoMissed: (when) => `Entregar também o que ele não recebeu; foi desativado em ${when}`,
  since: "Desde quando?",
  periods: {
    1: "A última hora",
    24: "As últimas 24 horas",
    168: "Os últimos 7 dias",
    719: "Todos os 30 dias",
  },
  replayTypes: "Quais eventos",
  allItsTypes: "Todos os que este webhook recebe",
};
