import type { SentComponent } from "../message_shape.ts";
import type { Message } from "../reply_shape.ts";
import { findTemplate } from "../template_list.ts";
import type { Button } from "../template_types.ts";

/** Something in a message that the person can tap. A tap sends a message to the business. */
export interface Tap {
  /** The id of the button or row. For a template's quick-reply button, the text of the button. */
  id: string;
  title: string;
  description?: string;
  /** The person's message, in the channel's form. */
  content: { type: string };
}

/** What the person can tap in a message, in the order in which the person sees it. */
export function tapsOf(message: Message): Tap[] {
  if (message.type === "template") return quickReplies(message.template);
  const { interactive } = message;
  if (interactive?.type === "button") {
    return interactive.action.buttons.map(({ reply }) => choice("button_reply", reply));
  }
  return interactive?.action.sections.flatMap(({ rows }) =>
    rows.map((row) => choice("list_reply", row))
  ) ?? [];
}

/** The buttons of a template in this language. */
export function buttonsOf(name: string, language: string): Button[] {
  const components = findTemplate(name, language)?.components ?? [];
  return components.flatMap((each) => each.type === "BUTTONS" ? each.buttons : []);
}

/** The value that a send gives for a button of its template. */
export function valueOf(components: SentComponent[], index: number) {
  const sent = components.find((each) => each.type === "button" && Number(each.index) === index);
  return sent?.type === "button" ? sent.parameters[0] : undefined;
}

function choice(
  type: "button_reply" | "list_reply",
  reply: { id: string; title: string; description?: string },
): Tap {
  const content = { type: "interactive", interactive: { type, [type]: reply } };
  return { ...reply, content };
}

function quickReplies(
  { name, language, components }: Extract<Message, { type: "template" }>["template"],
): Tap[] {
  return buttonsOf(name, language.code).flatMap(({ type, text }, index) => {
    if (type !== "QUICK_REPLY") return [];
    const value = valueOf(components, index);
    // If the send has no payload, the channel uses the text of the button as the payload.
    const payload = value?.type === "payload" ? value.payload : text;
    return [{ id: text, title: text, content: { type: "button", button: { payload, text } } }];
  });
}
