import { fileURLToPath } from "node:url";
import { http, HttpResponse } from "msw";
import { answerFile, HEADERS } from "../../local/static_files.ts";
import type { MediaContent } from "../media.ts";
import type { Person } from "../people.ts";
import type { Conversations } from "./conversations.ts";
import { chatPage, chatsPage } from "./page.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** The pages load nothing from elsewhere, and run only the script of this folder. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "media-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'";

export interface ChatOptions {
  conversations: Conversations;
  /** The file with this id, as the people in the chat see it; null when the sandbox has none. */
  contentOf(id: string): MediaContent | null;
  /** Until when free replies to the person are allowed, in milliseconds. */
  windowEnd(person: Person, phoneNumberId: string): number;
  /** The sandbox's clock, in milliseconds. */
  now: () => number;
}

/** The pages that show the conversations of the sandbox as chats, with their files. */
export function chatHandlers({ conversations, contentOf, windowEnd, now }: ChatOptions) {
  return [
    http.get("*/sandbox/chat", () => html(chatsPage(conversations.all()))),
    ...["page.css", "page.js"].map((name) =>
      http.get(
        `*/sandbox/chat/${name}`,
        ({ request }) => answerFile(request, FOLDER, name, "/sandbox/chat/"),
      )
    ),
    http.get("*/sandbox/chat/media/:id", ({ params }) => {
      const content = contentOf(String(params.id));
      return content ? file(content) : new HttpResponse("Not Found", { status: 404 });
    }),
    http.get("*/sandbox/chat/:phone_number_id/:user_id", ({ params }) => {
      const { phone_number_id, user_id } = params;
      const conversation = conversations.of(String(phone_number_id), String(user_id));
      if (!conversation) {
        const message = "The sandbox has no such chat. GET /sandbox/chat lists all chats";
        return HttpResponse.json({ message }, { status: 404 });
      }
      const facts = {
        now: now(),
        windowEnd: windowEnd(conversation.person, conversation.phoneNumberId),
        hasFile: (id: string) => contentOf(id) !== null,
      };
      return html(chatPage(conversation, facts));
    }),
  ];
}

function html(text: string): Response {
  return new HttpResponse(text, {
    headers: {
      ...HEADERS,
      "Content-Security-Policy": POLICY,
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
    },
  });
}

/** Browsers show pictures, play audio and videos, and save every other file. */
function file({ mime_type, size, pieces }: MediaContent): Response {
  const isShown = /^(image|audio|video)\//.test(mime_type);
  return new HttpResponse(ReadableStream.from(pieces()), {
    headers: {
      ...HEADERS,
      "Content-Type": mime_type,
      "Content-Length": String(size),
      "Content-Disposition": isShown ? "inline" : "attachment",
      "Cache-Control": "no-store",
    },
  });
}
