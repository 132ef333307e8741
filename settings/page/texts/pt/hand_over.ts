import type { HandOverTexts } from "../en/hand_over.ts";

export const handOver: HandOverTexts = {
  title: "Para quem programa",
  lead: "Envie este texto à pessoa que conecta o programa. A chave não está nele.",
  text: "Texto para enviar",
  copy: "Copiar o texto para quem programa",
  greeting: (company) => `Você já pode conectar um programa à API de ${company}.`,
  address: "Endereço",
  docs: "Documentação",
  key: "Chave",
  scopes: "O que a chave permite",
  test: "Este comando testa a chave",
  howItComes: (email) =>
    `A chave vem separada, por um gerenciador de senhas. Não a envie por e-mail nem por chat. Dúvidas: ${email}`,
};
