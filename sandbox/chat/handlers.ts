import { fileURLToPath } from "node:url";
import { http, HttpResponse } from "msw";
import { answerFile, HEADERS } from "../../local/static_files.ts";
import type { MediaContent } from "../media.ts";
import type { Person } from "../people.ts";
import type { Conversations } from "./conversations.ts";
import { chatPage, chatsPage } from "./page.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** The pages load nothing from other hosts, and run only the script in this folder. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "media-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'";

export interface ChatOptions {
  conversations: Conversations;
  /** Finds the file with this id, as the people in the chat see it; null if there is none. */
  contentOf(id: string): MediaContent | null;
  /** Until when free replies to the person are allowed, in milliseconds. */
  windowEnd(person: Person, phoneNumberId: string): number;
  /** The sandbox's clock, in milliseconds. */
  now: () => number;
}

/** Serves the pages that show the sandbox's conversations as chats, and the files in the chats. */
export function chatHandlers({ conversations, contentOf, windowEnd, now }: ChatOptions) {
  return [
    http.get("*/sandbox/chat", () => html(chatsPage(conversations.all()))),
    ...["page.css", "page.js"].map((name) =>
      http.get(
        `*/sandbox/chat/${name}`,
        ({ request }) => answerFile(request, FOLDER, name, "/sandbox/chat/"),
      )
    ),
    http.get("*/sandbox/chat/media/:id", ({ request, params }) => {
      const content = contentOf(String(params.id));
      return content
        ? file(content, request.headers.get("Range"))
        : new HttpResponse("Not Found", { status: 404 });
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

/**
 * Returns a file, or a part of it. Browsers show pictures, play audio and videos, and save every
 * other file. Safari plays a file only if the server can return a part of it.
 *
 * @param range the request's `Range` header, which asks for a part of the file.
 */
function file({ mime_type, size, pieces }: MediaContent, range: string | null): Response {
  const isShown = /^(image|audio|video)\//.test(mime_type);
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  const isPart = Number(first) < size && (!last || Number(last) >= Number(first));
  const start = isPart ? Number(first) : 0;
  const end = isPart && last ? Math.min(Number(last) + 1, size) : size;
  return new HttpResponse(ReadableStream.from(partOf(pieces(), start, end)), {
    status: isPart ? 206 : 200,
    headers: {
      ...HEADERS,
      "Content-Type": mime_type,
      "Content-Length": String(end - start),
      "Accept-Ranges": "bytes",
      ...(isPart && { "Content-Range": `bytes ${start}-${end - 1}/${size}` }),
      "Content-Disposition": isShown ? "inline" : "attachment",
      "Cache-Control": "no-store",
    },
  });
}

function* partOf(pieces: Iterable<Uint8Array<ArrayBuffer>>, start: number, end: number) {
  let at = 0;
  for (const piece of pieces) {
    const part = piece.slice(Math.max(start - at, 0), Math.max(end - at, 0));
    if (part.length > 0) yield part;
    at += piece.length;
    if (at >= end) return;
  }
}
