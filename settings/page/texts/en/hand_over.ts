export const handOver = {
  title: "For the developer",
  lead: "Send this text to the person who connects the program. The key is not in it.",
  text: "Text to send",
  copy: "Copy the text for the developer",
  greeting: (company: string) => `You can now connect a program to the API of ${company}.`,
  address: "Address",
  docs: "Documentation",
  key: "Key",
  scopes: "What the key may do",
  test: "This command tests the key",
  howItComes: (email: string) =>
    `The key itself comes separately, through a password manager. Do not send it by e-mail or chat. Questions: ${email}`,
};

export type HandOverTexts = typeof handOver;
