import type { HandOverTexts } from "../en/hand_over.ts";

export const handOver: HandOverTexts = {
  title: "Para quien programa",
  lead: "Envía este texto a la persona que conecta el programa. La clave no está en él.",
  text: "Texto para enviar",
  copy: "Copiar el texto para quien programa",
  greeting: (company) => `Ya puedes conectar un programa a la API de ${company}.`,
  address: "Dirección",
  docs: "Documentación",
  key: "Clave",
  scopes: "Lo que permite la clave",
  test: "Este comando prueba la clave",
  howItComes: (email) =>
    `La clave llega por separado, en un gestor de contraseñas. No la envíes por correo ni por chat. Preguntas: ${email}`,
};
