import type { SendTexts } from "../en/send.ts";

export const send: SendTexts = {
  titleOf: (person) => `Mensagem para ${person}`,
  happened: "O que aconteceu",
  refresh: "Atualizar",
  refreshed: "Este é o estado atual.",
  doubleSent:
    "O WhatsApp informou esta mensagem mais de uma vez. A pessoa pode ter recebido duas vezes.",
  noText: "O texto não está mais guardado.",
  notRendered:
    "Este é o texto que o programa deu. O modelo não era conhecido aqui, então a pessoa pode ter visto outras palavras.",
  facts: "Detalhes",
  phone: "Telefone",
  kind: "Modelo",
  from: "Enviado de",
  attempts: "Tentativas",
  link: "Link para a equipe",
  copyLink: "Copiar o link deste envio",
  idempotencyKey: "Chave de idempotência",
  copyIdempotencyKey: "Copiar a chave de idempotência",
  messageId: "Id da mensagem",
  copyMessageId: "Copiar o id da mensagem",
  whatsappId: "Id do WhatsApp",
  copyWhatsappId: "Copiar o id do WhatsApp",
  othersTo: (person) => `Todos os envios para ${person}`,
  back: "Todos os envios",
  toAccounts: "Ver seus números de WhatsApp",
  channelSays: (code) => `Nas palavras do WhatsApp, código ${code}:`,

  steps: {
    requested: "Solicitado",
    again: (attempt) => `Enviado de novo, tentativa ${attempt}`,
    accepted: "Aceito pelo WhatsApp",
    sent: "Enviado ao telefone",
    delivered: "Entregue",
    read: "Lido",
    failed: "Não chegou",
    refused: "Recusado pelo WhatsApp",
    released: "Não aceito pelo WhatsApp",
    expired: "Expirado",
    expiredMore:
      "O WhatsApp parou de tentar. Provavelmente o telefone ficou o tempo todo desligado ou sem internet. Se ainda importa, envie de novo.",
    failedOnce: "Falhou em um aparelho",
    failedOnceMore: "A pessoa tem vários aparelhos. A mensagem chegou a outro.",
    pending: "Aguardando a resposta do WhatsApp",
    pendingMore: (until) => `Se não houver resposta até ${until}, o envio conta como falha.`,
    waiting: "Ainda não entregue",
    waitingMore:
      "O telefone pode estar desligado ou sem internet. O WhatsApp continua tentando, em geral por até 30 dias.",
    notRead: "Ainda não lido",
    notReadMore: "As pessoas podem desativar a confirmação de leitura. Nesse caso, isto não muda.",
  },

  explanations: {
    no_whatsapp: {
      what:
        "O WhatsApp não consegue entregar para este telefone. Em geral, o número não tem WhatsApp. Ou a pessoa não aceitou os termos do WhatsApp ou usa uma versão muito antiga.",
      todo:
        "Confirme o número com a pessoa ou fale com ela por outro meio. Enviar de novo não ajuda.",
    },
    marketing_limit: {
      what:
        "O WhatsApp limita quanto marketing uma pessoa recebe de todas as empresas e reteve esta mensagem.",
      todo:
        "Não envie de novo em seguida. Tente em alguns dias ou quando a pessoa tiver escrito para você.",
    },
    test_recipient: {
      what: "Este é um número de teste, que só alcança os telefones da sua lista.",
      todo: "Adicione o telefone à lista na Meta ou envie de um número real.",
    },
    recipient_unreachable: {
      what: "O WhatsApp não entrega para esta pessoa.",
      todo: "Confirme o número com a pessoa ou fale com ela por outro meio.",
    },
    recipient_opted_out: {
      what: "A pessoa disse ao WhatsApp que não quer marketing da sua empresa.",
      todo: "Respeite. Mensagens sobre pedidos e agendamentos continuam chegando.",
    },
    window_closed: {
      what: "Uma resposta livre só é permitida até 24 horas depois da última mensagem da pessoa.",
      todo:
        "Envie um modelo aprovado. Quando a pessoa responder, você poderá escrever livremente de novo.",
    },
    template_missing: {
      what: "O WhatsApp não tem um modelo aprovado com este nome neste idioma.",
      todo:
        "Compare nome e idioma com a lista dos seus modelos. Um modelo novo precisa ser aprovado antes.",
    },
    template_paused: {
      what: "O WhatsApp pausou ou desativou o modelo, porque pessoas o bloquearam ou denunciaram.",
      todo: "Use outro modelo ou edite este na Meta.",
    },
    template_values: {
      what: "O programa deu valores de menos ou de mais, ou um que o WhatsApp não aceita.",
      todo:
        "Mostre esta página a quem cuida do programa. A mensagem corrigida precisa de uma chave de idempotência nova.",
    },
    media: {
      what: "O WhatsApp não conseguiu usar a imagem, o vídeo ou o documento da mensagem.",
      todo: "Confira se o arquivo existe e se o tipo e o tamanho são permitidos.",
    },
    template_rejected: {
      what: "O WhatsApp recusou o modelo ou o texto.",
      todo: "Corrija. A mensagem corrigida precisa de uma chave de idempotência nova.",
    },
    too_fast: {
      what: "As mensagens foram enviadas mais rápido do que o WhatsApp permite.",
      todo:
        "O programa tenta de novo sozinho, se segue a documentação. Senão, envie de novo mais tarde.",
    },
    channel_unavailable: {
      what: "O WhatsApp não estava disponível. Com certeza ele não tem a mensagem.",
      todo:
        "Envie de novo com a mesma chave de idempotência. A pessoa recebe a mensagem só uma vez.",
    },
    channel_account_error: {
      what:
        "O WhatsApp recusa seu número por causa do token de acesso, das permissões, de uma restrição ou de um pagamento.",
      todo:
        "Arrume o número primeiro: até lá, nada pode ser enviado dele. Depois envie de novo com a mesma chave de idempotência.",
    },
    outcome_unknown: {
      what: "O WhatsApp nunca disse se recebeu a mensagem. A pessoa pode ter recebido.",
      todo:
        "Pergunte à pessoa antes de enviar de novo. Uma mensagem nova precisa de uma chave de idempotência nova.",
    },
    claim_unanswered: {
      what: "O serviço foi interrompido antes de entregar a mensagem ao WhatsApp.",
      todo:
        "Envie de novo com a mesma chave de idempotência. A pessoa recebe a mensagem só uma vez.",
    },
    channel_error: {
      what: "O WhatsApp deu um motivo que esta página não conhece.",
      todo:
        "As palavras do WhatsApp estão abaixo. A lista de códigos de erro da Meta explica o código.",
    },
  },
};
