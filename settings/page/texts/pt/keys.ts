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
    webhooks: {
      name: "Webhooks",
      allows:
        "Envia a outro endereço o que acontece na sua empresa, mesmo depois que o programa terminou. Só para programas que configuram webhooks: por eles sai tudo o que a leitura mostra.",
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
      name: "Para de funcionar agora",
      hint:
        "Se outra pessoa pode ter visto a chave. Os programas que a usam são recusados até terem a nova. Os webhooks que ela criou são desativados.",
    },
    1: { name: "Funciona por mais 1 hora", hint: "Se você troca a chave no programa agora mesmo." },
    24: { name: "Funciona por mais 24 horas", hint: "Se você faz a troca hoje." },
    168: { name: "Funciona por mais 7 dias", hint: "Se outra pessoa precisa fazer a troca." },
  },

  keys: {
    title: "Chaves de API",
    lead:
      "Com uma chave, um programa trabalha com os dados da sua empresa. Use uma diferente para cada programa.",
    one: "Chave de API",
    create: "Criar uma chave",
    make: "Criar chave",
    none: "Ainda não há chaves de API",
    noneWhy:
      "Um programa precisa de uma chave para ler contatos ou enviar mensagens da sua empresa. Crie uma para cada programa.",
    noneExample:
      "Por exemplo: “Loja virtual” com Leitura e Mensagens, ou “Relatórios” só com Leitura.",
    noneFound: "Nenhuma chave tem este nome.",
    find: "Procurar uma chave",
    ended: (count: number) => `Chaves expiradas (${count})`,
    agents: (company: string) =>
      `Só proprietários e administradores de ${company} podem gerenciar as chaves de API.`,
    whoMay: "Fale com uma destas pessoas:",
    name: "Nome",
    nameHint: "Para que serve? Por exemplo: loja virtual.",
    nameMissing: "Digite um nome para a chave.",
    nameTooLong: "O nome pode ter até 100 caracteres.",
    scopes: "Permissões",
    scopesHint: "Escolha só o que o programa precisa. Nenhuma permissão inclui outra.",
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
    ends: (when: string) => `Expira ${when}`,
    replacedBy: "Substituída por",
    replacing: "Substitui",
    facts: "Sobre esta chave",
    key: "Chave",
    keyHint: "A chave inteira foi mostrada uma vez e não pode ser mostrada de novo.",
    changes: "Alterar a chave",
    switchOn: "Ativar",
    switchedOn: "A chave está ativa de novo.",
    back: "Todas as chaves",
    gone: "Esta chave não existe nesta empresa. Ela pode ter sido excluída.",
    replacedBefore:
      "Esta chave já foi substituída. Carregue a página de novo e procure a chave que a substituiu.",
    maybeMade:
      "Não houve resposta, então não sabemos se a chave foi criada. Confira a lista: exclua a chave que você não queria criar e crie uma nova.",
  },

  alarms: {
    onlyErrors: {
      badge: "Só erros",
      todo: (count: number, shown: string) =>
        count === 1
          ? "A única requisição das últimas 72 horas terminou em erro. Abra a chave para ver o que mudar."
          : `Todas as ${shown} requisições das últimas 72 horas terminaram em erro. Abra a chave para ver o que mudar.`,
    },
    expiresSoon: {
      badge: (when: string) => `Expira ${when}`,
      todo:
        "Substitua a chave antes disso ou mude a validade. Senão, o programa para de funcionar.",
    },
    neverUsed: {
      badge: "Nunca usada",
      todo: "Nenhum programa usou esta chave ainda. Guarde-a no programa ou exclua-a.",
    },
  },

  once: {
    title: "Aqui está a nova chave",
    lead:
      "Copie agora e guarde onde o seu programa lê a chave. Nós não a guardamos, então ninguém poderá mostrá-la de novo.",
    theKey: "A nova chave",
    copyKey: "Copiar a chave",
    stored: "Já guardei",
    tryIt: "Experimente",
    tryLead: "Cole uma linha em um terminal. Ela contém a chave: não mostre a ninguém.",
    readLine: "Ler um contato",
    writeLine: "Criar um contato chamado Test",
    sendLine: (template: string) => `Enviar o modelo “${template}” para este número`,
    phone: "Seu número de WhatsApp",
    phoneHint: "Com + e o código do país. A mensagem é enviada de verdade para este número.",
    phoneHintLocal:
      "Qualquer número serve: nesta máquina, uma imitação do WhatsApp recebe a mensagem.",
    noTemplate:
      "Para enviar a primeira mensagem, sua empresa precisa de uma conta de WhatsApp conectada com um modelo aprovado. Ainda não há nenhum.",
    readOn: "Como usar a API",
    leaveTitle: "Você guardou a chave?",
    leaveText: "Depois que você sair, ela não pode ser mostrada de novo.",
    stay: "Voltar à chave",
    leave: "Já guardei, sair",
  },

  change: {
    hasSuccessor: (hint: string, ends: string | null) =>
      `A chave ${hint} substituiu esta, que funciona até ${
        ends ?? "alguém desativá-la"
      }. Um programa que ainda usa esta perde o acesso na hora.`,
    hasDeadSuccessor: (hint: string, _ends: string | null) =>
      `A chave ${hint} substituiu esta, mas também não funciona. Nenhuma das duas vai funcionar.`,
    isSuccessor: (hint: string, ends: string | null) =>
      `Esta chave substitui ${hint}, que só funciona até ${
        ends ?? "alguém desativá-la"
      }. Depois disso, nenhuma das duas vai funcionar.`,
    isOnlyKey: (hint: string, _ends: string | null) =>
      `Esta chave substitui ${hint}, que não funciona mais. Nenhuma das duas vai funcionar.`,
    expiry: {
      button: "Mudar a validade",
      title: "Mudar quando a chave expira",
      text: "Depois desse momento, os programas que a usam perdem o acesso.",
      now: (when: string | null) => `Validade atual: ${when ?? "nunca"}`,
      submit: "Mudar a validade",
      done: "A validade foi alterada.",
    },
    rename: {
      button: "Renomear",
      title: "Renomear a chave",
      submit: "Renomear",
      done: "A chave tem um novo nome.",
    },
    switchOff: {
      button: "Desativar",
      title: "Desativar a chave?",
      text: "Os programas que a usam perdem o acesso na hora, até você ativá-la de novo.",
      submit: "Desativar",
      done: "A chave está desativada.",
    },
    rotate: {
      button: "Substituir",
      title: "Substituir a chave",
      text:
        "Você recebe uma nova chave com o mesmo nome e as mesmas permissões. A anterior continua funcionando pelo tempo que você escolher, para que o programa troque de chave sem parar.",
      overlap: "A chave anterior",
      stopsWebhooks:
        "“Para de funcionar agora” também desativa estes webhooks, que a chave criou. Confira cada endereço antes de ativar um webhook de novo:",
      submit: "Criar a nova chave",
    },
    delete: {
      button: "Excluir",
      title: "Excluir a chave?",
      text:
        "Os programas que a usam perdem o acesso na hora. Não pode ser desfeito. Na dúvida, desative a chave primeiro.",
      typeName: (name: string) => `Para confirmar, digite: ${name}`,
      otherName: "Este não é o nome da chave. Digite exatamente como está acima.",
      submit: "Excluir para sempre",
      done: "A chave foi excluída.",
    },
  },
};
