export const optOuts = {
  title: "Opt-outs",
  lead:
    "These people asked for no messages, or for no marketing. Programs and agents cannot send them these messages.",
  search: "Find a person",
  searchHint: "Name or phone",
  every: "All",
  state: "Show",
  counts: "Current",
  lifted: "Lifted",
  person: "Person",
  wish: "Wants",
  how: "How",
  since: "Since",
  change: "Change",
  kinds: { do_not_contact: "No messages", marketing_opt_out: "No marketing" },
  sources: {
    manual: "Set by your company",
    word: "Wrote a stop word",
    button: "Tapped a button",
    preference: "Chose it in WhatsApp",
    status: "WhatsApp refused marketing to this person",
  },
  wrote: "Wrote",
  tapped: "Tapped",
  none: "No one has opted out",
  noneWhy:
    "When a person writes a stop word or taps a stop button, the person appears here, with the words and the time.",
  noneExample: "For example: Ana Souza wrote “STOP” on 3 March at 14:05.",
  noneFound: "No opt-out matches",
  noneFoundWhy: "Try a part of the name or of the phone, or clear the filters.",
  noneLifted: "No opt-out was lifted",
  noneLiftedWhy: "When someone in your company lifts an opt-out, the reason appears here.",
  lift: "Lift",
  liftOf: (person: string) => `Lift the opt-out of ${person}`,
  liftedBy: "Lifted by",
  someone: "A member of the company",
  nameless: "this person",
  erased: "Erased with the person",
  question: (person: string) => `Lift the opt-out of ${person}?`,
  meaning: {
    do_not_contact:
      "Programs and agents of your company can then send messages to this person again.",
    marketing_opt_out:
      "Programs of your company can then send marketing templates to this person again.",
  },
  askedThemselves:
    "The person asked for this. Lift it only if the person has told you that they want messages again.",
  reason: "Reason",
  reasonHint:
    "For example: asked for news at the counter on 3 March. Your company keeps the reason.",
  reasonMissing: "Write down why you lift the opt-out.",
  isLifted: (person: string) => `The opt-out of ${person} is lifted.`,
};

export type OptOutsTexts = typeof optOuts;
