export const signIn = {
  signIn: {
    titles: { password: "Entrar", link: "Entrar com um link", reset: "Esqueceu a senha?" },
    leads: {
      password: "Cuide das chaves de API da sua empresa.",
      link: "Enviamos um e-mail com um link. Abra-o para entrar.",
      reset: "Enviamos um e-mail com um link. Abra-o e escolha uma nova senha.",
    },
    email: "E-mail",
    password: "Senha",
    buttons: { password: "Entrar", link: "Enviar o link", reset: "Enviar o link" },
    others: {
      password: "Entrar com a senha",
      link: "Receber um link para entrar",
      reset: "Esqueci minha senha",
    },
    sent: (email: string) =>
      `Se ${email} tiver uma conta aqui, um e-mail está a caminho. Abra o link neste navegador. Ele funciona uma vez e só por algum tempo. Olhe também na pasta de spam.`,
    localMail: "Nesta máquina, os e-mails não são enviados. Leia-os aqui:",
    back: "Voltar",
    notes: {
      ended: "Você saiu.",
      linkFailed: "Este link já foi usado, ou é antigo demais. Peça um novo abaixo.",
      otherBrowser: "Este link não foi pedido neste navegador. Peça um novo abaixo e abra-o aqui.",
    },
    refused: {
      wrongPassword: "E-mail ou senha incorretos.",
      notConfirmed: "Seu e-mail ainda não foi confirmado. Abra o link no e-mail que você recebeu.",
      banned: "Esta conta está bloqueada. Fale com quem administra este serviço.",
      weakPassword: "Esta senha é fácil de adivinhar. Escolha uma mais longa.",
      samePassword: "Esta já é a sua senha. Escolha outra.",
      signInAgain: "Para isto, saia e entre de novo primeiro.",
      wrongEmail: "Este não é um endereço de e-mail válido.",
    },
  },

  link: {
    titles: { other: "Trocar de conta?", nobody: "Entrar com este link?" },
    other: (present: string, coming: string) =>
      `Você entrou como ${present}. Este link é da conta ${coming}.`,
    nobody: (coming: string) => `Este link é da conta ${coming}.`,
    notAskedFor:
      "Ninguém o pediu neste navegador. Só continue se a conta for sua e se você esperava este link.",
    stay: (present: string) => `Continuar como ${present}`,
    goOn: (coming: string) => `Entrar como ${coming}`,
    leave: "Não entrar",
  },

  password: {
    title: "Escolher nova senha",
    lead: (email: string) => `Para ${email}.`,
    password: "Nova senha",
    hint: (shortest: number) => `Pelo menos ${shortest} caracteres.`,
    show: "Mostrar",
    save: "Salvar",
    done: "Sua nova senha foi salva.",
  },
};
