/** The texts about the messaging accounts of a company. */
export const accounts = {
  none: "No number is connected yet",
  noneMeaning:
    "Programs send WhatsApp messages from a number of your company. Connect a number that is in your " +
    "WhatsApp Business account at Meta.",
  noneForAgents: "An owner or admin of your company connects a number.",
  disconnected: "Disconnected",
  disconnectedMeaning:
    "Nothing can be sent from this number. Its conversations stay. To use it again, connect it with an access token.",
  disconnectedOn: "Disconnected on",
  connectedSince: "Connected since",
  /** The state of a number as a whole. */
  states: { works: "Works", attention: "Needs attention", stopped: "Sends are stopped" },
  templates: "Templates",
  templatesRead: "updated",
  templatesNeverRead: "being read for the first time; this takes a few minutes",
  approved: (count: number, shown: string) => count === 1 ? "1 approved" : `${shown} approved`,
  readingsFailed: (count: number) =>
    count === 1 ? "the last update failed" : `the last ${count} updates failed`,
  businessAccount: "Business account id",
  phoneNumberId: "Phone number id",
  unknown: "unknown",
  asked: (ago: string) => `checked ${ago}`,
  since: (when: string) => `since ${when}`,
  noticeUntil: (until: string) => `until ${until}`,

  token: {
    name: "Access token",
    works: "Works",
    refused: "WhatsApp refuses it",
    expired: "Expired",
    expires: "Expires soon",
    neverEnds: "no expiry known",
    ends: (when: string) => `until ${when}`,
    renew: "Make a new token in Meta’s Business Settings and enter it here.",
  },
  restriction: {
    name: "Restrictions",
    none: "None reported",
    limited: "WhatsApp limits this account",
  },
  quality: {
    name: "Quality",
    high: "High",
    medium: "Medium",
    low: "Low",
    unknown: "Not known yet",
    whatToDo:
      "People block or report messages of this number. Send less marketing, and only to people who asked for it.",
  },
  limit: {
    name: "Messaging limit",
    people: (count: string) => `${count} people in 24 hours`,
    unlimited: "No limit",
    unknown: "Not known yet",
  },
  events: {
    name: "Replies and reports",
    arrive: "Arrive",
    last: (ago: string) => `the last one ${ago}`,
    none: "None yet",
    noApp: "Do not arrive",
    whatToDoNone:
      "Write a message to this number. If nothing arrives within a minute, the app at Meta is not subscribed to the business account.",
    whatToDoApp:
      "No app delivers replies and reports. Add the app of your company below, or ask the operator of this service.",
  },
  jobs: {
    name: "Background jobs",
    run: "Run",
    late: "Stopped",
    never: "Have not run yet",
    soon: "Will run in a few minutes",
    whatToDo:
      "Tell the operator of this service. Until then, templates and reports are out of date.",
  },

  notices: "What WhatsApp reports about this number",
  trouble: (code: string) => `Problem ${code}`,
  code: (code: string) => `WhatsApp’s code: ${code}.`,
  stopsSending: "Sends are stopped or limited",
  stoppedSends: (count: number, shown: string) =>
    count === 1 ? "1 send was stopped." : `${shown} sends were stopped.`,
  readingRefused: "WhatsApp refuses to list the templates",
  /** Why WhatsApp refuses the account, and what to do. */
  causes: {
    token: {
      title: "WhatsApp refuses the access token",
      whatToDo:
        "The token has expired or was withdrawn. Make a new one in Meta’s Business Settings, under System users, and enter it here.",
    },
    permission: {
      title: "The access token lacks a permission",
      whatToDo:
        "Make a new token with whatsapp_business_messaging and whatsapp_business_management, for this business account, and enter it here.",
    },
    payment: {
      title: "The payment at Meta failed",
      whatToDo:
        "Add a valid payment method in Meta’s Billing Hub. Sends work again without a change here.",
    },
    policy: {
      title: "WhatsApp has locked or limited the account",
      whatToDo: "See the reason in Meta’s Business Support Home. You can appeal there.",
    },
    number: {
      title: "WhatsApp does not accept the number",
      whatToDo:
        "In WhatsApp Manager, check that the number is registered and that its name is approved.",
    },
    unusable: {
      title: "The stored access token cannot be read",
      whatToDo: "Enter the token again. If this does not help, tell the operator of this service.",
    },
    other: {
      title: "WhatsApp refuses the account",
      whatToDo: "See the account in Meta’s Business Support Home.",
    },
  },
  /** The titles of notices. Each key is the channel's name for an event, or an error code. */
  noticeTitles: {
    ACCOUNT_RESTRICTION: "WhatsApp limits the account",
    ACCOUNT_VIOLATION: "The account broke a rule of WhatsApp",
    DISABLED_UPDATE: "WhatsApp disables the account",
    ACCOUNT_DELETED: "The business account was deleted",
    PARTNER_REMOVED: "The access was withdrawn",
    ACCOUNT_OFFBOARDED: "The access was withdrawn",
    "130429": "Messages are sent too fast",
  },
  /** The meaning of notices, and what to do. */
  knownNotices: {
    ACCOUNT_RESTRICTION:
      "WhatsApp limits what the account may send. Appeal in Meta’s Business Support Home, or wait.",
    ACCOUNT_VIOLATION: "A limit may follow. See the rule in Meta’s Business Support Home.",
    DISABLED_UPDATE: "Appeal in Meta’s Business Support Home.",
    ACCOUNT_DELETED: "Disconnect the number. You can connect it through its new business account.",
    PARTNER_REMOVED:
      "Your company withdrew the access at Meta. Enter a new token to connect again.",
    ACCOUNT_OFFBOARDED:
      "Your company withdrew the access at Meta. Enter a new token to connect again.",
    "130429": "Let the programs send more slowly.",
  },

  newToken: "Enter a new token",
  newTokenFor: (phone: string) => `Enter a new token for ${phone}`,
  connectAgain: "Connect again",
  connectAgainNumber: (phone: string) => `Connect again: ${phone}`,
  disconnect: "Disconnect",
  disconnectNumber: (phone: string) => `Disconnect ${phone}`,
  disconnectQuestion: (phone: string) => `Disconnect ${phone}?`,
  disconnectMeaning: (phone: string) =>
    `Nothing can be sent from ${phone} until someone connects it again, with an access token.`,
  disconnectStops: [
    "Programs that send from this number get an error.",
    "The access token is deleted now.",
    "Messages that people write wait for 30 days, and then they are lost.",
    "Conversations, templates and the history stay.",
  ],
  typeNumber: (phone: string) => `To confirm, type the number: ${phone}`,
  otherNumber: (phone: string) => `This is not the number. Type ${phone}.`,
  isDisconnected: (phone: string) => `${phone} is disconnected.`,
  onlyManagers: "Owners and admins connect and disconnect numbers.",

  connect: "Connect a number",
  connectIntro:
    "You need the number’s id and an access token from Meta. We ask WhatsApp whether the token can use the number.",
  where: "Where do I find these?",
  whereSteps: [
    "Open WhatsApp Manager at business.facebook.com and choose API setup. It shows the phone number id.",
    "Open Business Settings, then System users. Choose a user with full access to the WhatsApp account.",
    "Choose Generate token, your app, and the permissions whatsapp_business_messaging and whatsapp_business_management. Choose Never under expiry.",
    "Copy the token. Meta shows it only once.",
  ],
  numberId: "Phone number id",
  numberIdHint: "Digits only, for example 106540352242922. It is not the phone number.",
  accessToken: "Access token",
  accessTokenHint: "It is stored encrypted and never shown again.",
  businessId: "Business account id",
  optional: "optional",
  businessIdHint:
    "Needed only if WhatsApp does not name it. WhatsApp Manager shows it as WhatsApp Business account ID.",
  app: "App that delivers replies",
  usualApp: "The same app as now",
  submit: "Check and connect",
  checking: "Asking WhatsApp…",
  idMissing: "Enter the id: digits only.",
  tokenMissing: "Paste the token, without spaces or line breaks.",
  isConnected: (phone: string) => `${phone} is connected.`,
  hasNewToken: (phone: string) => `${phone} has the new token.`,
  /**
   * Why WhatsApp does not confirm the account, by the reason that the function settings returns.
   */
  reasons: {
    token_invalid:
      "WhatsApp does not accept this token. Copy it again from Meta, complete and without spaces.",
    token_expired: "This token has expired. Make a new one in Meta’s Business Settings.",
    permission_missing:
      "This token lacks a permission. Make one with whatsapp_business_messaging and whatsapp_business_management.",
    number_unknown:
      "WhatsApp has no number with this id that the token may use. The id is neither the phone number nor the id of the business account.",
    number_of_another_account: "The number is not in this business account. Check both ids.",
    business_account_unknown:
      "WhatsApp does not name the business account of the number. Enter its id below.",
    refused_otherwise: "WhatsApp refuses this account. See it in Meta’s Business Support Home.",
  },
  channelDown: "WhatsApp does not answer now. Nothing was stored. Try again in a few minutes.",
  numberTaken: "This number is connected to another company. It must be disconnected there first.",

  apps: "Apps of your company",
  appsMeaning:
    "An app at Meta delivers replies and reports. If your company has its own app, add it here. Otherwise the operator’s app is used.",
  addApp: "Add an app",
  appName: "Name",
  appNameHint: "The name that you use for it, for example “Our app”.",
  appSecret: "App secret",
  appSecretHint:
    "In Meta’s App Dashboard, under App settings, Basic. It is stored encrypted and never shown again.",
  verifyToken: "Verify token",
  verifyTokenHint: "Choose a text of at least 8 characters. You enter the same text at Meta.",
  secretMissing: "Enter 8 to 255 characters without spaces.",
  nameMissing: "Enter a name.",
  nameWrong: "The name is too long, or has characters that cannot be seen. Type it again.",
  appAdded: (name: string) =>
    `${name} is added. Enter the callback URL and the verify token at Meta.`,
  callback: "Callback URL",
  callbackHint: "Enter it at Meta under WhatsApp, Configuration, with the verify token.",
  copyCallback: "Copy the callback URL",
  newSecret: "New secret",
  newSecretFor: (name: string) => `New secret for ${name}`,
  newSecretMeaning:
    "From now on, both secrets are accepted. When Meta uses the new one, end the old secret here.",
  saveSecret: "Save the secret",
  secretSaved: "Both secrets are accepted now.",
  rotatingSince: (when: string) => `Two secrets have been accepted since ${when}.`,
  endOldSecret: "End the old secret",
  oldSecretEnded: "Only the new secret is accepted now.",
  tooManyApps: "A company has at most 10 apps. Ask the operator of this service to delete one.",
};

export type AccountsTexts = typeof accounts;
