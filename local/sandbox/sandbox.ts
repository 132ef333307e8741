import { delay } from "deno-std/async/delay.js";
import { getResponse, http, HttpResponse, type RequestHandler } from "msw";
import { catalogueHandlers } from "./catalogue.ts";
import { graphError } from "./graph_error.ts";
import { mediaStore } from "./media.ts";
import type { TemplateMessage } from "./message_shape.ts";
import { accessFault, faultOf } from "./rules.ts";
import { sampleHandler } from "./samples.ts";

/** A message that the sandbox accepted. */
export interface SandboxMessage {
  /** The message's id on the channel. */
  id: string;
  phone_number_id: string;
  accepted_at: string;
  message: TemplateMessage;
}

export interface Sandbox {
  /**
   * The handlers of the WhatsApp API and of the list of accepted messages, under any path. They keep a file that
   * is uploaded in memory, which `fetch` does not.
   */
  handlers: RequestHandler[];
  /** Answers a request. For a recipient that gets no answer, it waits until the connection ends. */
  fetch(request: Request): Promise<Response>;
}

/** Only the newest messages are kept, so that a sandbox that runs for days does not fill the memory. */
const MAX_KEPT = 10_000;

const UPLOAD = /\/v[^/]+\/([^/]+)\/media$/;

const SERVED =
  "The sandbox serves POST /{phone_number_id}/messages and /{phone_number_id}/media, " +
  "GET /{phone_number_id}, /{media_id}, /{business_account_id}/message_templates, " +
  "/{business_account_id}/phone_numbers, /debug_token and /samples/{file} and " +
  "DELETE /{media_id} below /sandbox/v26.0, and GET /sandbox/messages";

/**
 * A stand-in for the WhatsApp API. It has the templates of templates.ts, takes media, accepts and refuses
 * the messages that the channel would, and fails for the recipients of `MAGIC` as the channel does on a bad day.
 *
 * @param now the sandbox's clock, in milliseconds.
 */
export function sandbox({ now = Date.now }: { now?: () => number } = {}): Sandbox {
  const media = mediaStore(now);
  const kept: SandboxMessage[] = [];
  const calls = new Map<string, number>();

  const accept = (phone_number_id: string, message: TemplateMessage) => {
    const id = `wamid.sandbox.${crypto.randomUUID()}`;
    kept.unshift({ id, phone_number_id, accepted_at: new Date().toISOString(), message });
    kept.length = Math.min(kept.length, MAX_KEPT);
    return HttpResponse.json({
      messaging_product: "whatsapp",
      contacts: [{ input: message.to, wa_id: message.to.replace("+", "") }],
      messages: [{ id, message_status: "accepted" }],
    });
  };

  const upload = async (request: Request, phoneNumberId: string) => {
    const fault = accessFault(request, phoneNumberId);
    return fault ? graphError(fault) : await media.upload(request, phoneNumberId);
  };

  const handlers = [
    http.post("*/v:version/:phone_number_id/messages", async ({ request, params }) => {
      const phoneNumberId = String(params.phone_number_id);
      const noAccess = accessFault(request, phoneNumberId);
      if (noAccess) return graphError(noAccess);
      const body = await request.json().catch(() => undefined);
      const fault = faultOf(body, (id, kind) => media.faultOf(id, kind, phoneNumberId));
      if (fault) return graphError(fault);
      const message = body as TemplateMessage;

      const [, code] = /^\+15550(\d{6})$/.exec(message.to) ?? [];
      if (code !== undefined) return failure(Number(code));
      const magic = MAGIC[message.to];
      if (!magic) return accept(phoneNumberId, message);
      const pair = `${phoneNumberId} ${message.to}`;
      calls.set(pair, (calls.get(pair) ?? 0) + 1);
      return await magic.answer({
        accept: () => accept(phoneNumberId, message),
        calls: calls.get(pair)!,
      });
    }),
    http.post(
      "*/v:version/:phone_number_id/media",
      ({ request, params }) => upload(request, String(params.phone_number_id)),
    ),
    sampleHandler(now),
    ...catalogueHandlers(media, now),
    http.get("*/messages", ({ request }) => {
      const { searchParams } = new URL(request.url);
      const [to, from] = [searchParams.get("to"), searchParams.get("phone_number_id")];
      const data = kept.filter(({ message, phone_number_id }) =>
        (to === null || message.to === to) && (from === null || phone_number_id === from)
      );
      return HttpResponse.json({ data });
    }),
  ];
  return {
    handlers,
    async fetch(request) {
      // msw copies each request that it looks at, and the copy would keep the whole file in memory.
      const [, uploader] = UPLOAD.exec(new URL(request.url).pathname) ?? [];
      if (uploader && request.method === "POST") return await upload(request, uploader);
      const response = await getResponse(handlers, request);
      return response ?? Response.json({ message: SERVED }, { status: 404 });
    },
  };
}

interface Call {
  /** Keeps the message and makes the answer to an accepted message. */
  accept(): Response;
  /** The number of calls from this number to this recipient, this one included. */
  calls: number;
}

interface Magic {
  /** The recipient's row in docs/sending-templates.md. */
  does: string;
  answer(call: Call): Response | Promise<Response>;
}

/** The recipients with an answer of their own. Besides them, +15550 and six digits get that error code. */
export const MAGIC: Record<string, Magic> = {
  "+15551000001": {
    does: "throttles twice, then takes every message",
    answer: ({ accept, calls }) => calls <= 2 ? failure(130429) : accept(),
  },
  "+15551000002": {
    does: "is down: a 503 with `Retry-After: 30`",
    answer: () => plain(503, "Service Unavailable", { "Retry-After": "30" }),
  },
  "+15551000003": {
    does: "takes the message and never answers",
    answer: ({ accept }) => accept() && new Promise(() => {}),
  },
  "+15551000004": {
    does: "takes the message and answers after 30 s",
    answer: async ({ accept }) => {
      const answer = accept();
      await delay(30_000, { persistent: false });
      return answer;
    },
  },
  "+15551000005": {
    does: "takes the message and breaks the connection off",
    answer: ({ accept }) => accept() && HttpResponse.error(),
  },
  "+15551000006": {
    does: "takes the message and answers a bare 500",
    answer: ({ accept }) => accept() && plain(500, "Internal Server Error"),
  },
  "+15551000007": {
    does: "takes the message and answers 200 without its id",
    answer: ({ accept }) => accept() && HttpResponse.json({ messaging_product: "whatsapp" }),
  },
};

/** The error that a recipient gets whatever the message is. */
function failure(code: number): Response {
  return graphError({ code, details: `The sandbox answers this recipient with the code ${code}.` });
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new HttpResponse(text, { status, headers });
}
