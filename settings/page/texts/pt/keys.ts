export const keys = {
  scopes: {
    read: {
      name: "Leitura",
      allows: "Vê contatos, negócios, conversas, mensagens e modelos. Não muda nada.",
    },
    write: {
      name: "Escrita",
      allows:
        "Cria e muda contatos, negócios, funis e conversas. Também mescla e apaga contatos, o que não pode ser desfeito.",
    },
    messaging: {
      name: "Mensagens",
      allows: "Envia mensagens de WhatsApp em nome da sua empresa: modelos e respostas.",
    },
  },

  expiries: {
    never: "Nunca",
    month: "Em 30 dias",
    quarter: "Em 90 dias",
    year: "Em um ano",
    date: "Em um dia à sua escolha",
  },

  overlaps: {
    0: {
      name: "Deixa de valer agora",
      hint:
        "Quando outra pessoa pode tê-la visto. Os programas que a usam são recusados até terem a nova.",
    },
    1: { name: "Vale mais 1 hora", hint: "Quando você troca a chave no programa agora mesmo." },
    24: { name: "Vale mais 24 horas", hint: "Quando você faz a troca hoje." },
    168: { name: "Vale mais 7 dias", hint: "Quando outra pessoa precisa fazer a troca." },
  },

  keys: {
    title: "Chaves de API",
    lead:
      "Uma chave deixa um programa trabalhar com os dados da sua empresa. Dê uma a cada programa.",
    one: "Chave de API",
    create: "Criar uma chave",
    make: "Criar chave",
    none: "Ainda não há chaves. Crie a primeira.",
    noneFound: "Nenhuma chave tem este nome.",
    find: "Procurar uma chave",
    ended: (count: number) => `Chaves expiradas (${count})`,
    agents: (company: string) =>
      `Só proprietários e administradores de ${company} podem gerenciar as chaves de API.`,
    whoMay: "Fale com uma destas pessoas:",
    name: "Nome",
    nameHint: "Para que serve? Por exemplo: loja virtual.",
    nameMissing: "Dê um nome à chave.",
    nameTooLong: "Um nome tem no máximo 100 caracteres.",
    scopes: "Permissões",
    scopesHint: "Escolha só o que for necessário para o programa. Nenhuma inclui outra.",
    scopesMissing: "Escolha pelo menos uma permissão.",
    expiry: "Expira",
    lastDay: "Último dia",
    dateMissing: "Escolha um dia no futuro.",
    neverExpires: "nunca",
    lastUse: "Último uso",
    neverUsed: "nunca",
    createdBy: "Criada por",
    madeByPlatform: "quem administra este serviço",
    states: { active: "Ativa", off: "Desativada", expired: "Expirada" },
    ends: (when: string) => `Termina ${when}`,
    replacedBy: "Substituída por",
    replacing: "Substitui",
    facts: "Sobre esta chave",
    key: "Chave",
    keyHint: "A chave inteira foi mostrada uma vez e não pode ser mostrada de novo.",
    changes: "Mudar",
    switchOn: "Ativar",
    switchedOn: "A chave está ativada de novo.",
    back: "Todas as chaves",
    gone: "Esta chave não existe nesta empresa. Ela pode ter sido excluída.",
    replacedBefore:
      "Esta chave já foi substituída. Carregue a página de novo e procure a sucessora.",
    maybeMade:
      "Não houve resposta, então não sabemos se a chave foi criada. Confira a lista de chaves: exclua a que você não reconhece e crie uma nova.",
  },

  once: {
    title: "Aqui está a nova chave",
    lead:
      "Copie-a agora e guarde-a onde o seu programa a lê. Nós não a guardamos: ninguém pode mostrá-la de novo.",
    theKey: "A nova chave",
    copyKey: "Copiar a chave",
    stored: "Já guardei",
    tryIt: "Experimente",
    tryLead: "Cole uma linha em um terminal. Ela contém a chave: não a mostre a ninguém.",
    readLine: "Ler um contato",
    writeLine: "Criar um contato chamado Test",
    sendLine: (template: string) => `Enviar o modelo “${template}” para este número`,
    phone: "Seu número de WhatsApp",
    phoneHint: "Com + e o código do país. A mensagem é mesmo enviada para ele.",
    phoneHintLocal:
      "Qualquer número serve: nesta máquina, um substituto do WhatsApp recebe a mensagem.",
    noTemplate:
      "Para enviar a primeira mensagem, sua empresa precisa de uma conta de WhatsApp conectada com um modelo aprovado. Ainda não há nenhum.",
    readOn: "Como usar a API",
    leaveTitle: "Você guardou a chave?",
    leaveText: "Depois que você sair, ela não pode ser mostrada de novo.",
    stay: "Voltar à chave",
    leave: "Está guardada, sair",
  },

  change: {
    rename: {
      button: "Renomear",
      title: "Renomear a chave",
      submit: "Renomear",
      done: "A chave tem o novo nome.",
    },
    switchOff: {
      button: "Desativar",
      title: "Desativar a chave?",
      text: "Os programas que a usam são recusados na hora, até você ativá-la de novo.",
      submit: "Desativar",
      done: "A chave está desativada.",
    },
    rotate: {
      button: "Substituir",
      title: "Substituir a chave",
      text:
        "Você recebe uma nova chave com o mesmo nome e as mesmas permissões. A antiga continua valendo pelo tempo que você escolher, para que o programa troque de chave sem parar.",
      overlap: "A chave antiga",
      submit: "Criar a nova chave",
    },
    delete: {
      button: "Excluir",
      title: "Excluir a chave?",
      text:
        "Os programas que a usam são recusados na hora. Não pode ser desfeito: para testar antes, desative-a.",
      typeName: (name: string) => `Para confirmar, digite: ${name}`,
      otherName: "Este não é o nome da chave. Digite-o como está acima.",
      submit: "Excluir para sempre",
      done: "A chave foi excluída.",
    },
  },
};
