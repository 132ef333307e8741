import * as z from "zod/mini";
import { Id, IdempotencyKey, required, verbatim } from "../../_shared/http/fields.ts";

// The body of a free reply. The fields that were added after `text` have no defaults. So a request
// without these fields has the same fingerprint as before they were added.

/** The maximum length of the text below a media file or above buttons. */
const MAX_CAPTION = 1_024;

/** A URL that the channel fetches itself. */
const Link = z.string().check(
  z.maxLength(2048, { error: "must have at most 2048 characters", abort: true }),
  z.regex(
    /^https:\/\/[A-Za-z0-9.-]{1,253}(:\d{1,5})?([/?#][!-~]*)?$/,
    "must be an https address, without a user and a password",
  ),
);

/** The file of a reply: an upload or a URL. */
export const ReplyMedia = z.strictObject({
  id: z.optional(Id),
  link: z.optional(Link),
  type: z.optional(z.enum(["image", "video", "audio", "document"])),
  filename: z.optional(required(verbatim(240))),
  voice: z.optional(z.boolean()),
}).check(
  z.refine(({ id, link }) => (id === undefined) !== (link === undefined), {
    path: ["id"],
    error: "is required, unless media has link; send only one of them",
  }),
  z.refine(({ link, type }) => (link === undefined) === (type === undefined), {
    path: ["type"],
    error: "is required with link, and must be left out with id",
  }),
).register(z.globalRegistry, {
  id: "ReplyMedia",
  dependentRequired: { link: ["type"], type: ["link"] },
  oneOf: [{ required: ["id"] }, { required: ["link"] }],
});

/** A button that the person can tap. */
export const ReplyButton = z.strictObject({
  id: required(verbatim(200)),
  title: required(verbatim(20)),
}).register(z.globalRegistry, { id: "ReplyButton" });

/** One choice in a list. */
export const ReplyListRow = z.strictObject({
  id: required(verbatim(200)),
  title: required(verbatim(24)),
  description: z.optional(required(verbatim(72))),
}).register(z.globalRegistry, { id: "ReplyListRow" });

/** A group of choices in a list. */
export const ReplyListSection = z.strictObject({
  title: z.optional(required(verbatim(24))),
  rows: z.array(ReplyListRow).check(
    z.minLength(1, "must have at least 1 item"),
    z.maxLength(10, "must have at most 10 items"),
  ),
}).register(z.globalRegistry, { id: "ReplyListSection" });

const MAX_ROWS = 10;

/** A list of choices, which opens when the person taps its button. */
export const ReplyList = z.strictObject({
  button: required(verbatim(20)),
  sections: z.array(ReplyListSection).check(
    z.minLength(1, "must have at least 1 item"),
    z.maxLength(10, "must have at most 10 items"),
  ),
}).check(
  z.refine(({ sections }) => sections.flatMap(({ rows }) => rows).length <= MAX_ROWS, {
    path: ["sections"],
    error: `must have at most ${MAX_ROWS} rows in all`,
  }),
  z.refine(({ sections }) => sections.length === 1 || sections.every(({ title }) => title), {
    path: ["sections"],
    error: "must have a title in each section if there are several",
  }),
  z.refine(
    ({ sections }) => areDifferent(sections.flatMap(({ rows }) => rows.map(({ id }) => id))),
    { path: ["sections"], error: "must have a different id in each row" },
  ),
).register(z.globalRegistry, { id: "ReplyList" });

const Buttons = z.array(ReplyButton).check(
  z.minLength(1, "must have at least 1 item"),
  z.maxLength(3, "must have at most 3 items"),
  z.refine(
    (buttons) =>
      areDifferent(buttons.map(({ id }) => id)) && areDifferent(buttons.map(({ title }) => title)),
    "must have a different id and a different title in each button",
  ),
);

/** The parts of a reply in addition to its text. */
const KINDS = ["media", "buttons", "list"] as const;

/** The JSON Schema of a property that must be missing. */
const NEVER = { not: {} };

type Given = Partial<Record<(typeof KINDS)[number] | "text", unknown>>;

/** These checks run even if another field is wrong, so that an error names all invalid fields. */
const EVEN_SO = {
  when: ({ value }: { value: unknown }) => typeof value === "object" && value !== null,
};

/** The body of a free reply. */
export const ReplyRequest = z.strictObject({
  conversation_id: Id,
  text: z.optional(required(verbatim(4096))),
  idempotency_key: z.optional(IdempotencyKey),
  media: z.optional(ReplyMedia),
  reply_to_id: z.optional(Id),
  buttons: z.optional(Buttons),
  list: z.optional(ReplyList),
}).check(
  z.refine((given: Given) => given.text !== undefined || given.media !== undefined, {
    path: ["text"],
    error: "is required",
    ...EVEN_SO,
  }),
  z.refine((given: Given) => KINDS.filter((kind) => given[kind] != null).length <= 1, {
    error: `must have only one of ${KINDS.join(", ")}`,
    ...EVEN_SO,
  }),
  z.refine(
    ({ text, media, buttons }: Given) =>
      media == null && buttons == null || typeof text !== "string" ||
      [...text].length <= MAX_CAPTION,
    {
      path: ["text"],
      error: `must have at most ${MAX_CAPTION} characters with media or buttons`,
      ...EVEN_SO,
    },
  ),
).register(z.globalRegistry, {
  id: "ReplyRequest",
  anyOf: [{ required: ["text"] }, { required: ["media"] }],
  dependentSchemas: {
    media: { properties: { text: { maxLength: MAX_CAPTION }, buttons: NEVER, list: NEVER } },
    buttons: { properties: { text: { maxLength: MAX_CAPTION }, list: NEVER } },
  },
});
export type ReplyRequest = z.output<typeof ReplyRequest>;

function areDifferent(texts: string[]): boolean {
  return new Set(texts).size === texts.length;
}
