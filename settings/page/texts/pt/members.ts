import type { MembersTexts } from "../en/members.ts";

export const members: MembersTexts = {
  title: "Pessoas da empresa",
  lead: "Cada pessoa entra com o próprio e-mail. O que ela pode fazer depende da função.",
  leadForAgents: "Proprietários e administradores convidam pessoas e mudam funções.",
  person: "Pessoa",
  email: "E-mail",
  name: "Nome",
  nameHint:
    "Os colegas e os programas que usam uma chave de API veem o nome. Os programas nunca veem o e-mail.",
  role: "Função",
  roles: {
    owner: { name: "Proprietário", can: "Pode tudo, inclusive definir ou remover proprietários." },
    admin: {
      name: "Administrador",
      can: "Cuida de chaves, números de WhatsApp, agentes e outros administradores.",
    },
    agent: {
      name: "Agente",
      can: "Vê as mensagens e os números de WhatsApp, sem mudar configurações.",
    },
  },
  secondFactor: "Segundo fator",
  on: "Ativo",
  off: "Inativo",
  since: "Desde",
  actions: "Ações",
  invite: "Convidar uma pessoa",
  change: "Alterar",
  changeOf: (name) => `Alterar ${name}`,
  leave: "Sair",
  remove: "Remover da empresa",
  pending: "Convites em aberto",
  noPending: "Nenhum convite em aberto",
  noPendingWhy: "Quem você convida aparece aqui até entrar. O convite vale por 7 dias.",
  state: "Situação",
  waiting: "Aguardando resposta",
  notSent: "E-mail não enviado",
  expired: "Expirado",
  validUntil: "Expira",
  sendAgain: "Reenviar",
  sendAgainTo: (email) => `Reenviar para ${email}`,
  withdraw: "Retirar",
  withdrawOf: (email) => `Retirar o convite de ${email}`,
  sent: (email) => `Um e-mail está a caminho de ${email}.`,
  notMailed: (email) =>
    `${email} já tem o convite, mas o e-mail não pôde ser enviado. Escolha “Reenviar” em alguns minutos.`,
  withdrawn: "O convite foi retirado.",
  changed: "Salvo.",
  removed: "A pessoa não trabalha mais nesta empresa.",
  questions: {
    invite: {
      title: () => "Convidar uma pessoa",
      text: (company) => `A pessoa recebe um e-mail com um link e decide se entra em ${company}.`,
      submit: "Enviar o convite",
    },
    change: { title: (name) => `Alterar ${name}`, submit: "Salvar" },
    remove: {
      title: (name) => `Remover ${name}?`,
      text: (company) =>
        `A partir de agora, a pessoa não vê nada de ${company}. Os convites que ela fez também são cancelados. As chaves de API que ela conhece continuam funcionando: substitua essas chaves. Os webhooks que ela criou continuam enviando eventos. Se ela conhece a chave secreta de um app da Meta, crie uma nova na Meta e informe-a aqui.`,
      createdWebhooks:
        "A pessoa criou estes webhooks, que continuam enviando eventos. Confira cada endereço e exclua o webhook se não precisar dele:",
      submit: "Remover",
    },
    leave: {
      title: () => "Sair da empresa?",
      text: (company) =>
        `Você não verá mais nada de ${company}. Só um proprietário ou administrador pode convidar você de novo.`,
      submit: "Sair",
    },
    withdraw: {
      title: (name) => `Retirar o convite de ${name}?`,
      text: () => "O link do e-mail não permitirá mais entrar na empresa.",
      submit: "Retirar",
    },
  },
  rule: {
    title: "Segundo fator para proprietários e administradores",
    optional: "Proprietários e administradores podem entrar só com a senha.",
    required:
      "Proprietários e administradores só têm suas permissões depois de digitar um código do aplicativo. O banco de dados verifica isso.",
    without: (count) =>
      count === 1
        ? "Uma dessas pessoas ainda não configurou um aplicativo."
        : `${count} dessas pessoas ainda não configuraram um aplicativo.`,
    require: "Exigir um segundo fator",
    end: "Deixar de exigir",
    requiredSaid: "Agora um segundo fator é exigido.",
    endedSaid: "Um segundo fator não é mais exigido.",
  },
  refused: {
    lastOwner: "Uma empresa sempre tem um proprietário. Antes, torne outra pessoa proprietária.",
    isMember: "Esta pessoa já trabalha na empresa.",
    isInvited: "Este endereço já foi convidado. Escolha “Reenviar” na lista.",
    tooMany: "Sua empresa enviou 20 convites em 24 horas. Tente de novo amanhã.",
    tooSoon: "Este convite foi enviado há menos de um minuto. Espere um pouco.",
    wrongAddress: "Isto não é um endereço de e-mail.",
    ownFactorFirst:
      "Primeiro configure o seu próprio segundo fator em Conta, Segurança. Sem ele, você perderia o acesso.",
    removalTooLong:
      "A remoção demorou demais, e nada foi mudado. Talvez haja conversas demais atribuídas a esta pessoa. Tente de novo uma vez. Se falhar outra vez, peça ao operador do serviço para remover a pessoa.",
  },
  own: {
    by: (name, role) => `${name} convida você a trabalhar aqui como ${role}.`,
    someone: "Alguém",
    name: "Seu nome nesta empresa",
    nameHint: "É assim que os colegas veem você. Pode ficar vazio.",
    join: (company) => `Entrar em ${company}`,
    decline: "Recusar",
    expires: "O convite expira",
    joined: (company) => `Agora você trabalha em ${company}.`,
    declined: "Você recusou o convite.",
    none: "Nenhum convite",
    noneWhy: (email) =>
      `Ninguém convidou ${email}, ou o convite expirou. Pergunte a quem queria convidar você.`,
  },
};
