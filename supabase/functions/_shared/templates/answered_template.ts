import { type SendableTemplate, whyNotSendable } from "./template_words.ts";

/** The kinds of media that a template's header can have. */
export const MEDIA = ["image", "video", "document"] as const;

/** The columns of a template from which the response is computed. */
export interface StoredColumns extends SendableTemplate {
  header_format: string | null;
  variables: { header: unknown[]; body: unknown[]; buttons: unknown[] };
  read_at: string;
  created_at: string;
  updated_at: string;
}

/**
 * A template as callers see it: with the values that a send must provide, and the reasons why it
 * cannot be sent.
 *
 * @param stored the columns that were read, which may include additional columns.
 */
export function answeredTemplate<Stored extends StoredColumns>(stored: Stored) {
  const { read_at, created_at, updated_at, ...others } = stored;
  const { header_format, status_since, unsupported, media_problem, ...fields } = others;
  const { header, body, buttons } = fields.variables as Stored["variables"];
  const { status, phone_number_ids } = fields;
  const why_not = whyNotSendable({
    ...{ status, status_since, unsupported, media_problem, phone_number_ids },
  });
  return {
    ...fields,
    variables: { header, body, buttons } as Stored["variables"],
    send: {
      template_header_type: MEDIA.find((media) => media.toUpperCase() === header_format) ?? null,
      header_variables: header.length,
      body_variables: body.length,
      button_variables: buttons.length,
    },
    can_be_sent: why_not.length === 0,
    why_not,
    ...{ read_at, created_at, updated_at },
  };
}
