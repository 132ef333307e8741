import type { BannerTexts } from "../en/banner.ts";

export const banner: BannerTexts = {
  title: "Problemas",
  refused: (phone, sends) =>
    sends === null
      ? `WhatsApp rechaza ${phone}.`
      : `WhatsApp rechaza ${phone} (envíos detenidos: ${sends}).`,
  restricted: (phone) => `WhatsApp limita lo que ${phone} puede enviar.`,
  token_expired: (phone) => `El token de acceso de ${phone} venció.`,
  token_expires: (phone, when) => `El token de acceso de ${phone} vence ${when}.`,
  webhookOff: (address) => `El webhook a ${address} está desactivado. No se entrega nada.`,
  webhookFails: (address) =>
    `El receptor de ${address} no acepta el webhook desde hace más de una hora.`,
  more: (count) => count === 1 ? "1 problema más." : `${count} problemas más.`,
  see: "Ver qué hacer",
};
