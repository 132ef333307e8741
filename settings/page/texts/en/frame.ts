export const frame = {
  product: "API settings",
  menu: {
    keys: "API keys",
    webhooks: "Webhooks",
    requests: "Requests",
    sends: "Sends",
    accounts: "WhatsApp",
    templates: "Templates",
    optOuts: "Opt-outs",
    members: "People",
    history: "History",
    security: "Security",
    invitations: "Invitations",
  },
  roles: { owner: "owner", admin: "admin", agent: "agent" },
  people: {
    you: "you",
    former: "someone who has left",
    nameless: (role: string) => `an ${role} without a name`,
  },

  frame: {
    skip: "Skip to the content",
    menu: "Settings",
    menuButton: "Menu",
    language: "Language",
    person: "Account",
    signedInAs: "Signed in as ",
    docs: "Documentation",
    signOut: "Sign out",
    cancel: "Cancel",
    loading: "Loading…",
    tryAgain: "Try again",
    copy: "Copy",
    copied: "Copied.",
    copyByHand:
      "The browser does not let the page copy. The text is selected: press Ctrl+C, or ⌘C on a Mac.",
    nothingHere: "There is nothing here",
    nothingHereText:
      "The settings have no page with this address. The link may be old or incomplete.",
    toFirst: "Go to the first page",
    search: "Search",
    clearFilters: "Clear filters",
    older: "Older",
    /** @param count the number of rows that were added. */
    olderShown: (count: number) => count === 1 ? "1 older entry." : `${count} older entries.`,
    zone: (zone: string) => `Times are in your time zone: ${zone}.`,
    wrongConfig: (member: string | null) =>
      member
        ? `This page is not set up yet: “${member}” in its file config.json is missing or wrong. Tell its operator.`
        : "This page is not set up yet: its file config.json is missing or cannot be read. Tell its operator.",
  },

  companies: {
    locked: "This company requires a second factor",
    lockedText:
      "Owners and admins of this company sign in with a code from an app on their phone. Set up your app now; it takes a minute.",
    setUp: "Set up the app",
    invited: (company: string) => `${company} invites you: answer the invitation`,
    title: "Choose a company",
    lead: "You work in more than one. You can change it at any time.",
    change: "Change company",
    foreign: "You do not work in this company",
    foreignText: (email: string) =>
      `The address belongs to a company that ${email} is not a member of, or it is incomplete. Ask an owner of that company to invite you. These are your companies:`,
    none: "No company yet",
    noneText: (email: string) =>
      `${email} does not belong to a company yet. Ask an owner or admin of your company to invite this address. Then try again.`,
  },

  failure: {
    offline: "No answer came. Check your connection, then try again.",
    unanswered:
      "No answer came, so we do not know whether it was done. Check your connection, then load the page again to find out.",
    signed_out: "Your session had ended. Sign in, then try again.",
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
