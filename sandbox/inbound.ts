import { http, HttpResponse } from "msw";
import * as z from "zod";
import type { Conversations } from "./chat/conversations.ts";
import { BSUID, PHONE } from "./message_shape.ts";
import type { people } from "./people.ts";
import { PEOPLE_MEDIA, type peopleMedia } from "./people_media.ts";
import { newMessageId, type storyTeller } from "./story_teller.ts";

/** The longest text that people can write in the channel's app. */
const MAX_TEXT = 65_536;

/** The channel tries to report a person's message for seven days. */
const MAX_HOURS_AGO = 7 * 24;
const HOUR_MS = 60 * 60 * 1000;

/** The sandbox adds these fields to a message. */
const ADDED = ["from", "from_user_id", "id", "timestamp", "context"];

const HOURS = `must be from 0 to ${MAX_HOURS_AGO}`;

const fields = {
  phone_number_id: z.string("must be a text of digits: the id of the number that gets the message")
    .regex(
      /^[1-9]\d{0,31}$/,
      "must be a text of digits: the id of the number that gets the message",
    ),
  from: z.string("must be a text").regex(
    PHONE,
    "must be the person's phone: 7 to 15 digits with the country's code, with or without a plus sign",
  ).optional(),
  text: z.string("must be a text").min(1, "must not be empty")
    .max(MAX_TEXT, `must have at most ${MAX_TEXT} characters`).optional(),
  message: z.looseObject(
    { type: z.string("must be a text") },
    "must be an object of the channel with a type",
  )
    .refine(({ type, ...parts }) => typeof parts[type] === "object" && parts[type] !== null, {
      error: ({ input }) => `must have an object with the name of its type: ${nameOf(input)}`,
    })
    .refine((message) => !ADDED.some((name) => name in message), {
      error: `must not have ${ADDED.join(", ")}: the sandbox adds them`,
    })
    .optional(),
  medium: z.string("must be a text").refine((name) => Object.hasOwn(PEOPLE_MEDIA, name), {
    error: `must be one of ${Object.keys(PEOPLE_MEDIA).join(", ")}`,
  }).optional(),
  caption: z.string("must be a text").min(1, "must not be empty")
    .max(1024, "must have at most 1024 characters").optional(),
  tap: z.string("must be a text").min(1, "must not be empty").optional(),
  user_id: z.string("must be a text").regex(
    BSUID,
    "must be a business-scoped user id, such as US.1043781234567890",
  ).optional(),
  name: z.string("must be a text").min(1, "must not be empty")
    .max(200, "must have at most 200 characters").optional(),
  hide_phone: z.boolean("must be true or false").optional(),
  answers: z.string("must be the id of a message on the channel (wamid)").min(
    1,
    "must not be empty",
  )
    .max(255, "must have at most 255 characters").optional(),
  hours_ago: z.number("must be a number").min(0, HOURS).max(MAX_HOURS_AGO, HOURS).default(0),
};

/** The body of a request that imitates a person who writes a message. */
const Inbound = z.strictObject(fields, "The body must be a JSON object")
  .refine(({ from, user_id }) => from !== undefined || user_id !== undefined, {
    path: ["from"],
    error: "is required, unless the request has user_id",
  })
  .refine(
    ({ text, message, medium, tap }) =>
      [text, message, medium, tap].filter((part) => part !== undefined).length === 1,
    {
      path: ["text"],
      error: "is required, unless the request has message, medium or tap; send only one of them",
    },
  )
  .refine(
    ({ caption, medium }) =>
      caption === undefined || medium !== undefined && PEOPLE_MEDIA[medium]?.type !== "audio",
    {
      path: ["caption"],
      error: "needs a medium that is not a voice message",
    },
  );

interface InboundOptions {
  people: ReturnType<typeof people>;
  teller: ReturnType<typeof storyTeller>;
  media: ReturnType<typeof peopleMedia>;
  conversations: Conversations;
  /**
   * Returns why no company sees the messages that people send to a number; null if a company sees
   * these messages.
   */
  whyUnheard: (phoneNumberId: string) => Promise<string | null>;
  /** The sandbox's clock, in milliseconds. */
  now: () => number;
}

/**
 * Imitates a person who writes to a business phone number. The caller needs no secret. The
 * Content-Type must be JSON, because a browser does not let a page of another web site send JSON.
 */
export function inboundHandler(
  { people, teller, media, conversations, whyUnheard, now }: InboundOptions,
) {
  return http.post("*/inbound", async ({ request }) => {
    const contentType = request.headers.get("Content-Type") ?? "";
    if (!/^application\/json\s*(;|$)/i.test(contentType)) {
      return refusal(415, "The Content-Type must be application/json");
    }
    const body: unknown = await request.json().catch(() => undefined);
    if (body === undefined) return refusal(400, "The body is not JSON");
    const judged = Inbound.safeParse(body);
    if (!judged.success) return refusal(400, judged.error.issues.map(sentence).join(". "));

    const { phone_number_id, from, text, message, medium, caption, ...more } = judged.data;
    const { tap, user_id, name, hide_phone, answers, hours_ago } = more;
    const digits = from?.replace("+", "");
    const person = people.find(digits === undefined ? null : `+${digits}`, {
      userId: user_id,
      name,
    });
    const waId = hide_phone ? null : digits ?? null;
    const pair = { phoneNumberId: phone_number_id, person, waId };
    const tapped = tap === undefined ? null : conversations.tap(pair, tap, answers);
    if (typeof tapped === "string") return refusal(400, tapped);
    const content = medium !== undefined
      ? media.send(medium, caption)
      : message ?? { type: "text", text: { body: text } };
    const id = newMessageId();
    const written = { id, content, answers, ...tapped };
    const posted = await teller.write(pair, written, now() - hours_ago * HOUR_MS);
    const warning = posted.isPosted ? await whyUnheard(phone_number_id) : null;
    return HttpResponse.json({
      message_id: id,
      user_id: person.userId,
      posted: posted.isPosted,
      webhook_status: posted.status,
      ...(!posted.isPosted && { reason: posted.reason }),
      ...(warning !== null && { warning }),
    });
  });
}

function sentence({ path, message, ...issue }: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(fields).join(", ");
    return `${issue.keys.join(", ")}: not accepted here; the known fields are ${known}`;
  }
  return path.length === 0 ? message : `${path.join(".")} ${message}`;
}

function nameOf(message: unknown): string {
  return String((message as { type?: unknown } | null)?.type);
}

function refusal(status: number, message: string): Response {
  return HttpResponse.json({ message }, { status });
}
