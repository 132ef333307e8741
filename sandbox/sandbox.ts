import { getResponse, http, HttpResponse, type RequestHandler } from "msw";
import { catalogueHandlers } from "./catalogue.ts";
import { chatHandlers } from "./chat/handlers.ts";
import { type Conversations, conversations } from "./chat/conversations.ts";
import type { Pricing } from "./events.ts";
import { graphError } from "./graph_error.ts";
import { fixedFailure, MAGIC } from "./magic.ts";
import { inboundHandler } from "./inbound.ts";
import { mediaStore } from "./media.ts";
import type { TemplateMessage } from "./message_shape.ts";
import { type OpenWindow, people, type Person } from "./people.ts";
import { type Message, ReadCall } from "./reply_shape.ts";
import { peopleMedia } from "./people_media.ts";
import { accessFault, faultOf } from "./rules.ts";
import { sampleHandler } from "./samples.ts";
import { ORDINARY, STORIES } from "./stories.ts";
import { newMessageId, storyTeller } from "./story_teller.ts";
import { findTemplate } from "./template_list.ts";
import type { Webhook } from "./webhook.ts";

/** A message that the sandbox accepted. */
export interface SandboxMessage<Sent = TemplateMessage> {
  /** The message's id on the channel. */
  id: string;
  phone_number_id: string;
  accepted_at: string;
  message: Sent;
}

export interface Sandbox {
  /**
   * The handlers of all requests to the sandbox, below any base URL. Unlike `fetch`, the handlers
   * keep an uploaded file in memory.
   */
  handlers: RequestHandler[];
  /**
   * Handles a request. If the recipient's row in MAGIC says that the sandbox never responds, the
   * promise never resolves.
   */
  fetch(request: Request): Promise<Response>;
  /** Resolves when everything has been posted to the webhook. */
  told(): Promise<void>;
  /** Cancels everything that the sandbox still has to post to the webhook. */
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** The sandbox's clock, in milliseconds. */
  now?: () => number;
  /**
   * The webhook that receives the sandbox's events, if there is one. The sandbox calls this
   * function for each message.
   */
  webhook?: () => Webhook | null;
  /**
   * Returns why no company sees the messages that people send to a number; null if a company sees
   * these messages.
   */
  whyUnheard?: (phoneNumberId: string) => Promise<string | null>;
  /** The people who may already get free replies when the sandbox starts. */
  windows?: OpenWindow[];
  /** The factor by which the delays of stories and retries are multiplied. */
  pace?: number;
}

/** Only the newest messages are kept, so that a sandbox that runs for days does not fill the memory. */
const MAX_KEPT = 10_000;

const UPLOAD = /\/v[^/]+\/([^/]+)\/media$/;

const SERVED =
  "The sandbox serves POST /{phone_number_id}/messages and /{phone_number_id}/media, " +
  "GET /{phone_number_id}, /{media_id}, /files/{media_id}, /{business_account_id}/message_templates, " +
  "/{business_account_id}/phone_numbers, /debug_token and /samples/{file} and " +
  "DELETE /{media_id} below /sandbox/v26.0, GET /sandbox/messages, GET /sandbox/chat and POST /sandbox/inbound";

/**
 * An imitation of the WhatsApp API. The sandbox has the templates of templates.ts, accepts media,
 * and accepts and refuses messages as the channel would. For the recipients in `MAGIC`, the sandbox
 * imitates a failure of the channel. The sandbox reports to a webhook what happens to each message;
 * messages to a recipient in `STORIES` have a special story.
 */
export function sandbox(
  {
    now = Date.now,
    webhook = () => null,
    whyUnheard = () => Promise.resolve(null),
    windows = [],
    pace = 1,
  }: SandboxOptions = {},
): Sandbox {
  const media = mediaStore(now);
  const sentByPeople = peopleMedia(now);
  const known = people(now, windows);
  const chats = conversations(now);
  const teller = storyTeller({ webhook, people: known, conversations: chats, now, pace });
  const kept: SandboxMessage<Message>[] = [];
  const calls = new Map<string, number>();

  const accept = (phone_number_id: string, message: Message, person: Person) => {
    const id = newMessageId();
    const acceptedAt = now();
    kept.unshift({ id, phone_number_id, accepted_at: new Date(acceptedAt).toISOString(), message });
    kept.length = Math.min(kept.length, MAX_KEPT);

    const digits = message.to?.replace("+", "");
    const story = digits === undefined ? undefined : STORIES[`+${digits}`];
    const ofTexts = (story?.ofTexts ?? story?.steps ?? ORDINARY).filter((step) =>
      // A person reads a message, but not a reaction.
      !("reply" in step ||
        message.type === "reaction" && "status" in step && step.status === "read")
    );
    const waId = story?.hidesPhone ? null : digits ?? null;
    const pair = { phoneNumberId: phone_number_id, person, waId };
    chats.sent(pair, id, message, acceptedAt);
    teller.begin({
      ...{ ...pair, id, acceptedAt },
      mark: message.biz_opaque_callback_data,
      pricing: pricingOf(message, known.hasWindow(person, phone_number_id)),
      steps: message.type === "template" ? story?.steps ?? ORDINARY : ofTexts,
    });
    return HttpResponse.json({
      messaging_product: "whatsapp",
      // A recipient who is addressed by an id has no phone number in this list.
      contacts: [{
        input: message.to ?? message.recipient,
        ...(digits === undefined ? { user_id: person.userId } : { wa_id: digits }),
      }],
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
      const body: unknown = await request.json().catch(() => undefined);
      if (body && typeof body === "object" && "status" in body) return markRead(body, chats);
      const fault = faultOf(body, (id, kind) => media.faultOf(id, kind, phoneNumberId));
      if (fault) return graphError(fault);
      const message = body as Message;
      // If a message has both a phone number and an id, the phone number identifies the recipient.
      const to = message.to?.replace(/^\+?/, "+") ?? null;
      const person = known.find(to, to === null ? { userId: message.recipient } : {});

      const [, code] = /^\+15550(\d{6})$/.exec(to ?? "") ?? [];
      if (code !== undefined) return fixedFailure(Number(code));
      if (message.type !== "template" && !known.hasWindow(person, phoneNumberId)) {
        return graphError(WINDOW_CLOSED);
      }
      const magic = to === null ? undefined : MAGIC[to];
      if (!magic) return accept(phoneNumberId, message, person);
      const pair = `${phoneNumberId} ${to}`;
      calls.set(pair, (calls.get(pair) ?? 0) + 1);
      return await magic.answer({
        accept: () => accept(phoneNumberId, message, person),
        calls: calls.get(pair)!,
      });
    }),
    http.post(
      "*/v:version/:phone_number_id/media",
      ({ request, params }) => upload(request, String(params.phone_number_id)),
    ),
    inboundHandler({
      ...{ people: known, teller, media: sentByPeople, conversations: chats, whyUnheard, now },
    }),
    ...chatHandlers({
      conversations: chats,
      contentOf: (id) => media.content(id) ?? sentByPeople.content(id),
      windowEnd: known.windowEnd,
      now,
    }),
    sampleHandler(now),
    http.get(
      "*/v:version/files/:media_id",
      ({ request, params }) => sentByPeople.bytes(request, String(params.media_id)),
    ),
    ...catalogueHandlers(media, sentByPeople, now),
    http.get("*/messages", ({ request }) => {
      const { searchParams } = new URL(request.url);
      const [to, from] = [searchParams.get("to"), searchParams.get("phone_number_id")];
      const data = kept.filter(({ message, phone_number_id }) =>
        (to === null || (message.to ?? message.recipient) === to) &&
        (from === null || phone_number_id === from)
      );
      return HttpResponse.json({ data });
    }),
  ];
  return {
    handlers,
    async fetch(request) {
      // msw would copy each request that it examines, and the copy would keep the whole file in
      // memory.
      const [, uploader] = UPLOAD.exec(new URL(request.url).pathname) ?? [];
      if (uploader && request.method === "POST") return await upload(request, uploader);
      const response = await getResponse(handlers, request);
      return response ?? Response.json({ message: SERVED }, { status: 404 });
    },
    told: teller.told,
    stop: teller.stop,
  };
}

/**
 * Handles a call that marks a person's message as read. Earlier messages then count as read too.
 */
function markRead(body: unknown, chats: Conversations): Response {
  const read = ReadCall.safeParse(body);
  if (!read.success) {
    return graphError({
      code: 100,
      details: `${read.error.issues[0].path.join(".")} is malformed`,
    });
  }
  chats.read(read.data.message_id, read.data.typing_indicator !== undefined);
  return HttpResponse.json({ success: true });
}

const WINDOW_CLOSED = {
  code: 131047,
  details: "Message failed to send because more than 24 hours have passed since the customer " +
    "last replied to this number.",
};

/**
 * The price of a message. Within the 24-hour window, free-form messages and utility templates cost
 * nothing.
 */
function pricingOf(message: Message, hasWindow: boolean): Pricing {
  const category = message.type === "template"
    ? findTemplate(message.template.name, message.template.language.code)!.category.toLowerCase()
    : "service";
  const isFree = hasWindow && ["service", "utility"].includes(category);
  return {
    billable: !isFree,
    pricing_model: "PMP",
    type: isFree ? "free_customer_service" : "regular",
    category,
  };
}
