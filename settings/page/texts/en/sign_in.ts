export const signIn = {
  signIn: {
    titles: { password: "Sign in", link: "Sign in with a link", reset: "Forgot your password?" },
    leads: {
      password: "Look after the API keys of your company.",
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
      `If ${email} has an account here, an e-mail is on its way. The link works once and only for a while. Look into your spam folder, too.`,
    localMail: "On this machine, e-mails are not sent. Read them here:",
    back: "Back",
    notes: {
      ended: "You are signed out.",
      linkFailed: "This link was used before, or is too old. Ask for a new one below.",
    },
    refused: {
      wrongPassword: "E-mail or password is wrong.",
      notConfirmed:
        "Your e-mail address is not confirmed yet. Open the link in the e-mail that you were sent.",
      banned: "This account is locked. Ask whoever runs this service.",
      weakPassword: "This password is too easy to guess. Choose a longer one.",
      samePassword: "This is your password already. Choose another one.",
      signInAgain: "For this, sign out and sign in again first.",
      wrongEmail: "This is not an e-mail address.",
    },
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
