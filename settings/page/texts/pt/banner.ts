import type { BannerTexts } from "../en/banner.ts";

export const banner: BannerTexts = {
  title: "Problemas",
  refused: (phone, sends) =>
    sends === null
      ? `O WhatsApp recusa ${phone}.`
      : `O WhatsApp recusa ${phone} (envios impedidos: ${sends}).`,
  restricted: (phone) => `O WhatsApp limita o que ${phone} pode enviar.`,
  token_expired: (phone) => `O token de acesso de ${phone} expirou.`,
  token_expires: (phone, when) => `O token de acesso de ${phone} expira ${when}.`,
  webhookOff: (address) => `O webhook para ${address} está desativado. Nada é entregue.`,
  webhookFails: (address) => `O destino ${address} não aceita o webhook há mais de uma hora.`,
  more: (count) => count === 1 ? "Mais 1 problema." : `Mais ${count} problemas.`,
  see: "Ver o que fazer",
};
