export const frame = {
  product: "Configurações da API",
  menu: {
    keys: "Chaves de API",
    webhooks: "Webhooks",
    requests: "Requisições",
    sends: "Envios",
    accounts: "WhatsApp",
    templates: "Modelos",
    optOuts: "Descadastros",
    members: "Pessoas",
    history: "Histórico",
    security: "Segurança",
    invitations: "Convites",
  },
  roles: { owner: "proprietário(a)", admin: "administrador(a)", agent: "atendente" },
  people: {
    you: "você",
    former: "alguém que já saiu",
    nameless: (role: string) => `${role} sem nome`,
  },

  frame: {
    skip: "Ir para o conteúdo",
    menu: "Configurações",
    menuButton: "Menu",
    language: "Idioma",
    person: "Conta",
    signedInAs: "Você entrou como ",
    docs: "Documentação",
    signOut: "Sair",
    cancel: "Cancelar",
    loading: "Carregando…",
    tryAgain: "Tentar de novo",
    copy: "Copiar",
    copied: "Copiado.",
    copyByHand:
      "O navegador não deixa a página copiar. O texto está selecionado: pressione Ctrl+C, ou ⌘C no Mac.",
    nothingHere: "Não há nada aqui",
    nothingHereText:
      "As configurações não têm nenhuma página com este endereço. O link pode ser antigo ou estar incompleto.",
    toFirst: "Ir para a primeira página",
    search: "Buscar",
    clearFilters: "Limpar os filtros",
    older: "Mais antigos",
    olderShown: (count: number) =>
      count === 1 ? "1 registro mais antigo." : `${count} registros mais antigos.`,
    zone: (zone: string) => `Os horários estão no seu fuso horário: ${zone}.`,
    wrongConfig: (member: string | null) =>
      member
        ? `Esta página ainda não está pronta: “${member}” no arquivo config.json falta ou está errado. Avise quem a administra.`
        : "Esta página ainda não está pronta: o arquivo config.json falta ou não pode ser lido. Avise quem a administra.",
  },

  companies: {
    locked: "Esta empresa exige um segundo fator",
    lockedText:
      "Os proprietários e administradores desta empresa entram com um código de um aplicativo no celular. Configure o seu agora; leva um minuto.",
    setUp: "Configurar o aplicativo",
    invited: (company: string) => `${company} convidou você: responda ao convite`,
    title: "Escolha uma empresa",
    lead: "Você trabalha em mais de uma. Pode trocar quando quiser.",
    change: "Trocar de empresa",
    foreign: "Você não trabalha nesta empresa",
    foreignText: (email: string) =>
      `O endereço é de uma empresa da qual ${email} não faz parte, ou está incompleto. Peça a um proprietário dessa empresa que convide você. Estas são as suas empresas:`,
    none: "Você ainda não tem empresa",
    noneText: (email: string) =>
      `${email} ainda não pertence a nenhuma empresa. Peça a um proprietário ou administrador da sua empresa que convide este endereço. Depois tente de novo.`,
  },

  failure: {
    offline: "Não houve resposta. Verifique sua conexão e tente de novo.",
    unanswered:
      "Não houve resposta, então não sabemos se foi feito. Verifique sua conexão e carregue a página de novo para conferir.",
    signed_out: "Sua sessão tinha terminado. Entre e tente de novo.",
    forbidden:
      "Você não pode fazer isto. Só proprietários e administradores da empresa podem; talvez a sua função tenha mudado.",
    gone: "Isto não existe mais. Alguém pode ter excluído.",
    conflict: "Outra pessoa acabou de mudar isto. Carregue a página de novo para ver a mudança.",
    invalid: "Isto não foi aceito.",
    too_many: "Foram tentativas demais em pouco tempo. Espere um minuto e tente de novo.",
    server: "Algo deu errado do nosso lado, e nada foi mudado. Tente de novo em um minuto.",
    unknown: "Algo inesperado deu errado. Carregue a página de novo.",
    withDetail: (sentence: string, detail: string) => `${sentence} (${detail})`,
  },
};
