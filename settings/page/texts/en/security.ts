/** The texts of the view where a person changes how they sign in. */
export const security = {
  lead: (email: string) => `How you sign in as ${email}.`,
  password: {
    title: "Password",
    text: "A new password ends all other sessions.",
  },
  factors: {
    title: "Second factor",
    on: "On",
    off: "Off",
    textOff:
      "With a code from an app on your phone, someone who learns your password still cannot sign in.",
    textOn:
      "At each sign-in, the page asks for the code of one of these apps. Set up a second one on another device: if you lose your only one, only the operator of this service can help you.",
    name: "Name of the app or device",
    nameHint: "Any app for codes works, such as a password manager. The name is only for you.",
    usualName: "Phone",
    setUp: "Set up",
    setUpAnother: "Set up another app",
    scan: "Scan this picture",
    scanText: "Open your app for codes, add an account, and point the camera at the picture.",
    picture: "QR code for your app",
    cannotScan: "I cannot scan it",
    typeSecret: "Type this key into the app. It is for codes that change with time:",
    finish: "Finish",
    added: "Your second factor is on. All other sessions have ended.",
    since: "Since",
    nameless: "App without a name",
    remove: "Remove",
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText: "Codes of this app are no longer accepted. Your other apps still work.",
    removeLastText:
      "After that, your password alone is enough to sign in. A company that requires a second factor no longer lets you manage it.",
    removed: "The app is removed.",
  },
  sessions: {
    title: "Where you are signed in",
    text:
      "If you do not recognize a session, end it and choose a new password. The times shown here may be up to an hour old.",
    current: "This browser",
    lastUsed: "last used",
    begun: "since",
    from: (address: string) => `from ${address}`,
    unknown: "Unknown device",
    end: "End",
    endOf: (device: string) => `End the session of ${device}`,
    ended: "The session has ended.",
    endOthers: "End all other sessions",
    othersEnded: "All other sessions have ended.",
  },
};

export type SecurityTexts = typeof security;
