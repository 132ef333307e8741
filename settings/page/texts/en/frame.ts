export const frame = {
  product: "API settings",
  menu: { keys: "Keys", accounts: "WhatsApp", history: "History" },
  roles: { owner: "owner", admin: "admin", agent: "agent" },
  people: {
    you: "you",
    former: "someone who has left",
    nameless: (role: string) => `an ${role} without a name`,
  },

  frame: {
    skip: "Skip to the content",
    menu: "Settings",
    language: "Language",
    person: "Account",
    signedInAs: "Signed in as ",
    docs: "Documentation",
    signOut: "Sign out",
    cancel: "Cancel",
    loading: "Loading …",
    tryAgain: "Try again",
    copy: "Copy",
    copied: "Copied.",
    copyByHand:
      "The browser does not let the page copy. The text is selected: press Ctrl+C, or ⌘C on a Mac.",
    wrongConfig: (member: string | null) =>
      member
        ? `This page is not set up yet: “${member}” in its file config.json is missing or wrong. Tell its operator.`
        : "This page is not set up yet: its file config.json is missing or cannot be read. Tell its operator.",
  },

  companies: {
    title: "Choose a company",
    lead: "You work in more than one. You can change it at any time.",
    change: "Change company",
    none: "No company yet",
    noneText: (email: string) =>
      `${email} does not belong to a company yet. Ask the operator of this service to add you. Then try again.`,
  },

  failure: {
    offline: "No answer came. Check your connection, then try again.",
    unanswered:
      "No answer came, so we do not know whether it was done. Check your connection, then load the page again to see.",
    signed_out: "Your session has ended. Sign in again.",
    forbidden:
      "You may not do this. Only owners and admins of the company may do this; perhaps your role " +
      "was changed.",
    gone: "This no longer exists. Someone may have deleted it.",
    conflict: "Someone else has just changed this. Load the page again to see the change.",
    invalid: "This was not accepted.",
    too_many: "You tried too often in a short time. Wait a minute, then try again.",
    server: "Something went wrong on our side, and nothing was changed. Try again in a minute.",
    unknown: "Something unexpected went wrong. Load the page again.",
    withDetail: (sentence: string, detail: string) => `${sentence} (${detail})`,
  },
};
