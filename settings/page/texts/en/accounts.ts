/** The messaging accounts of a company. */
export const accounts = {
  none: "No number is connected yet.",
  connected: "Connected",
  disconnected: (when: string) => `Disconnected ${when}`,
  connectedSince: "Connected since",
  templates: "Template catalogue",
  templatesRead: "read",
  templatesNeverRead: "not read yet",
  approved: (count: number, shown: string) =>
    count === 1 ? "1 approved template" : `${shown} approved templates`,
  readingsFailed: (count: number) =>
    count === 1 ? "the last reading failed" : `the last ${count} readings failed`,
  lastEvent: "Last event of WhatsApp",
  noEvent: "none yet",
  businessAccount: "Business account",
  phoneNumberId: "Phone number id",
  unknown: "unknown",
  notices: "What WhatsApp says of this number",
  since: (when: string) => `since ${when}`,
  noticeUntil: (until: string) => `until ${until}`,
  trouble: (code: string) => `Trouble ${code}`,
  stopsSending: "Sending is stopped or limited",

  disconnect: "Disconnect",
  disconnectNumber: (phone: string) => `Disconnect ${phone}`,
  disconnectQuestion: (phone: string) => `Disconnect ${phone}?`,
  disconnectMeaning: (phone: string) =>
    `No message can be sent from ${phone} any more, and its access token is deleted at once. Its conversations ` +
    "stay. Only the operator of the platform can connect the number again.",
  isDisconnected: (phone: string) => `${phone} is disconnected.`,
  onlyManagers: "Owners and admins can disconnect a number.",

  connectHeading: "Connect a number",
  connectMeaning:
    "The operator of the platform connects a number, because its access token must not pass through this page. " +
    "This is the command, with the id of your company. It asks for the token.",
  connectFill: "The two values in capitals are those of the number.",
  phoneNumberIdPlace: "PHONE_NUMBER_ID",
  phonePlace: "PHONE_NUMBER",
  copyCommand: "Copy the command",
};

export type AccountsTexts = typeof accounts;
