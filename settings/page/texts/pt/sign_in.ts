export const signIn = {
  signIn: {
    titles: {
      expired: "Entre de novo",
      password: "Entrar",
      link: "Entrar com um link",
      reset: "Esqueceu a senha?",
      code: "Digite o código",
    },
    leads: {
      password: "Gerencie as chaves de API e o WhatsApp da sua empresa.",
      link: "Enviamos um e-mail com um link. Abra-o para entrar.",
      reset: "Enviamos um e-mail com um link. Abra-o e escolha uma nova senha.",
      code:
        "Só mais um passo: abra o seu aplicativo de códigos e digite o código que ele mostra para esta página.",
    },
    email: "E-mail",
    password: "Senha",
    code: "Código do aplicativo",
    codeHint:
      "Seis dígitos, que mudam a cada 30 segundos. Se você perdeu o celular, fale com quem administra este serviço.",
    app: "Aplicativo",
    buttons: { password: "Entrar", link: "Enviar o link", reset: "Enviar o link", code: "Entrar" },
    others: {
      password: "Entrar com a senha",
      link: "Receber um link para entrar",
      reset: "Esqueci minha senha",
    },
    sent: (email: string) =>
      `Se ${email} tiver uma conta aqui, um e-mail está a caminho. Abra o link neste navegador. Ele funciona uma vez e só por algum tempo. Confira também a pasta de spam.`,
    localMail: "Nesta máquina, os e-mails não são enviados. Leia-os aqui:",
    back: "Voltar",
    expired:
      "Sua sessão terminou. Digite sua senha e continue aqui: o que você preencheu não se perdeu.",
    asAnother: "Sair desta página",
    notes: {
      ended: "Você saiu.",
      expired: "Sua sessão terminou, então entre de novo. Depois você volta para esta página.",
      linkFailed: "Este link já foi usado, ou é antigo demais. Peça um novo abaixo.",
      otherBrowser: "Este link foi pedido em outro navegador. Peça um novo abaixo e abra-o aqui.",
    },
    refused: {
      wrongPassword: "E-mail ou senha incorretos.",
      notConfirmed: "Seu e-mail ainda não foi confirmado. Abra o link no e-mail que você recebeu.",
      banned: "Esta conta está bloqueada. Fale com quem administra este serviço.",
      weakPassword: "Esta senha é fácil de adivinhar. Escolha uma mais longa.",
      longPassword:
        "Esta senha é longa demais. Escolha uma mais curta. Letras com acento e de outros alfabetos ocupam mais espaço.",
      samePassword: "Esta já é a sua senha. Escolha outra.",
      signInAgain: "Antes de fazer isto, saia e entre de novo.",
      wrongEmail: "Este não é um endereço de e-mail válido.",
      wrongCode:
        "Este código não está certo. Digite o que o aplicativo mostra agora e confira se o relógio do celular está certo.",
      sameName: "Você já tem um aplicativo com este nome. Escolha outro.",
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
    show: "Mostrar a senha",
    save: "Salvar",
    done: "Sua nova senha foi salva.",
  },
};
