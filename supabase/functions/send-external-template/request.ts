import * as z from "zod";
import {
  IdempotencyKey,
  LanguageCode,
  Phone,
  PhoneNumberId,
  required,
  requiredText,
  ShortText,
  verbatim,
} from "../_shared/http/fields.ts";

/** The values of the variables in one component of a template, in order. */
const Variables = z.array(verbatim(1024)).max(30, "must have at most 30 items");

/** The body of a request; specification, 4.10. */
export const SendRequest = z.strictObject({
  phone: Phone,
  template_name: requiredText(512),
  language_code: LanguageCode,
  display_text: required(verbatim(4096)),
  body_variables: Variables.default([]),
  header_variables: Variables.default([]),
  // Beyond the specification, which knows no buttons.
  button_variables: z.array(verbatim(1024)).max(10, "must have at most 10 items").default([]),
  phone_number_id: PhoneNumberId.optional(),
  contact_name: ShortText.optional(),
  idempotency_key: IdempotencyKey.optional(),
  template_header_type: z.enum(["image", "video", "document"]).optional(),
}).refine(
  // A header is either text or media, and its media is part of the approved template.
  ({ template_header_type, header_variables }) =>
    !template_header_type || header_variables.length === 0,
  {
    path: ["header_variables"],
    error: "must be left out or empty when template_header_type is given",
  },
).meta({
  id: "SendRequest",
  dependentSchemas: { template_header_type: { properties: { header_variables: { maxItems: 0 } } } },
});

export type SendRequest = z.output<typeof SendRequest>;
