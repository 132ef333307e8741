import type { Company } from "../../person.ts";

type Role = Company["role"];

/** The texts about the people of a company and their invitations. */
export const members = {
  title: "People of the company",
  lead:
    "Everyone here signs in with their own e-mail address. What a person may do depends on the role.",
  leadForAgents: "Owners and admins invite people and change roles.",
  person: "Person",
  email: "E-mail",
  name: "Name",
  nameHint:
    "Colleagues and programs that use an API key see it. Programs never see the e-mail address.",
  role: "Role",
  roles: {
    owner: { name: "Owner", can: "Manages everything, and also makes or removes owners." },
    admin: { name: "Admin", can: "Manages keys, WhatsApp numbers, agents and other admins." },
    agent: { name: "Agent", can: "Sees messages and WhatsApp numbers, and changes no settings." },
  } as Record<Role, { name: string; can: string }>,
  secondFactor: "Second factor",
  on: "On",
  off: "Off",
  since: "Since",
  actions: "Actions",
  invite: "Invite a person",
  change: "Change",
  changeOf: (name: string) => `Change ${name}`,
  leave: "Leave",
  remove: "Remove from the company",
  pending: "Open invitations",
  noPending: "No open invitations",
  noPendingWhy:
    "A person whom you invite is listed here until they join. The invitation is valid for 7 days.",
  state: "State",
  waiting: "Waiting for an answer",
  notSent: "E-mail not sent",
  expired: "Expired",
  validUntil: "Expires",
  sendAgain: "Send again",
  sendAgainTo: (email: string) => `Send again to ${email}`,
  withdraw: "Withdraw",
  withdrawOf: (email: string) => `Withdraw the invitation of ${email}`,
  sent: (email: string) => `An e-mail is on its way to ${email}.`,
  notMailed: (email: string) =>
    `${email} is invited, but the e-mail could not be sent. Choose “Send again” in a few minutes.`,
  withdrawn: "The invitation is withdrawn.",
  changed: "Saved.",
  removed: "The person no longer works in this company.",
  questions: {
    invite: {
      title: (_name: string) => "Invite a person",
      text: (company: string) =>
        `The person gets an e-mail with a link, and decides whether to join ${company}.`,
      submit: "Send the invitation",
    },
    change: { title: (name: string) => `Change ${name}`, submit: "Save" },
    remove: {
      title: (name: string) => `Remove ${name}?`,
      text: (company: string) =>
        `From now on, the person sees nothing of ${company}. The person's open invitations end too. API keys that the person knows still work: replace them. Webhooks that the person created still send events. If the person knows the app secret of a Meta app, make a new one at Meta and enter it here.`,
      createdWebhooks:
        "The person created these webhooks, which still send events. Check each address, and delete the webhook if you do not need it:",
      submit: "Remove",
    },
    leave: {
      title: (_name: string) => "Leave the company?",
      text: (company: string) =>
        `You will see nothing of ${company} any more. Only an owner or admin can invite you again.`,
      submit: "Leave",
    },
    withdraw: {
      title: (name: string) => `Withdraw the invitation of ${name}?`,
      text: () => "The link in the e-mail no longer lets the person join.",
      submit: "Withdraw",
    },
  },
  rule: {
    title: "Second factor for owners and admins",
    optional: "Owners and admins may sign in with only a password.",
    required:
      "Owners and admins have their rights only after they have entered a code from an app. The database checks this.",
    without: (count: number) =>
      count === 1
        ? "One of them has not set up an app yet."
        : `${count} of them have not set up an app yet.`,
    require: "Require a second factor",
    end: "No longer require it",
    requiredSaid: "A second factor is required now.",
    endedSaid: "A second factor is no longer required.",
  },
  refused: {
    lastOwner: "A company always has an owner. Make another person owner first.",
    isMember: "This person already works in the company.",
    isInvited: "This address is already invited. Choose “Send again” in the list.",
    tooMany: "Your company has sent 20 invitations in 24 hours. Try again tomorrow.",
    tooSoon: "This invitation was sent less than a minute ago. Wait a moment.",
    wrongAddress: "This is not an e-mail address.",
    ownFactorFirst:
      "Set up a second factor for yourself first, under Account, Security. Otherwise you would lock yourself out.",
    removalTooLong:
      "The removal took too long, and nothing was changed. Very many conversations may be assigned to this person. Try again once. If it fails again, ask the operator of the service to remove the person.",
  },
  /** The invitations to the person who reads this. */
  own: {
    by: (name: string, role: string) => `${name} invites you to work here as ${role}.`,
    someone: "Someone",
    name: "Your name in this company",
    nameHint: "This is how colleagues see you. You can leave it empty.",
    join: (company: string) => `Join ${company}`,
    decline: "Decline",
    expires: "The invitation expires",
    joined: (company: string) => `You now work in ${company}.`,
    declined: "You have declined the invitation.",
    none: "No invitations",
    noneWhy: (email: string) =>
      `Nobody has invited ${email}, or the invitation has expired. Ask the person who wanted to invite you.`,
  },
};

export type MembersTexts = typeof members;
