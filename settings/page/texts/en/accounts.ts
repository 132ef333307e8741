/** The messaging accounts of a company. */
export const accounts = {
  none: "No number is connected yet.",
  connected: "Connected",
  disconnected: "Disconnected",
  disconnectedOn: "Disconnected on",
  connectedSince: "Connected since",
  templates: "Template catalogue",
  templatesRead: "read",
  templatesNeverRead: "not read yet",
  approved: (count: number, shown: string) =>
    count === 1 ? "1 approved template" : `${shown} approved templates`,
  readingsFailed: (count: number) =>
    count === 1 ? "the last reading failed" : `the last ${count} readings failed`,
  lastEvent: "Last event from WhatsApp",
  noEvent: "none yet",
  businessAccount: "Business account",
  phoneNumberId: "Phone number id",
  unknown: "unknown",
  notices: "What WhatsApp reports about this number",
  since: (when: string) => `since ${when}`,
  noticeUntil: (until: string) => `until ${until}`,
  trouble: (code: string) => `Trouble ${code}`,
  stopsSending: "Sending is stopped or limited",
  /** The meaning of notices, by the channel's word or code. */
  knownNotices: {
    ACCOUNT_RESTRICTION:
      "WhatsApp limits what the business account may send. Appeal in Meta's Business Support Home, or wait.",
    ACCOUNT_VIOLATION: "The business account broke a rule of WhatsApp. A limit may follow.",
    DISABLED_UPDATE:
      "WhatsApp is disabling the business account, or has disabled it. Appeal in Meta's Business Support Home.",
    ACCOUNT_DELETED: "The business account no longer exists. Disconnect the number.",
    PARTNER_REMOVED: "Your company withdrew the access. The number must be connected again.",
    ACCOUNT_OFFBOARDED: "Your company withdrew the access. The number must be connected again.",
    "130429":
      "Messages are sent faster than WhatsApp accepts them. Let the programs send more slowly.",
  },

  disconnect: "Disconnect",
  disconnectNumber: (phone: string) => `Disconnect ${phone}`,
  disconnectQuestion: (phone: string) => `Disconnect ${phone}?`,
  disconnectMeaning: (phone: string) =>
    `Messages can no longer be sent from ${phone}, and its access token is deleted immediately. ` +
    "Its conversations stay. Only the operator of this service can connect the number again.",
  isDisconnected: (phone: string) => `${phone} is disconnected.`,
  onlyManagers: "Owners and admins can disconnect a number.",

  connectHeading: "Connect a number",
  connectMeaning:
    "The operator of this service connects a number, because its access token must not pass " +
    "through this page. This is the command, with the id of your company. It asks for the " +
    "token.",
  connectFill: "Replace the two values in capitals with those of the number.",
  phoneNumberIdPlace: "PHONE_NUMBER_ID",
  phonePlace: "PHONE_NUMBER",
  copyCommand: "Copy the command",
};

export type AccountsTexts = typeof accounts;
