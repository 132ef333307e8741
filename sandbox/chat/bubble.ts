import { escaped } from "../../local/static_files.ts";
import type { Message } from "../reply_shape.ts";
import { filled, variablesOf } from "../template_types.ts";
import type { Entry } from "./conversations.ts";
import { progressOf, saidIn, type ShownFile, summaryOf } from "./said.ts";
import { buttonsOf, type Tap, tapsOf, valueOf } from "./taps.ts";

/** Whether the sandbox has the file with this id. */
export type HasFile = (id: string) => boolean;

const MAX_QUOTE = 120;

/**
 * A chat message as an HTML list item. Everything in the message is shown as plain text.
 *
 * @param entries all messages of the conversation. If this message answers another message, the
 *   item quotes that message.
 */
export function bubble(entry: Entry, entries: Entry[], hasFile: HasFile): string {
  const { title, file, text, data, footer, answers } = saidIn(entry);
  const isSent = entry.by === "service";
  const state = isSent ? progressOf(entry) : entry.isRead ? "read by the service" : "";
  const parts = [
    answers === undefined ? "" : quote(answers, entries),
    title ? `<strong>${escaped(title)}</strong>` : "",
    file ? shownFile(file, hasFile) : "",
    text ? `<p dir="auto">${escaped(text)}</p>` : "",
    data
      ? `<p>${escaped(data.type)}</p><pre>${escaped(JSON.stringify(data.value, null, 2))}</pre>`
      : "",
    footer ? `<p class="footer">${escaped(footer)}</p>` : "",
    isSent ? buttons(entry.id, entry.message) : "",
    reactions(entry),
  ];
  const time = new Date(entry.at).toISOString();
  const isFailed = isSent && typeof entry.progress === "object";
  return `<li id="${escaped(entry.id)}" class="${isSent ? "sent" : "received"}">
${parts.filter((part) => part).join("\n")}
<p class="facts"><time datetime="${time}">${time.slice(0, 16).replace("T", " ")}</time>
<span class="${
    isFailed ? "failed" : isSent && entry.progress === "read" ? "read" : ""
  }">${state}</span></p>
</li>`;
}

function quote(id: string, entries: Entry[]): string {
  const quoted = entries.find((entry) => entry.id === id);
  if (!quoted) return "<blockquote>A message that the sandbox does not know</blockquote>";
  const text = summaryOf(quoted);
  const short = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)} …` : text;
  return `<blockquote><a href="#${escaped(id)}" dir="auto">${escaped(short)}</a></blockquote>`;
}

/** The texts for files without a name. Screen readers read these texts aloud. */
const KINDS = { image: "Picture", video: "Video", audio: "Voice message", document: "Document" };

function shownFile({ kind, id, link, name }: ShownFile, hasFile: HasFile): string {
  const label = escaped(name ?? KINDS[kind]);
  if (link !== undefined) return `<a href="${escaped(link)}" rel="noreferrer">${label}</a>`;
  if (id === undefined || !hasFile(id)) return `<p>${label}, which the sandbox does not have</p>`;
  const address = `/sandbox/chat/media/${encodeURIComponent(id)}`;
  switch (kind) {
    case "image":
      return `<img src="${address}" alt="${label}">`;
    case "video":
      return `<video src="${address}" aria-label="${label}" controls preload="metadata"></video>`;
    case "audio":
      return `<audio src="${address}" aria-label="${label}" controls preload="none"></audio>`;
    case "document":
      return `<a href="${address}" download="${label}">${label}</a>`;
  }
}

function buttons(id: string, message: Message): string {
  const taps = tapsOf(message);
  const tap = (each: Tap) => {
    const description = each.description ? ` <small>${escaped(each.description)}</small>` : "";
    return `<button type="button" data-tap="${escaped(each.id)}" data-answers="${escaped(id)}">${
      escaped(each.title)
    }${description}</button>`;
  };
  if (message.type !== "template") {
    if (message.interactive?.type !== "list") return taps.map(tap).join("\n");
    const { button, sections } = message.interactive.action;
    let next = 0;
    const shown = sections.map(({ title, rows }) =>
      (title ? `<strong>${escaped(title)}</strong>\n` : "") +
      rows.map(() => tap(taps[next++])).join("\n")
    );
    return `<details><summary>${escaped(button)}</summary>\n${shown.join("\n")}\n</details>`;
  }
  const { name, language, components } = message.template;
  return buttonsOf(name, language.code).map((button, index) => {
    const label = escaped(button.text);
    const value = valueOf(components, index);
    if (button.type === "QUICK_REPLY") return tap(taps.find((each) => each.id === button.text)!);
    if (button.type === "PHONE_NUMBER") return `<p>${label}: ${escaped(button.phone_number)}</p>`;
    if (value?.type === "coupon_code") return `<p>${label}: ${escaped(value.coupon_code)}</p>`;
    const suffix = value?.type === "text" ? value.text : "";
    if (button.type !== "URL") return `<p>${label}: ${escaped(suffix)}</p>`;
    const values = Object.fromEntries(variablesOf(button.url).map((each) => [each, suffix]));
    const url = escaped(filled(button.url, values));
    return `<a href="${url}" rel="noreferrer">${label}</a>`;
  }).join("\n");
}

function reactions({ reactions }: Entry): string {
  if (reactions.size === 0) return "";
  const emojis = Array.from(
    reactions,
    ([by, emoji]) => `<span title="from the ${by}">${escaped(emoji)}</span>`,
  );
  return `<p class="reactions">${emojis.join(" ")}</p>`;
}
