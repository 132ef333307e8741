import { escaped } from "../../local/static_files.ts";
import { DEMO_PHONE_NUMBER_ID, displayPhoneNumber } from "../numbers.ts";
import { PEOPLE_MEDIA } from "../people_media.ts";
import { bubble, type HasFile } from "./bubble.ts";
import type { Conversation } from "./conversations.ts";
import { summaryOf } from "./said.ts";

/** The path of a conversation's page. */
function addressOf({ phoneNumberId, person }: Conversation): string {
  return `/sandbox/chat/${phoneNumberId}/${person.userId}`;
}

/** The page that lists the conversations, and lets a person write the first message. */
export function chatsPage(conversations: Conversation[]): string {
  const items = conversations.map((conversation) => {
    const { person, phoneNumberId, entries } = conversation;
    const last = entries.at(-1);
    return `<li id="${escaped(`${phoneNumberId} ${person.userId}`)}">
<a href="${escaped(addressOf(conversation))}">${escaped(person.name)}</a>
<p>${escaped(placeOf(conversation))}</p>
${last ? `<p class="last" dir="auto">${escaped(summaryOf(last).slice(0, 200))}</p>` : ""}
</li>`;
  });
  return page(
    "Chats of the sandbox",
    {},
    `<h1>Chats of the sandbox</h1>
<p>The messages between people and the numbers of the business. They are kept until the stack ends. Times are UTC.</p>
<ol class="chats" data-live>
${items.join("\n")}
</ol>
<h2>Write as a person</h2>
<form>
<label>Number of the business, by its id
<input name="phone_number_id" required inputmode="numeric" value="${DEMO_PHONE_NUMBER_ID}"></label>
<label>Phone of the person <input name="from" required type="tel" value="+14155550123"></label>
<label>Name <input name="name"></label>
<label>Age of the message, in hours
<input name="hours_ago" type="number" min="0" max="168" step="any" value="0"></label>
${message("Hello, is it open today?")}
</form>`,
  );
}

/** The page with one conversation. @param windowEnd in milliseconds. */
export function chatPage(
  conversation: Conversation,
  { now, windowEnd, hasFile }: { now: number; windowEnd: number; hasFile: HasFile },
): string {
  const { phoneNumberId, person, hidesPhone, entries, typingUntil } = conversation;
  const inOrder = entries.toSorted((one, other) => one.at - other.at);
  const told = {
    phone_number_id: phoneNumberId,
    user_id: person.userId,
    ...(person.phone !== null && { from: person.phone }),
    ...(hidesPhone && { hide_phone: true }),
  };
  return page(
    person.name,
    told,
    `<p><a href="/sandbox/chat">All chats</a></p>
<h1>${escaped(person.name)}</h1>
<p>${escaped(placeOf(conversation))}</p>
<p id="state">${typingUntil > now ? "The service is typing … " : ""}${
      windowText(windowEnd, now)
    }</p>
<ol class="bubbles" data-live>
${inOrder.map((entry) => bubble(entry, inOrder, hasFile)).join("\n")}
</ol>
<form>
${message("")}
</form>`,
  );
}

function placeOf({ person, phoneNumberId, hidesPhone }: Conversation): string {
  const phone = person.phone ?? "no phone";
  const whose = `${phone}${hidesPhone ? " (hidden)" : ""}, ${person.userId}`;
  return `${whose}, with ${displayPhoneNumber(phoneNumberId)} (${phoneNumberId})`;
}

function windowText(end: number, now: number): string {
  if (end === -Infinity) return "The person has not written, so only templates arrive.";
  const time = new Date(end).toISOString().slice(0, 16).replace("T", " ");
  return end > now
    ? `The window for free replies is open until ${time}.`
    : `The window for free replies closed at ${time}.`;
}

/** The form fields for a message. @param text the initial text. */
function message(text: string): string {
  const files = Object.keys(PEOPLE_MEDIA).map((name) => `<option>${name}</option>`);
  return `<label>Text, or the caption of the file
<textarea name="text" rows="2">${escaped(text)}</textarea></label>
<label>File <select name="medium"><option value="">none</option>${files.join("")}</select></label>
<button>Send as the person</button>
<p role="alert" id="trouble"></p>`;
}

/** @param told the fields of every request that the page sends as the person. */
function page(title: string, told: object, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/sandbox/chat/page.css">
<script type="module" src="/sandbox/chat/page.js"></script>
<title>${escaped(title)}</title>
</head>
<body data-told="${escaped(JSON.stringify(told))}">
<main>
${main}
<noscript><p>This page needs JavaScript to send messages and to show new ones.</p></noscript>
</main>
</body>
</html>
`;
}
