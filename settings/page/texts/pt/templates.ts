import type { TemplatesTexts } from "../en/templates.ts";

export const templates: TemplatesTexts = {
  title: "Modelos",
  lead:
    "Um modelo é uma mensagem que o WhatsApp aprovou. Só com um modelo um programa pode escrever primeiro para uma pessoa.",
  search: "Nome",
  name: "Modelo",
  status: "Status",
  anyStatus: "Qualquer um",
  category: "Categoria",
  quality: "Qualidade",
  account: "Número do WhatsApp",
  anyAccount: "Todos os números",
  noAccount: "nenhum número conectado",
  toAccounts: "Ir para o WhatsApp",
  noneFound: "Nenhum modelo corresponde",
  noneFoundWhy:
    "Nenhum modelo corresponde a esses filtros. Um modelo excluído só aparece com o status Excluído.",
  none: "Ainda não há modelos",
  noneWithoutAccount:
    "Os modelos pertencem a um número do WhatsApp, e nenhum está conectado. Conecte um número e os modelos dele aparecem aqui.",
  noneAtWhatsApp:
    "A conta comercial não tem modelos. Crie um no Gerenciador do WhatsApp. Ele aparece aqui quando o WhatsApp o receber.",
  notRead: "Os modelos ainda não foram lidos",
  notReadWhy: "O número acabou de ser conectado. Os modelos dele aparecem aqui em alguns minutos.",
  exampleTitle: "Por exemplo",
  exampleText: "Olá, Ana! Seu pedido 1042 está a caminho.",
  statuses: {
    APPROVED: "Aprovado",
    PENDING: "Em análise",
    REJECTED: "Rejeitado",
    PAUSED: "Pausado",
    DISABLED: "Desativado",
    IN_APPEAL: "Em recurso",
    LIMIT_EXCEEDED: "Limite atingido",
    PENDING_DELETION: "Em exclusão",
    ARCHIVED: "Arquivado",
    DELETED: "Excluído",
  },
  categories: { MARKETING: "Marketing", UTILITY: "Utilidade", AUTHENTICATION: "Autenticação" },
  qualities: { GREEN: "Alta", YELLOW: "Média", RED: "Baixa", UNKNOWN: "Ainda não avaliada" },

  meanings: {
    PENDING:
      "O WhatsApp está analisando este modelo. Costuma levar menos de um dia. Até lá, ele não pode ser enviado.",
    REJECTED:
      "O WhatsApp rejeitou este modelo. Mude-o no Gerenciador do WhatsApp e envie para análise de novo.",
    PAUSED:
      "O WhatsApp pausou este modelo porque pessoas o bloquearam ou denunciaram. Uma pausa termina depois de 3 a 6 horas. " +
      "Depois de várias pausas, o WhatsApp desativa o modelo.",
    DISABLED: "O WhatsApp desativou este modelo por causa da qualidade. Envie outro modelo.",
    IN_APPEAL: "Alguém recorreu da rejeição. O WhatsApp está analisando este modelo de novo.",
    LIMIT_EXCEEDED:
      "A conta comercial atingiu o limite de modelos. Exclua os modelos que você não usa.",
    PENDING_DELETION: "Este modelo está sendo excluído. Envie outro modelo.",
    ARCHIVED: "Este modelo está arquivado no Gerenciador do WhatsApp. Recupere-o lá para enviar.",
    DELETED: "O WhatsApp não lista mais este modelo. Envie outro modelo.",
  },
  otherMeaning:
    "O WhatsApp não permite enviar este modelo agora. Veja-o no Gerenciador do WhatsApp.",
  rejectedFor: "O motivo que o WhatsApp dá:",
  rejections: {
    ABUSIVE_CONTENT: "O conteúdo viola as regras do WhatsApp, por exemplo com ameaças ou insultos.",
    INCORRECT_CATEGORY: "O conteúdo não combina com a categoria. Escolha a categoria certa.",
    INVALID_FORMAT:
      "O formato está errado. Confira se as variáveis são numeradas sem saltos, se nenhuma começa ou termina o texto e se todas têm um exemplo.",
    PROMOTIONAL: "O conteúdo é de marketing, mas a categoria não. Escolha a categoria Marketing.",
    SCAM: "O WhatsApp considera o conteúdo uma fraude. Deixe claro quem escreve e por quê.",
    TAG_CONTENT_MISMATCH: "O conteúdo não combina com a categoria ou com o idioma.",
    NON_TRANSIENT_ERROR: "O WhatsApp não diz por quê. Mude o texto e envie para análise de novo.",
  },
  unsupported: (parts) => `Este serviço não consegue enviar modelos com ${parts}.`,
  parts: {
    CAROUSEL: "um carrossel",
    LIMITED_TIME_OFFER: "uma oferta por tempo limitado",
    CATALOG: "um botão de catálogo",
    MPM: "uma lista de produtos",
    SPM: "um produto",
    FLOW: "um fluxo",
    ORDER_DETAILS: "os detalhes de um pedido",
    LOCATION: "uma localização no cabeçalho",
    TOO_LARGE: "mais de 64 KiB de conteúdo",
  },
  mediaProblem:
    "Não foi possível entregar a mídia do cabeçalho ao WhatsApp, então um envio falha agora. O serviço tenta de novo de tempos em tempos.",
  noSender: "Nenhum número da conta comercial dele está conectado, então ele não pode ser enviado.",
  upcoming: (category) =>
    `O WhatsApp anunciou que vai mover este modelo para a categoria ${category}.`,

  preview: "Como a pessoa vê",
  media: { image: "Imagem", video: "Vídeo", document: "Documento" },
  codeText: (code) => `${code} é o seu código de verificação.`,
  needs: "O que um envio precisa",
  mediumNeeded: {
    image: "O cabeçalho é a imagem aprovada. O serviço a envia; o programa não informa nada.",
    video: "O cabeçalho é o vídeo aprovado. O serviço o envia; o programa não informa nada.",
    document: "O cabeçalho é o documento aprovado. O serviço o envia; o programa não informa nada.",
  },
  noValues: "Nada: este modelo não tem variáveis.",
  valuesHint:
    "Estes são os exemplos do modelo. Se você mudar, a prévia, o teste e a requisição mudam também.",
  headerValue: (name) => `Cabeçalho, {{${name}}}`,
  bodyValue: (name) => `Texto, {{${name}}}`,
  buttonValue: (text) => `Botão “${text}”`,
  word: "exemplo",

  test: {
    title: "Enviar um teste",
    lead:
      "Veja a mensagem no seu próprio telefone. É uma mensagem real: o WhatsApp pode cobrar por ela, e o telefone passa a ser um contato da sua empresa.",
    phone: "Seu telefone",
    phoneHint: "Com o código do país. Só este navegador se lembra dele.",
    phoneFault: "Digite o telefone com o sinal de mais e o código do país, como +5511987654321.",
    sender: "Enviar de",
    button: "Enviar teste",
    sending: "Enviando…",
    steps: "O que aconteceu com o teste",
    toSend: "A página deste envio",
    onlyManagers: "Proprietários e administradores podem enviar um teste.",
    notNow: "Este modelo não pode ser enviado agora. O motivo está no início desta página.",
    stopped: {
      do_not_contact: "Nada foi enviado: esta pessoa não quer mensagens da sua empresa.",
      marketing_opt_out: "Nada foi enviado: esta pessoa não quer marketing da sua empresa.",
    },
    tooMany:
      "Sua empresa enviou 20 testes nas últimas 24 horas, e esse é o limite. Tente de novo amanhã.",
    refused: (words) => `Nada foi enviado. Confira os valores. O serviço diz: ${words}`,
    noAccount: "Nada foi enviado: o número não está mais conectado.",
    accountError: "Nada foi enviado: o WhatsApp recusa a conta. A tela WhatsApp diz por quê.",
    unavailable: "O WhatsApp não respondeu e nada foi enviado. Tente de novo em um minuto.",
  },

  request: "A requisição para um programa",
  requestHint:
    "Coloque a sua chave, e coloque o telefone nos dois lugares. A API envia uma só mensagem por chave de idempotência, por isso mude essa chave para cada outra mensagem.",
  copyRequest: "Copiar a requisição",
  keyPlace: "<sua chave de API>",
  phonePlace: "<telefone>",
  numberPlace: "<phone_number_id>",
  facts: "Sobre este modelo",
  statusSince: "Status desde",
  readAt: "Última leitura",
  channelId: "Id no WhatsApp",
  toList: "Todos os modelos",
};
