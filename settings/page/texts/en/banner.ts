/** The texts of the banner for a number that cannot send, or a webhook that delivers nothing. */
export const banner = {
  title: "Problems",
  refused: (phone: string, sends: string | null) =>
    sends === null
      ? `WhatsApp refuses ${phone}.`
      : `WhatsApp refuses ${phone} (stopped sends: ${sends}).`,
  restricted: (phone: string) => `WhatsApp limits what ${phone} may send.`,
  token_expired: (phone: string) => `The access token of ${phone} has expired.`,
  token_expires: (phone: string, when: string) => `The access token of ${phone} expires ${when}.`,
  webhookOff: (address: string) => `The webhook to ${address} is off. Nothing is delivered.`,
  webhookFails: (address: string) =>
    `The webhook to ${address} has had no success for over an hour.`,
  more: (count: number) => count === 1 ? "1 more problem." : `${count} more problems.`,
  see: "See what to do",
};

export type BannerTexts = typeof banner;
