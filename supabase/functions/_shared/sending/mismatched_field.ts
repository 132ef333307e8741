import * as z from "zod/mini";

/** The fields that may differ in a repeat. All other fields identify the message. */
export const MismatchedField = z.enum([
  "display_text",
  "body_variables",
  "header_variables",
  "button_variables",
  "phone_number_id",
  "contact_name",
  "template_header_type",
  "text",
  "header_media",
  "media",
  "reply_to_id",
  "buttons",
  "list",
  // The recipient is the same person, with another phone number or in another conversation.
  "phone",
  "conversation_id",
]).register(z.globalRegistry, { id: "MismatchedField" });
export type MismatchedField = z.output<typeof MismatchedField>;
