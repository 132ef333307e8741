export const frame = {
  product: "Configurações da API",
  menu: { keys: "Chaves", accounts: "WhatsApp", history: "Histórico" },
  roles: { owner: "proprietário(a)", admin: "administrador(a)", agent: "atendente" },
  people: {
    you: "você",
    former: "alguém que já saiu",
    nameless: (role: string) => `${role} sem nome`,
  },

  frame: {
    skip: "Ir para o conteúdo",
    menu: "Configurações",
    language: "Idioma",
    person: "Conta",
    signedInAs: "Você entrou como ",
    docs: "Documentação",
    signOut: "Sair",
    cancel: "Cancelar",
    loading: "Carregando …",
    tryAgain: "Tentar de novo",
    copy: "Copiar",
    copied: "Copiado.",
    copyByHand:
      "O navegador não deixa a página copiar. O texto está selecionado: pressione Ctrl+C, ou ⌘C no Mac.",
    wrongConfig: (member: string | null) =>
      member
        ? `Esta página ainda não está pronta: “${member}” no arquivo config.json falta ou está errado. Avise quem a administra.`
        : "Esta página ainda não está pronta: o arquivo config.json falta ou não pode ser lido. Avise quem a administra.",
  },

  companies: {
    title: "Escolha uma empresa",
    lead: "Você trabalha em mais de uma. Pode trocar quando quiser.",
    change: "Trocar de empresa",
    none: "Nenhuma empresa ainda",
    noneText: (email: string) =>
      `${email} ainda não pertence a nenhuma empresa. Peça a quem administra este serviço que inclua você. Depois tente de novo.`,
  },

  failure: {
    offline: "Não houve resposta. Verifique sua conexão e tente de novo.",
    unanswered:
      "Não houve resposta, então não sabemos se foi feito. Verifique sua conexão, carregue a página de novo e confira.",
    signed_out: "Sua sessão terminou. Entre de novo.",
    forbidden:
      "Você não pode fazer isto. Só proprietários e administradores da empresa podem; talvez o seu papel tenha mudado.",
    gone: "Isto não existe mais. Alguém pode ter excluído.",
    conflict: "Outra pessoa acabou de mudar isto. Carregue a página de novo e confira.",
    invalid: "Isto não foi aceito.",
    too_many: "Foram tentativas demais em pouco tempo. Espere um minuto e tente de novo.",
    server: "Algo deu errado do nosso lado, e nada foi mudado. Tente de novo em um minuto.",
    unknown: "Algo inesperado deu errado. Carregue a página de novo.",
    withDetail: (sentence: string, detail: string) => `${sentence} (${detail})`,
  },
};
