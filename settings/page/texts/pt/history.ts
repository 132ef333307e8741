import type { HistoryTexts } from "../en/history.ts";

export const history: HistoryTexts = {
  intro: (zone) =>
    `O que foi feito com as chaves e as pessoas da sua empresa. Ninguém pode alterar este histórico. Um nome pode mudar; o código curto ao lado dele indica sempre a mesma pessoa. Os horários estão no seu fuso horário (${zone}).`,
  none: "Nada foi feito ainda.",
  older: "Registros mais antigos",
  olderShown: (count) =>
    count === 1 ? "1 registro mais antigo." : `${count} registros mais antigos.`,
  onlyManagers: "Proprietários e administradores veem o histórico.",
  platform: "Quem administra este serviço",
  database: "Alguém com acesso ao banco de dados",
  unknownPerson: "Alguém que não é mais conhecido",
  from: (address) => `de ${address}`,
  hasLeft: "não está mais na empresa",
  calledThen: (name) => `na época, “${name}”`,
  never: "nunca",
  noName: "sem nome",
  deeds: {
    created: "Criada",
    renamed: "Renomeada",
    switched_off: "Desativada",
    switched_on: "Ativada",
    rotated: "Substituída por uma nova chave",
    expiry_changed: "Validade alterada",
    changed: "Alterada",
    deleted: "Excluída",
    member_added: "Pessoa incluída",
    member_renamed: "Pessoa renomeada",
    member_role_changed: "Papel alterado",
    member_removed: "Pessoa removida",
  },
  createdAsSuccessor: "Criada como sucessora",
  role: (role) => `Papel: ${role}`,
  permissions: (scopes) => `Permissões: ${scopes}`,
  expires: (when) => `Expira: ${when}`,
  ends: (when) => `A chave antiga termina: ${when}`,
  fromTo: (from, to) => `De ${from} para ${to}`,
};
