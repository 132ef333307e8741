import { fileOf, type FreeMessage, type SentFile } from "../reply_shape.ts";
import { findTemplate } from "../template_list.ts";
import type { TemplateMessage } from "../message_shape.ts";
import { filled } from "../template_types.ts";
import type { Entry, Received, Sent } from "./conversations.ts";

// The content of a message. Messages of the person and of the service have the same format here.

/** A file in a message. */
export interface ShownFile {
  kind: "image" | "video" | "audio" | "document";
  id?: string;
  /** The URL from which the channel fetches the file. */
  link?: string;
  name?: string;
}

/** The parts of a message, from top to bottom. */
export interface Said {
  title?: string;
  file?: ShownFile;
  text?: string;
  /** Content that the page shows as JSON. */
  data?: { type: string; value: unknown };
  footer?: string;
  /** The id of the message that this message answers. */
  answers?: string;
}

export function saidIn(entry: Entry): Said {
  if (entry.by === "person") return received(entry);
  const { message } = entry;
  return message.type === "template" ? template(message) : free(message);
}

/** A message in one line. */
export function summaryOf(entry: Entry): string {
  const { title, file, text, data } = saidIn(entry);
  return [title, file && `[${file.name ?? file.kind}]`, text, data && `[${data.type}]`]
    .filter((part) => part).join(" ");
}

function received({ content, answers }: Received): Said {
  const { type } = content;
  const own = (content as Record<string, unknown>)[type] as Record<string, unknown>;
  const text = (name: string, of = own) => typeof of[name] === "string" ? of[name] : undefined;
  switch (type) {
    case "text":
      return { text: text("body"), answers };
    case "image":
    case "video":
    case "audio":
    case "document":
      return {
        file: { kind: type, id: text("id"), name: text("filename") },
        ...{ text: text("caption"), answers },
      };
    case "button":
      return { text: text("text"), answers };
    case "interactive": {
      const reply = own[String(own.type)];
      if (typeof reply !== "object" || reply === null) break;
      const chosen = reply as Record<string, unknown>;
      const lines = [text("title", chosen), text("description", chosen)];
      return { text: lines.filter((line) => line).join("\n"), answers };
    }
  }
  return { data: { type, value: own }, answers };
}

function free(message: FreeMessage): Said {
  const { text, interactive, context } = message;
  const file = fileOf(message);
  return {
    ...(file && { file: shown(file.kind, file) }),
    ...(message.type === "reaction" &&
      { data: { type: message.type, value: message.reaction } }),
    text: text?.body ?? interactive?.body.text ?? file?.caption,
    answers: context?.message_id,
  };
}

function template({ template: { name, language, components } }: TemplateMessage): Said {
  const said: Said = {};
  for (const component of findTemplate(name, language.code)?.components ?? []) {
    const sent = components.find(({ type }) => type === component.type.toLowerCase());
    const parameters = sent && "parameters" in sent ? sent.parameters : [];
    const values = Object.fromEntries(
      parameters.flatMap((each, at) =>
        each.type === "text" ? [[each.parameter_name ?? String(at + 1), each.text]] : []
      ),
    );
    if (component.type === "BODY") said.text = filled(component.text, values);
    else if (component.type === "FOOTER") said.footer = component.text;
    else if (component.type === "CAROUSEL") said.data = { type: "carousel", value: sent };
    else if (component.type === "HEADER" && component.format === "TEXT") {
      said.title = filled(component.text, values);
    } else if (component.type === "HEADER") {
      const [parameter] = parameters;
      if (parameter?.type === "location") {
        said.data = { type: "location", value: parameter.location };
      }
      if (parameter?.type === "image") said.file = shown("image", parameter.image);
      if (parameter?.type === "video") said.file = shown("video", parameter.video);
      if (parameter?.type === "document") said.file = shown("document", parameter.document);
    }
  }
  return said;
}

function shown(kind: ShownFile["kind"], { id, link, filename }: SentFile): ShownFile {
  return { kind, id, link, name: filename };
}

/** What happened to a message of the service, in words. */
export function progressOf({ progress }: Sent): string {
  if (typeof progress === "object") return `failed ${progress.failed}`;
  const ticks = { accepted: "", sent: "✓ ", delivered: "✓✓ ", read: "✓✓ " }[progress];
  return ticks + progress;
}
