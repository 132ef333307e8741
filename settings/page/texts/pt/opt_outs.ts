import type { OptOutsTexts } from "../en/opt_outs.ts";

export const optOuts: OptOutsTexts = {
  title: "Descadastros",
  lead:
    "Estas pessoas pediram para não receber mensagens, ou para não receber marketing. Nenhum programa ou agente pode enviar essas mensagens para elas.",
  search: "Procurar uma pessoa",
  searchHint: "Nome ou telefone",
  every: "Todos",
  state: "Mostrar",
  counts: "Em vigor",
  lifted: "Desfeitos",
  person: "Pessoa",
  wish: "Pediu",
  how: "Como",
  since: "Desde",
  change: "Mudar",
  kinds: { do_not_contact: "Nenhuma mensagem", marketing_opt_out: "Sem marketing" },
  sources: {
    manual: "Marcado pela sua empresa",
    word: "Escreveu uma palavra de saída",
    button: "Tocou em um botão",
    preference: "Escolheu no WhatsApp",
    status: "O WhatsApp recusou marketing para esta pessoa",
  },
  wrote: "Escreveu",
  tapped: "Tocou em",
  none: "Ninguém se descadastrou",
  noneWhy:
    "Quando uma pessoa escreve uma palavra de saída ou toca no botão de sair, ela aparece aqui, com as palavras e o horário.",
  noneExample: "Por exemplo: Ana Souza escreveu “SAIR” em 3 de março às 14:05.",
  noneFound: "Nenhum descadastro encontrado",
  noneFoundWhy: "Tente uma parte do nome ou do telefone, ou limpe os filtros.",
  noneLifted: "Nenhum descadastro foi desfeito",
  noneLiftedWhy: "Quando alguém da sua empresa desfaz um descadastro, o motivo aparece aqui.",
  lift: "Desfazer",
  liftOf: (person) => `Desfazer o descadastro de ${person}`,
  liftedBy: "Desfeito por",
  someone: "Um membro da empresa",
  nameless: "esta pessoa",
  erased: "Apagado junto com a pessoa",
  question: (person) => `Desfazer o descadastro de ${person}?`,
  meaning: {
    do_not_contact:
      "Os programas e agentes da sua empresa poderão enviar mensagens para esta pessoa de novo.",
    marketing_opt_out:
      "Os programas da sua empresa poderão enviar modelos de marketing para esta pessoa de novo.",
  },
  askedThemselves:
    "A própria pessoa pediu. Desfaça só se ela disse a você que quer receber mensagens de novo.",
  reason: "Motivo",
  reasonHint: "Por exemplo: pediu novidades no balcão em 3 de março. Sua empresa guarda o motivo.",
  reasonMissing: "Escreva por que você desfaz o descadastro.",
  isLifted: (person) => `O descadastro de ${person} foi desfeito.`,
};
