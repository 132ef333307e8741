/** The texts of the log of sends. */
export const sends = {
  log: "All sends",
  found: "What the filters find",
  none30: "No send in the last 30 days",
  sent: (count: number, shown: string) =>
    `${shown} ${count === 1 ? "send" : "sends"} in the last 30 days`,
  newest: (shown: string) => `The newest ${shown} sends`,
  allArrived: (sends: string) => `${sends}, all arrived`,
  someLost: (sends: string, shown: string) => `${sends}, ${shown} did not arrive`,
  someReleased: (sends: string, shown: string) => `${sends}, ${shown} not accepted by WhatsApp`,
  someOpen: (sends: string, shown: string) => `${sends}, ${shown} still on the way`,
  outcomes: {
    read: { name: "Read", hint: "the person opened the message" },
    delivered: { name: "Delivered", hint: "it reached the person’s phone" },
    accepted: { name: "On its way", hint: "WhatsApp has it, and has not reported that it arrived" },
    pending: { name: "In progress", hint: "WhatsApp has not answered yet" },
    released: {
      name: "Not accepted",
      hint: "WhatsApp could not take it; the program may try again",
    },
    refused: { name: "Refused", hint: "WhatsApp refused it at once" },
    expired: {
      name: "Expired",
      hint: "WhatsApp stopped trying, and never reported that it arrived",
    },
    failed: { name: "Failed", hint: "WhatsApp could not deliver it, or never answered" },
  },
  why: "Why messages did not arrive",
  table: "The numbers: sends by day and by outcome",
  days: "A send counts on the day when it was first requested, in your time zone.",
  newestOnly: (shown: string, day: string) =>
    `Only the newest ${shown} sends are counted. The oldest of them is from ${day}.`,

  search: "Search",
  searchHint: "Name, phone or template",
  searchHintOfManagers: "Name, phone, template or key",
  outcome: "Outcome",
  reason: "Reason",
  period: "Period",
  onDay: "Day",
  any: "Any",
  anyTime: "Any time",
  lastDays: (days: number) => `Last ${days} days`,

  person: "Person",
  message: "Message",
  author: "Sent by",
  at: "Requested",
  reply: "Reply",
  erased: "Erased person",
  nameless: "No name",
  authors: {
    key: "an API key",
    member: "a colleague",
    agent: "the AI agent",
    system: "the system",
    platform: "the platform",
  },

  none: "No sends yet",
  noneWhy:
    "This list fills by itself when one of your programs sends a template, or when someone answers a person. " +
    "For that, a program needs a key with the permission to send messages.",
  noneWhyOfAgents:
    "This list fills by itself when a program of your company sends a message, or when someone answers a person.",
  toKeys: "Go to the keys",
  guide: "How programs send",
  example: "It will look like this:",
  exampleRow: "Ada Lovelace · order_update · Delivered · today, 09:41",
  noneFound: "No send matches",
  noneFoundWhy:
    "Check the spelling, or use fewer filters. You can type a phone in any form, or only a part of it.",
  noneFoundYet: "None of the newest sends match. Older ones may.",
  showAll: "Show all sends",
  lookedBack: (day: string) => `All sends since ${day} were searched.`,
  lookFurther: "Look further back",

  /** Why a message did not arrive, in a few words. */
  reasons: {
    no_whatsapp: "No WhatsApp on this phone",
    marketing_limit: "WhatsApp’s limit for marketing",
    test_recipient: "Not a test recipient",
    recipient_unreachable: "Person cannot be reached",
    recipient_opted_out: "Person stopped marketing",
    window_closed: "More than 24 hours since the person wrote",
    template_missing: "No such template",
    template_paused: "Template is paused",
    template_values: "Values do not fit the template",
    media: "Image or file not accepted",
    template_rejected: "WhatsApp did not accept the content",
    too_fast: "Too many messages at once",
    channel_unavailable: "WhatsApp did not answer",
    channel_account_error: "WhatsApp refuses your number",
    outcome_unknown: "WhatsApp never answered",
    claim_unanswered: "Interrupted",
    channel_error: "Another error of WhatsApp",
  },
};

export type SendsTexts = typeof sends;
