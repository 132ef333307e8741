export const signIn = {
  signIn: {
    titles: { password: "Sign in", link: "Sign in with a link", reset: "Forgot your password?" },
    leads: {
      password: "Manage the API keys of your company.",
      link: "We send you an e-mail with a link. Open it, and you are signed in.",
      reset: "We send you an e-mail with a link. Open it, and choose a new password.",
    },
    email: "E-mail",
    password: "Password",
    buttons: { password: "Sign in", link: "Send the link", reset: "Send the link" },
    others: {
      password: "Sign in with the password",
      link: "Send me a link to sign in",
      reset: "I forgot my password",
    },
    sent: (email: string) =>
      `If ${email} has an account here, an e-mail is on its way. Open the link in this browser. It works once and only for a while. Look into your spam folder, too.`,
    localMail: "On this machine, e-mails are not sent. Read them here:",
    back: "Back",
    notes: {
      ended: "You are signed out.",
      linkFailed: "This link was already used, or is too old. Ask for a new one below.",
      otherBrowser:
        "This link was not asked for in this browser. Ask for a new one below, and open it here.",
    },
    refused: {
      wrongPassword: "The e-mail address or password is wrong.",
      notConfirmed:
        "Your e-mail address is not confirmed yet. Open the link in the e-mail that we sent you.",
      banned: "This account is locked. Ask the operator of this service.",
      weakPassword: "This password is too easy to guess. Choose a longer one.",
      samePassword: "This is already your password. Choose another one.",
      signInAgain: "For this, sign out and sign in again first.",
      wrongEmail: "This is not an e-mail address.",
    },
  },

  /** The question before a link signs a person in. */
  link: {
    titles: { other: "Change to another account?", nobody: "Sign in with this link?" },
    other: (present: string, coming: string) =>
      `You are signed in as ${present}. This link signs in ${coming}.`,
    nobody: (coming: string) => `This link signs in ${coming}.`,
    notAskedFor:
      "Nobody asked for it in this browser. Go on only if this is you, and you expected it.",
    stay: (present: string) => `Stay signed in as ${present}`,
    goOn: (coming: string) => `Continue as ${coming}`,
    leave: "Do not sign in",
  },

  password: {
    title: "Choose a new password",
    lead: (email: string) => `For ${email}.`,
    password: "New password",
    hint: (shortest: number) => `At least ${shortest} characters.`,
    show: "Show it",
    save: "Save",
    done: "Your new password is saved.",
  },
};
