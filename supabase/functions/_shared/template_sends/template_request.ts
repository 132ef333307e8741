import * as z from "zod/mini";
import {
  Id,
  IdempotencyKey,
  LanguageCode,
  Phone,
  PhoneNumberId,
  required,
  requiredText,
  ShortText,
  verbatim,
} from "../http/fields.ts";

/** The values of the variables in one component of a template, in order. */
export const Variables = z.array(verbatim(1024)).check(
  z.maxLength(30, "must have at most 30 items"),
);

/** The message for a caller who sends the URL of a media file in `header_variables`. */
export const OWN_MEDIUM =
  "a media header has the approved sample of the template, or your own file if header_media names one";

/** A URL that the service fetches. */
const Url = z.string().check(
  z.maxLength(2048, { error: "must have at most 2048 characters", abort: true }),
  z.regex(
    /^https?:\/\/[A-Za-z0-9.-]{1,253}(:\d{1,5})?([/?#][!-~]*)?$/,
    "must be an http or https address, without a user and a password",
  ),
);

/** The caller's own media file for a template's header, instead of the approved sample. */
export const HeaderMedia = z.strictObject({
  id: z.optional(Id),
  url: z.optional(Url),
}).check(
  z.refine(({ id, url }) => (id === undefined) !== (url === undefined), {
    path: ["id"],
    error: "is required, unless header_media has url; send only one of them",
  }),
).register(z.globalRegistry, {
  id: "HeaderMedia",
  oneOf: [{ required: ["id"] }, { required: ["url"] }],
});

/** The body of a request (specification, 4.10). */
export const SendRequest = z.strictObject({
  phone: Phone,
  template_name: requiredText(512),
  language_code: LanguageCode,
  display_text: required(verbatim(4096)),
  body_variables: z._default(Variables, []),
  header_variables: z._default(Variables, []),
  // An addition to the specification, which has no buttons.
  button_variables: z._default(
    z.array(verbatim(1024)).check(z.maxLength(10, "must have at most 10 items")),
    [],
  ),
  phone_number_id: z.optional(PhoneNumberId),
  contact_name: z.optional(ShortText),
  idempotency_key: z.optional(IdempotencyKey),
  template_header_type: z.optional(z.enum(["image", "video", "document"])),
  // An addition to the specification.
  header_media: z.optional(HeaderMedia),
}).check(z.refine(
  // A header is either text or media, and a media header has no variables.
  ({ template_header_type, header_media, header_variables }) =>
    !(template_header_type || header_media) || header_variables.length === 0,
  {
    path: ["header_variables"],
    error:
      `must be left out or empty when template_header_type or header_media is given; ${OWN_MEDIUM}`,
  },
)).register(z.globalRegistry, {
  id: "SendRequest",
  dependentSchemas: {
    template_header_type: { properties: { header_variables: { maxItems: 0 } } },
    header_media: { properties: { header_variables: { maxItems: 0 } } },
  },
});

export type SendRequest = z.output<typeof SendRequest>;
