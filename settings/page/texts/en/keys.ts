export const keys = {
  scopes: {
    read: {
      name: "Read",
      allows: "Sees contacts, deals, conversations, messages and templates. Changes nothing.",
    },
    write: {
      name: "Write",
      allows:
        "Creates and changes contacts, deals, pipelines and conversations. Can also merge and erase contacts, which cannot be undone.",
    },
    messaging: {
      name: "Messages",
      allows: "Sends WhatsApp messages in your company’s name: templates and replies.",
    },
    webhooks: {
      name: "Webhooks",
      allows:
        "Sends what happens in your company to another address, and keeps sending after the program has ended. Only for programs that set up webhooks: webhooks send out everything that Read shows.",
    },
  },

  expiries: {
    never: "Never",
    month: "In 30 days",
    quarter: "In 90 days",
    year: "In a year",
    date: "On a day of your choice",
  },

  overlaps: {
    0: {
      name: "Stop it now",
      hint:
        "When someone else may know it. Programs that use it are refused until they have the new one. Webhooks that it made are switched off.",
    },
    1: { name: "One more hour", hint: "When you change the program right away." },
    24: { name: "24 more hours", hint: "When you change it today." },
    168: { name: "7 more days", hint: "When someone else has to change it." },
  },

  keys: {
    title: "API keys",
    lead: "A key lets a program work with your company’s data. Give each program its own.",
    one: "API key",
    create: "Create a key",
    make: "Create key",
    none: "No API keys yet",
    noneWhy:
      "A program needs a key before it can read contacts or send messages for your company. Create one for each program.",
    noneExample: "For example: “Web shop” with Read and Messages, or “Reports” with Read only.",
    noneFound: "No key has this name.",
    find: "Find a key",
    ended: (count: number) => `Expired keys (${count})`,
    agents: (company: string) => `Only owners and admins of ${company} manage its API keys.`,
    whoMay: "Ask one of them:",
    name: "Name",
    nameHint: "What is it for? For example: web shop.",
    nameMissing: "Give the key a name.",
    nameTooLong: "A name has at most 100 characters.",
    scopes: "Permissions",
    scopesHint: "Choose only what the program needs. No permission includes another.",
    scopesMissing: "Choose at least one permission.",
    expiry: "Expires",
    lastDay: "Last day",
    dateMissing: "Choose a day in the future.",
    neverExpires: "never",
    lastUse: "Last used",
    neverUsed: "never",
    createdBy: "Created by",
    madeByPlatform: "the operator of this service",
    states: { active: "Active", off: "Switched off", expired: "Expired" },
    ends: (when: string) => `Expires ${when}`,
    replacedBy: "Replaced by",
    replacing: "Replaces",
    facts: "About this key",
    key: "Key",
    keyHint: "The whole key was shown once, and cannot be shown again.",
    changes: "Change it",
    switchOn: "Switch on",
    switchedOn: "The key is switched on again.",
    back: "All keys",
    gone: "This company does not have this key. It may have been deleted.",
    replacedBefore:
      "This key was already replaced. Load the page again, and look for its successor.",
    maybeMade:
      "No answer came, so we do not know whether the key was made. Look at the list of keys: delete one that you did not mean to make, and create a new one.",
  },

  /** Why someone must look at a key, and what to do. */
  alarms: {
    onlyErrors: {
      badge: "Only errors",
      todo: (count: number, shown: string) =>
        count === 1
          ? "The only request of the last 72 hours was answered with an error. Open the key to see what to change."
          : `All ${shown} requests of the last 72 hours were answered with an error. Open the key to see what to change.`,
    },
    expiresSoon: {
      badge: (when: string) => `Expires ${when}`,
      todo: "Replace the key before then, or change its expiry. Otherwise its program stops.",
    },
    neverUsed: {
      badge: "Never used",
      todo: "No program has used this key yet. Store it in its program, or delete it.",
    },
  },

  once: {
    title: "Here is the new key",
    lead:
      "Copy it now and store it where your program reads it. We do not keep it, so no one can show it to you again.",
    theKey: "The new key",
    copyKey: "Copy the key",
    stored: "I have stored it",
    tryIt: "Try it",
    tryLead: "Paste a line into a terminal. It contains the key, so do not show it to anyone.",
    readLine: "Read a contact",
    writeLine: "Create a contact named Test",
    sendLine: (template: string) => `Send the template “${template}” to this number`,
    phone: "Your WhatsApp number",
    phoneHint: "With + and the country’s code. The message is really sent to this number.",
    phoneHintLocal: "Use any number: on this machine, an imitation of WhatsApp gets the message.",
    noTemplate:
      "To send a first message, your company needs a connected WhatsApp account with an approved template. There is none yet.",
    readOn: "How to use the API",
    leaveTitle: "Have you stored the key?",
    leaveText: "After you leave, it cannot be shown again.",
    stay: "Go back to it",
    leave: "I have stored it, leave",
  },

  change: {
    /**
     * Warnings before one key of a pair ends. @param ends when the older key expires; null if it
     * never expires.
     */
    hasSuccessor: (hint: string, ends: string | null) =>
      `The key ${hint} has replaced this one, which works until ${
        ends ?? "someone ends it"
      }. A program that still uses this one is refused at once.`,
    hasDeadSuccessor: (hint: string, _ends: string | null) =>
      `The key ${hint} has replaced this one, but does not work. After this change, no key of this pair works.`,
    isSuccessor: (hint: string, ends: string | null) =>
      `This key replaces ${hint}, which works only until ${
        ends ?? "someone ends it"
      }. After that, no key of this pair works.`,
    isOnlyKey: (hint: string, _ends: string | null) =>
      `This key replaces ${hint}, which no longer works. After this change, no key of this pair works.`,
    expiry: {
      button: "Change expiry",
      title: "Change when the key expires",
      text: "After this time, programs that use the key are refused.",
      now: (when: string | null) => `Current expiry: ${when ?? "never"}`,
      submit: "Change expiry",
      done: "The expiry is changed.",
    },
    rename: {
      button: "Rename",
      title: "Rename the key",
      submit: "Rename",
      done: "The key has its new name.",
    },
    switchOff: {
      button: "Switch off",
      title: "Switch the key off?",
      text: "Programs that use it are refused immediately, until you switch it on again.",
      submit: "Switch off",
      done: "The key is switched off.",
    },
    rotate: {
      button: "Replace",
      title: "Replace the key",
      text:
        "You get a new key with the same name and permissions. The old one works as long as you choose, so that the program can switch without an interruption.",
      overlap: "The old key",
      stopsWebhooks:
        "“Stop it now” also switches off these webhooks, which the key made. Check each address before you switch a webhook on again:",
      submit: "Create the new key",
    },
    delete: {
      button: "Delete",
      title: "Delete the key?",
      text:
        "Programs that use it are refused immediately. This cannot be undone. If you are not sure, switch the key off first.",
      typeName: (name: string) => `To be sure, type: ${name}`,
      otherName: "This is not the name of the key. Type it exactly as it is shown above.",
      submit: "Delete permanently",
      done: "The key is deleted.",
    },
  },
};
