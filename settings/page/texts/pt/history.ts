import type { HistoryTexts } from "../en/history.ts";

export const history: HistoryTexts = {
  intro: (zone) =>
    `O que foi feito com as chaves da sua empresa. Ninguém pode alterar este histórico. Os horários estão no seu fuso horário (${zone}).`,
  none: "Nada foi feito com uma chave ainda.",
  older: "Registros mais antigos",
  olderShown: (count) =>
    count === 1 ? "1 registro mais antigo." : `${count} registros mais antigos.`,
  onlyManagers: "Proprietários e administradores veem o histórico das chaves.",
  platform: "Quem administra este serviço",
  database: "Alguém com acesso ao banco de dados",
  unknownPerson: "Alguém que não é mais conhecido",
  from: (address) => `de ${address}`,
  never: "nunca",
  deeds: {
    created: "Criada",
    renamed: "Renomeada",
    switched_off: "Desativada",
    switched_on: "Ativada",
    rotated: "Substituída por uma nova chave",
    expiry_changed: "Validade alterada",
    changed: "Alterada",
    deleted: "Excluída",
  },
  createdAsSuccessor: "Criada como sucessora",
  permissions: (scopes) => `Permissões: ${scopes}`,
  expires: (when) => `Expira: ${when}`,
  ends: (when) => `A chave antiga termina: ${when}`,
  fromTo: (from, to) => `De ${from} para ${to}`,
};
