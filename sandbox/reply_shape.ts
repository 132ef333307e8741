import * as z from "zod";
import { ANY_MESSAGE, medium, type TemplateMessage } from "./message_shape.ts";

// The schema of a message that is not a template. Such a message reaches a person only within 24
// hours after the person's last message.

/** The id of the message to which this message replies. */
const ANSWERING = { context: z.strictObject({ message_id: z.string() }).optional() };

export const TextMessage = z.object({
  ...ANY_MESSAGE,
  ...ANSWERING,
  type: z.literal("text"),
  text: z.strictObject({
    body: z.string().min(1).max(4096),
    preview_url: z.boolean().optional(),
  }),
});

const CAPTION = { caption: z.string().min(1).max(1024).optional() };
const fileMessage = <Type extends "image" | "video" | "audio" | "document">(
  type: Type,
  parts: z.ZodRawShape,
) =>
  z.object({
    ...ANY_MESSAGE,
    ...ANSWERING,
    type: z.literal(type),
    [type]: medium(parts),
  });

const ImageMessage = fileMessage("image", CAPTION);
const VideoMessage = fileMessage("video", CAPTION);
const AudioMessage = fileMessage("audio", { voice: z.boolean().optional() });
const DocumentMessage = fileMessage("document", {
  ...CAPTION,
  filename: z.string().min(1).max(240).optional(),
});

const areDifferent = (texts: string[]) => new Set(texts).size === texts.length;

const Button = z.strictObject({
  type: z.literal("reply"),
  reply: z.strictObject({ id: z.string().min(1).max(256), title: z.string().min(1).max(20) }),
});
const Row = z.strictObject({
  id: z.string().min(1).max(200),
  title: z.string().min(1).max(24),
  description: z.string().max(72).optional(),
});
const Section = z.strictObject({
  title: z.string().max(24).optional(),
  rows: z.array(Row).min(1).max(10),
});

const InteractiveMessage = z.object({
  ...ANY_MESSAGE,
  ...ANSWERING,
  type: z.literal("interactive"),
  interactive: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("button"),
      body: z.strictObject({ text: z.string().min(1).max(1024) }),
      action: z.strictObject({
        buttons: z.array(Button).min(1).max(3).refine((buttons) =>
          areDifferent(buttons.map(({ reply }) => reply.id)) &&
          areDifferent(buttons.map(({ reply }) => reply.title))
        ),
      }),
    }),
    z.strictObject({
      type: z.literal("list"),
      body: z.strictObject({ text: z.string().min(1).max(4096) }),
      action: z.strictObject({
        button: z.string().min(1).max(20),
        sections: z.array(Section).min(1).max(10).refine((sections) => {
          const rows = sections.flatMap(({ rows }) => rows);
          return rows.length <= 10 && areDifferent(rows.map(({ id }) => id)) &&
            (sections.length === 1 || sections.every(({ title }) => title));
        }),
      }),
    }),
  ]),
});

/** A reaction to the person's message. An empty emoji removes the reaction. */
const ReactionMessage = z.object({
  ...ANY_MESSAGE,
  type: z.literal("reaction"),
  reaction: z.strictObject({
    message_id: z.string().min(1),
    emoji: z.string().max(32).refine((text) => text === "" || isOneEmoji(text)),
  }),
});

/** Whether a text is exactly one emoji. An emoji may consist of several code points. */
function isOneEmoji(text: string): boolean {
  return [...new Intl.Segmenter().segment(text)].length === 1 &&
    /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u{20E3}/u.test(text);
}

/** The schemas of free messages, by type. */
export const FREE_MESSAGES = {
  text: TextMessage,
  image: ImageMessage,
  video: VideoMessage,
  audio: AudioMessage,
  document: DocumentMessage,
  interactive: InteractiveMessage,
  reaction: ReactionMessage,
};

/** A message that is not a template. */
export interface FreeMessage {
  to?: string;
  recipient?: string;
  biz_opaque_callback_data?: string;
  type: keyof typeof FREE_MESSAGES;
  context?: { message_id: string };
  text?: { body: string };
  interactive?: z.output<typeof InteractiveMessage>["interactive"];
  reaction?: z.output<typeof ReactionMessage>["reaction"];
  image?: SentFile;
  video?: SentFile;
  audio?: SentFile;
  document?: SentFile;
}

/** Any message. */
export type Message = TemplateMessage | FreeMessage;

/** The file of a message. */
export interface SentFile {
  id?: string;
  link?: string;
  caption?: string;
  filename?: string;
  voice?: boolean;
}

/** The kinds of messages with a file. */
export const FILE_KINDS = ["image", "video", "audio", "document"] as const;

/** The file of a message, with its kind; undefined when the message has no file. */
export function fileOf(message: FreeMessage) {
  const kind = FILE_KINDS.find((each) => each === message.type);
  return kind && { kind, ...message[kind]! };
}

/** The body of a call that marks a person's message as read. */
export const ReadCall = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: z.string().min(1),
  typing_indicator: z.strictObject({ type: z.literal("text") }).optional(),
});
