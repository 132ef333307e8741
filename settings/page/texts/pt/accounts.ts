import type { AccountsTexts } from "../en/accounts.ts";

export const accounts: AccountsTexts = {
  none: "Nenhum número conectado ainda",
  noneMeaning:
    "Os programas enviam mensagens do WhatsApp por um número da sua empresa. Conecte um número que " +
    "esteja na sua conta do WhatsApp Business na Meta.",
  noneForAgents: "Um proprietário ou administrador da sua empresa conecta os números.",
  disconnected: "Desconectado",
  disconnectedMeaning:
    "Nada pode ser enviado deste número. As conversas dele continuam. Para usá-lo de novo, conecte-o com um token de acesso.",
  disconnectedOn: "Desconectado em",
  connectedSince: "Conectado desde",
  states: { works: "Funciona", attention: "Precisa de atenção", stopped: "Envios parados" },
  templates: "Modelos",
  templatesRead: "lista atualizada",
  templatesNeverRead: "primeira leitura em andamento; leva alguns minutos",
  approved: (count, shown) => count === 1 ? "1 aprovado" : `${shown} aprovados`,
  readingsFailed: (count) =>
    count === 1 ? "a última atualização falhou" : `as últimas ${count} atualizações falharam`,
  businessAccount: "Id da conta comercial",
  phoneNumberId: "Id do número",
  unknown: "desconhecido",
  asked: (ago) => `consultado ${ago}`,
  since: (when) => `desde ${when}`,
  noticeUntil: (until) => `até ${until}`,

  token: {
    name: "Token de acesso",
    works: "Funciona",
    refused: "O WhatsApp recusa",
    expired: "Expirou",
    expires: "Expira em breve",
    neverEnds: "sem validade conhecida",
    ends: (when) => `até ${when}`,
    renew: "Gere um novo token nas configurações do negócio da Meta e informe aqui.",
  },
  restriction: {
    name: "Restrições",
    none: "Nenhuma informada",
    limited: "O WhatsApp limita esta conta",
  },
  quality: {
    name: "Qualidade",
    high: "Alta",
    medium: "Média",
    low: "Baixa",
    unknown: "Ainda não se sabe",
    whatToDo:
      "Pessoas bloqueiam ou denunciam as mensagens deste número. Envie menos marketing, e só para quem pediu.",
  },
  limit: {
    name: "Limite de mensagens",
    people: (count) => `${count} pessoas em 24 horas`,
    unlimited: "Sem limite",
    unknown: "Ainda não se sabe",
  },
  events: {
    name: "Respostas e relatórios",
    arrive: "Chegam",
    last: (ago) => `o último ${ago}`,
    none: "Nenhum ainda",
    noApp: "Não chegam",
    whatToDoNone:
      "Escreva uma mensagem para este número. Se nada chegar em um minuto, o app da Meta não está inscrito na conta comercial.",
    whatToDoApp:
      "Nenhum app os entrega. Adicione abaixo o app da sua empresa, ou fale com quem administra este serviço.",
  },
  jobs: {
    name: "Tarefas em segundo plano",
    run: "Funcionam",
    late: "Paradas",
    never: "Ainda não rodaram",
    soon: "Vão rodar em alguns minutos",
    whatToDo:
      "Avise quem administra este serviço. Até lá, os modelos e os relatórios ficam desatualizados.",
  },

  notices: "O que o WhatsApp informa sobre este número",
  trouble: (code) => `Problema ${code}`,
  code: (code) => `Código do WhatsApp: ${code}.`,
  stopsSending: "Os envios estão parados ou limitados",
  stoppedSends: (count, shown) =>
    count === 1 ? "1 envio foi impedido." : `${shown} envios foram impedidos.`,
  readingRefused: "O WhatsApp não deixa ler os modelos",
  causes: {
    token: {
      title: "O WhatsApp recusa o token de acesso",
      whatToDo:
        "O token expirou ou foi retirado. Gere um novo nas configurações do negócio da Meta, em Usuários do sistema, e informe aqui.",
    },
    permission: {
      title: "Falta uma permissão ao token de acesso",
      whatToDo:
        "Gere um token com whatsapp_business_messaging e whatsapp_business_management para esta conta comercial, e informe aqui.",
    },
    payment: {
      title: "O pagamento na Meta falhou",
      whatToDo:
        "Adicione uma forma de pagamento válida na central de cobrança da Meta. Depois os envios funcionam sem mudar nada aqui.",
    },
    policy: {
      title: "O WhatsApp bloqueou ou limitou a conta",
      whatToDo: "O motivo está na Central de Suporte para Empresas da Meta. Lá você pode recorrer.",
    },
    number: {
      title: "O WhatsApp não aceita o número",
      whatToDo:
        "Confira no Gerenciador do WhatsApp se o número está registrado e se o nome está aprovado.",
    },
    unusable: {
      title: "O token guardado não pode ser lido",
      whatToDo: "Informe o token de novo. Se não resolver, avise quem administra este serviço.",
    },
    other: {
      title: "O WhatsApp recusa a conta",
      whatToDo: "Veja a conta na Central de Suporte para Empresas da Meta.",
    },
  },
  noticeTitles: {
    ACCOUNT_RESTRICTION: "O WhatsApp limita a conta",
    ACCOUNT_VIOLATION: "A conta violou uma regra do WhatsApp",
    DISABLED_UPDATE: "O WhatsApp desativa a conta",
    ACCOUNT_DELETED: "A conta comercial foi excluída",
    PARTNER_REMOVED: "O acesso foi retirado",
    ACCOUNT_OFFBOARDED: "O acesso foi retirado",
    "130429": "As mensagens são enviadas rápido demais",
  },
  knownNotices: {
    ACCOUNT_RESTRICTION:
      "O WhatsApp limita o que a conta pode enviar. Recorra na Central de Suporte para Empresas da Meta, ou espere.",
    ACCOUNT_VIOLATION:
      "O WhatsApp pode limitar a conta. A regra está na Central de Suporte para Empresas da Meta.",
    DISABLED_UPDATE: "Recorra na Central de Suporte para Empresas da Meta.",
    ACCOUNT_DELETED: "Desconecte o número. Você pode conectá-lo pela nova conta comercial dele.",
    PARTNER_REMOVED:
      "Sua empresa retirou o acesso na Meta. Informe um novo token para conectar de novo.",
    ACCOUNT_OFFBOARDED:
      "Sua empresa retirou o acesso na Meta. Informe um novo token para conectar de novo.",
    "130429": "Faça os programas enviarem mais devagar.",
  },

  newToken: "Informar um novo token",
  newTokenFor: (phone) => `Informar um novo token para ${phone}`,
  connectAgain: "Conectar de novo",
  connectAgainNumber: (phone) => `Conectar de novo: ${phone}`,
  disconnect: "Desconectar",
  disconnectNumber: (phone) => `Desconectar ${phone}`,
  disconnectQuestion: (phone) => `Desconectar ${phone}?`,
  disconnectMeaning: (phone) =>
    `Nada poderá ser enviado por ${phone} até alguém conectá-lo de novo com um token de acesso.`,
  disconnectStops: [
    "Os programas que enviam por este número recebem um erro.",
    "O token de acesso é apagado agora.",
    "As mensagens que as pessoas escrevem esperam 30 dias e depois se perdem.",
    "As conversas, os modelos e o histórico ficam.",
  ],
  typeNumber: (phone) => `Para confirmar, digite o número: ${phone}`,
  otherNumber: (phone) => `Esse não é o número. Digite ${phone}.`,
  isDisconnected: (phone) => `${phone} está desconectado.`,
  onlyManagers: "Proprietários e administradores conectam e desconectam números.",

  connect: "Conectar um número",
  connectIntro:
    "Você precisa do id do número e de um token de acesso da Meta. Perguntamos ao WhatsApp se eles combinam.",
  where: "Onde encontro?",
  whereSteps: [
    "Abra o Gerenciador do WhatsApp em business.facebook.com e escolha Configuração da API. O id do número está lá.",
    "Abra as configurações do negócio e depois Usuários do sistema. Escolha um usuário com acesso total à conta do WhatsApp.",
    "Escolha Gerar token, o seu app e as permissões whatsapp_business_messaging e whatsapp_business_management. Na validade, escolha Nunca.",
    "Copie o token. A Meta mostra só uma vez.",
  ],
  numberId: "Id do número",
  numberIdHint: "Só dígitos, por exemplo 106540352242922. Não é o número de telefone.",
  accessToken: "Token de acesso",
  accessTokenHint: "Fica guardado de forma criptografada e não aparece de novo.",
  businessId: "Id da conta comercial",
  optional: "opcional",
  businessIdHint:
    "Só se o WhatsApp não disser. No Gerenciador do WhatsApp, chama-se identificação da conta do WhatsApp Business.",
  app: "App que entrega as respostas",
  usualApp: "O mesmo de antes",
  submit: "Verificar e conectar",
  checking: "Consultando o WhatsApp…",
  idMissing: "Informe o id: só dígitos.",
  tokenMissing: "Cole o token, sem espaços nem quebras de linha.",
  isConnected: (phone) => `${phone} está conectado.`,
  hasNewToken: (phone) => `${phone} tem o novo token.`,
  reasons: {
    token_invalid:
      "O WhatsApp não aceita este token. Copie de novo da Meta, completo e sem espaços.",
    token_expired: "Este token expirou. Gere um novo nas configurações do negócio da Meta.",
    permission_missing:
      "Falta uma permissão a este token. Gere um com whatsapp_business_messaging e whatsapp_business_management.",
    number_unknown:
      "O WhatsApp não tem um número com este id que o token possa usar. O id não é o número de telefone nem o id da conta comercial.",
    number_of_another_account: "O número não está nesta conta comercial. Confira os dois ids.",
    business_account_unknown:
      "O WhatsApp não diz qual é a conta comercial do número. Informe o id dela abaixo.",
    refused_otherwise:
      "O WhatsApp recusa esta conta. Veja na Central de Suporte para Empresas da Meta.",
  },
  channelDown: "O WhatsApp não responde agora. Nada foi guardado. Tente de novo em alguns minutos.",
  numberTaken: "Este número está conectado a outra empresa. Primeiro é preciso desconectá-lo lá.",

  apps: "Apps da sua empresa",
  appsMeaning:
    "Um app da Meta entrega as respostas e os relatórios. Se a sua empresa tem um app próprio, adicione aqui. Se não, é usado o app de quem administra este serviço.",
  addApp: "Adicionar um app",
  appName: "Nome",
  appNameHint: "Como você chama o app, por exemplo “Nosso app”.",
  appSecret: "Chave secreta do app",
  appSecretHint:
    "No painel de apps da Meta, em Configurações do app, Básico. Fica guardada de forma criptografada e não aparece de novo.",
  verifyToken: "Token de verificação",
  verifyTokenHint:
    "Invente um texto de pelo menos 8 caracteres. Na Meta, você informa o mesmo texto.",
  secretMissing: "Informe de 8 a 255 caracteres, sem espaços.",
  nameMissing: "Informe um nome.",
  nameWrong: "O nome é longo demais ou tem caracteres invisíveis. Digite-o de novo.",
  appAdded: (name) =>
    `${name} foi adicionado. Informe na Meta a URL de retorno de chamada e o token de verificação.`,
  callback: "URL de retorno de chamada",
  callbackHint: "Informe na Meta, em WhatsApp, Configuração, com o token de verificação.",
  copyCallback: "Copiar a URL",
  newSecret: "Nova chave",
  newSecretFor: (name) => `Nova chave para ${name}`,
  newSecretMeaning:
    "A partir de agora, as duas chaves são aceitas. Quando a Meta usar a nova, encerre a antiga aqui.",
  saveSecret: "Guardar a chave",
  secretSaved: "Agora as duas chaves são aceitas.",
  rotatingSince: (when) => `Duas chaves são aceitas desde ${when}.`,
  endOldSecret: "Encerrar a chave antiga",
  oldSecretEnded: "Agora só a nova chave é aceita.",
  tooManyApps:
    "Uma empresa tem no máximo 10 apps. Peça a quem administra este serviço para excluir um.",
};
