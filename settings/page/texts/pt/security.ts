import type { SecurityTexts } from "../en/security.ts";

export const security: SecurityTexts = {
  lead: (email) => `Como você entra com ${email}.`,
  password: {
    title: "Senha",
    text: "Uma nova senha encerra todas as outras sessões.",
  },
  factors: {
    title: "Segundo fator",
    on: "Ativo",
    off: "Inativo",
    textOff:
      "Com um código de um aplicativo no celular, quem descobrir sua senha não consegue entrar.",
    textOn:
      "A cada entrada, a página pede o código de um destes aplicativos. Configure outro em um segundo aparelho: se você perder o único, só quem administra este serviço pode ajudar.",
    name: "Nome do aplicativo ou aparelho",
    nameHint:
      "Serve qualquer aplicativo de códigos, como um gerenciador de senhas. O nome é só para você.",
    usualName: "Celular",
    setUp: "Configurar",
    setUpAnother: "Configurar outro aplicativo",
    scan: "Leia esta imagem",
    scanText: "Abra o aplicativo de códigos, adicione uma conta e aponte a câmera para a imagem.",
    picture: "Código QR para o aplicativo",
    cannotScan: "Não consigo ler a imagem",
    typeSecret: "Digite esta chave no aplicativo. Ela é para códigos que mudam com o tempo:",
    finish: "Concluir",
    added: "Seu segundo fator está ativo. Todas as outras sessões foram encerradas.",
    since: "Desde",
    nameless: "Aplicativo sem nome",
    remove: "Remover",
    removeOf: (name) => `Remover ${name}`,
    removeTitle: (name) => `Remover ${name}?`,
    removeText: "Os códigos deste aplicativo deixam de valer. Os outros continuam funcionando.",
    removeLastText:
      "Depois disso, sua senha basta para entrar. Uma empresa que exige um segundo fator não deixará mais você administrá-la.",
    removed: "O aplicativo foi removido.",
  },
  sessions: {
    title: "Onde você está conectado",
    text:
      "Se não reconhecer alguma sessão, encerre-a e escolha uma nova senha. O horário pode atrasar até uma hora.",
    current: "Este navegador",
    lastUsed: "último uso:",
    begun: "desde",
    from: (address) => `de ${address}`,
    unknown: "Aparelho desconhecido",
    end: "Encerrar",
    endOf: (device) => `Encerrar a sessão de ${device}`,
    ended: "A sessão foi encerrada.",
    endOthers: "Encerrar todas as outras sessões",
    othersEnded: "Todas as outras sessões foram encerradas.",
  },
};
