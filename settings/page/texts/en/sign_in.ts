export const signIn = {
  signIn: {
    titles: {
      expired: "Sign in again",
      password: "Sign in",
      link: "Sign in with a link",
      reset: "Forgot your password?",
      code: "Enter your code",
    },
    leads: {
      password: "Manage API keys and WhatsApp for your company.",
      link: "We send you an e-mail with a link. Open it, and you are signed in.",
      reset: "We send you an e-mail with a link. Open it, and choose a new password.",
      code:
        "One more step: open your app for codes, and enter the code that it shows for this page.",
    },
    email: "E-mail",
    password: "Password",
    code: "Code from the app",
    codeHint:
      "Six digits, which change every 30 seconds. If you have lost your phone, ask the operator of this service.",
    app: "App",
    buttons: {
      password: "Sign in",
      link: "Send the link",
      reset: "Send the link",
      code: "Sign in",
    },
    others: {
      password: "Sign in with the password",
      link: "Send me a link to sign in",
      reset: "I forgot my password",
    },
    sent: (email: string) =>
      `If ${email} has an account here, an e-mail is on its way. Open the link in this browser. It works once and only for a while. Check your spam folder, too.`,
    localMail: "On this machine, e-mails are not sent. Read them here:",
    back: "Back",
    /** The text above a view whose session has ended. */
    expired:
      "Your session has ended. Sign in with your password, and go on here: what you typed is still there.",
    asAnother: "Leave this page",
    notes: {
      ended: "You are signed out.",
      expired: "Your session has ended, so sign in again. Then you come back to this page.",
      linkFailed: "This link was already used, or is too old. Request a new one below.",
      otherBrowser:
        "This link was requested in another browser. Request a new one below, and open it here.",
    },
    refused: {
      wrongPassword: "The e-mail address or password is wrong.",
      notConfirmed:
        "Your e-mail address is not confirmed yet. Open the link in the e-mail that we sent you.",
      banned: "This account is locked. Contact the operator of this service.",
      weakPassword: "This password is too easy to guess. Choose a longer one.",
      longPassword:
        "This password is too long. Choose a shorter one. Letters with accents, and letters of other alphabets, need more room.",
      samePassword: "This is already your password. Choose another one.",
      signInAgain: "Sign out and in again before you do this.",
      wrongEmail: "This is not an e-mail address.",
      wrongCode:
        "This code is not right. Enter the one that the app shows now, and check that the clock of your phone is right.",
      sameName: "You already have an app with this name. Choose another name.",
    },
  },

  /** The question before a link signs a person in. */
  link: {
    titles: { other: "Change to another account?", nobody: "Sign in with this link?" },
    other: (present: string, coming: string) =>
      `You are signed in as ${present}. This link signs in ${coming}.`,
    nobody: (coming: string) => `This link signs in ${coming}.`,
    notAskedFor:
      "No one requested it in this browser. Continue only if this is your account, and you expected the link.",
    stay: (present: string) => `Stay signed in as ${present}`,
    goOn: (coming: string) => `Continue as ${coming}`,
    leave: "Do not sign in",
  },

  password: {
    title: "Choose a new password",
    lead: (email: string) => `For ${email}.`,
    password: "New password",
    hint: (shortest: number) => `At least ${shortest} characters.`,
    show: "Show the password",
    save: "Save",
    done: "Your new password is saved.",
  },
};
