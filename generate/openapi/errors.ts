import { type ErrorCode, STATUS } from "../../supabase/functions/_shared/errors.ts";
import type { JsonSchema } from "./json_schema.ts";

/** How the OpenAPI document describes an error. */
interface ErrorWords {
  /** When the API returns the error, and what the caller can do next. */
  description: string;
  /** All messages that the error can have. Missing if there is no fixed list. */
  sentences?: string[];
  /** Properties of the body in addition to `error`, `code` and `request_id`. */
  members?: Record<string, JsonSchema>;
  /** Properties that only some bodies of this error have. */
  optional?: string[];
  /** Properties that the error has only in the functions that send messages. */
  ofSends?: string[];
}

const DETAIL: JsonSchema = { $ref: "#/components/schemas/FieldError" };
const DETAILS_OF_BATCH: JsonSchema = {
  type: "array",
  items: DETAIL,
  minItems: 1,
  maxItems: 1,
  description: "The item that failed. Only batches return this property. Example: `items.3.id`.",
};
const CHANNEL: JsonSchema = { $ref: "#/components/schemas/ChannelError" };

/** Schemas that errors share. */
export const SHARED_SCHEMAS: Record<string, JsonSchema> = {
  FieldError: {
    type: "object",
    description:
      "The problem with one field. The message completes a sentence that begins with the field's " +
      "name.",
    properties: {
      field: {
        type: "string",
        description:
          "The path of the field, with dots, such as `phone`, `tags.3` or `limit`. `body` means " +
          "the whole body.",
      },
      message: { type: "string", description: "The problem, such as `is required`." },
      phone_number_id: {
        type: "string",
        description: "A messaging account that the request can name in `phone_number_id`.",
      },
      display_phone: { type: "string", description: "The account's phone number." },
    },
    required: ["field", "message"],
  },
  ChannelError: {
    type: "object",
    description: "The messaging channel's own error.",
    properties: {
      code: { type: "integer", description: "The channel's error code." },
      message: { type: "string", maxLength: 1000, description: "The channel's message." },
      details: {
        type: "string",
        maxLength: 1000,
        description: "The channel's explanation, if the channel provides one.",
      },
    },
    required: ["code"],
  },
  DocUrl: {
    type: "string",
    format: "uri",
    description: "The page that explains the error, such as " +
      "`https://docs.example.com/errors.html#conflict`. Missing if the API's operator has not " +
      "configured the URL of the documentation.",
  },
};

/** The descriptions of all errors. The code does not compile if a description is missing. */
export const ERRORS: Record<ErrorCode, ErrorWords> = {
  malformed_request: {
    description:
      "The request is incomplete or is not valid HTTP. For example, the body ended too early, or " +
      "`Host` is not a host name. Send the complete request again.",
  },
  header_not_accepted: {
    description:
      "The request has a header such as `If-Unmodified-Since` or `If-Match`, which protects " +
      "against lost updates, but the operation does not support this header. Nothing was done. " +
      "`details` names the header and says what to use instead.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 1 } },
  },
  missing_api_key: {
    description: "The request has no API key.",
    sentences: ["Missing API key"],
  },
  invalid_api_key: {
    description: "The API key is wrong, switched off, expired or deleted.",
    sentences: ["Invalid or expired API key"],
  },
  insufficient_scope: {
    description: "The API key does not have the scope that the operation needs.",
    sentences: ["read", "write", "messaging", "webhooks"].map((scope) =>
      `This API key does not have ${scope} permission`
    ),
  },
  not_found: {
    description: "Your company has no such record.",
    members: { details: DETAILS_OF_BATCH },
    optional: ["details"],
  },
  route_not_found: {
    description: "There is no such path. `error` names the path that you probably meant.",
  },
  method_not_allowed: {
    description: "The path does not support this method. `Allow` lists the supported methods.",
  },
  request_timeout: {
    description:
      "The request body did not arrive within 15 seconds. For a file upload, the limit is 60 " +
      "seconds. Nothing was done; send the request again.",
  },
  conflict: {
    description:
      "The change conflicts with an existing record: a contact with the same phone number, " +
      "another conversation that is not closed, or the contact into which this contact was " +
      "merged. `error` says what to do with the existing record. For a pipeline or a stage: the " +
      "company would have no default pipeline, the pipeline to archive has deals, the pipeline " +
      "of a new stage has too many stages, or the record to change is archived. For a reply: the contact is archived, or the conversation is " +
      "closed. If the conversation is closed, `existing_id` is the id of the contact's open " +
      "conversation, if there is one. For a request to mark a message as read: the contact did " +
      "not write the message, or the message is too old.",
    members: {
      existing_id: {
        type: "string",
        format: "uuid",
        description: "The id of the existing record.",
      },
      details: DETAILS_OF_BATCH,
    },
    optional: ["existing_id", "details"],
  },
  idempotency_in_progress: {
    description:
      "The first request with this `Idempotency-Key` is in progress. Repeat your request after " +
      "`Retry-After` to receive the same response as the first request.",
  },
  window_closed: {
    description:
      "More than 24 hours have passed since the contact last wrote to this business number, or " +
      "the contact has never written to it. You can send a template now. You can send a free " +
      "reply only after the contact writes again.",
    members: {
      window_expires_at: {
        type: ["string", "null"],
        format: "date-time",
        description:
          "When the window closed, or will close within the next minute; `null` if the contact " +
          "has never written. Missing if the channel reported that the window is closed.",
      },
      channel: CHANNEL,
    },
    optional: ["window_expires_at", "channel"],
  },
  cursor_expired: {
    description:
      "The database was restored or moved after this cursor for `changes` was created, so the " +
      "list may lack some changes. Read everything again from `start=beginning`.",
  },
  media_expired: {
    description:
      "The channel no longer has this message's media file, because the channel keeps a " +
      "contact's media files for only seven days. Only the contact can send the file again.",
  },
  precondition_failed: {
    description:
      "The record has changed since you read it: `If-Match` does not contain the record's " +
      "current `ETag`. Nothing was written. Read the record again, and repeat the change if you " +
      "still want it.",
    members: {
      etag: {
        type: "string",
        description: "The record's current ETag. Missing if there is no such record.",
      },
    },
    optional: ["etag"],
  },
  payload_too_large: {
    description:
      "The request body is larger than 1 MiB, or an uploaded file exceeds the limit for its type.",
  },
  invalid_request: {
    description:
      "A field, a parameter or an id is invalid. `details` names each invalid value and says " +
      "what it must be.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
    optional: ["details"],
  },
  idempotency_key_reused: {
    description:
      "A request with a different body or different parameters used this `Idempotency-Key` in " +
      "the last 24 hours. For a send, the `idempotency_key` belongs to a message with another " +
      "recipient, another template or another kind, and `details` names the fields that differ. " +
      "Nothing was done.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
    optional: ["details"],
  },
  query_too_expensive: {
    description:
      "No index supports this query, so the service stopped the query after three seconds. " +
      "`error` says what to add or leave out.",
  },
  account_not_connected: {
    description:
      "The company has no connected messaging account. Connect one, then repeat the request.",
  },
  phone_number_id_required: {
    description:
      "The company has more than one connected messaging account. `details` lists these " +
      "accounts; specify one of them in `phone_number_id`.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
  },
  template_rejected: {
    description:
      "The template is not approved, does not exist in this language or needs different values. " +
      "For a free reply: the channel does not accept the reply. If the error has `channel`, the " +
      "channel refused the message, and `channel` contains the reason. If the error has " +
      "`details`, the service compared the request with the account's list of templates, and " +
      "`details` names each invalid field. The field is `template_name` if the header has no " +
      "sample that the channel accepts. If the error has `details`, you can use the idempotency " +
      "key again. Otherwise, the service also refuses a repeated request with this key.",
    members: {
      channel: CHANNEL,
      details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 },
    },
    optional: ["channel", "details"],
  },
  media_rejected: {
    description:
      "The channel does not accept the file, or cannot fetch the file from its URL. `channel` " +
      "contains the reason. A reply with the file was not sent. Repeating the request with the " +
      "same idempotency key sends nothing. Upload a file that the channel accepts.",
    members: { channel: CHANNEL },
  },
  recipient_unreachable: {
    description:
      "The channel does not deliver to this phone number. `channel` contains the reason.",
    members: { channel: CHANNEL },
  },
  recipient_opted_out: {
    description: "The recipient has opted out of marketing messages in WhatsApp.",
    members: { channel: CHANNEL },
  },
  too_many_requests: {
    description:
      "Your company, or for files, large pages and batches all companies together, has more " +
      "requests in progress than one instance of the service allows. Nothing was done; send the " +
      "request again after `Retry-After`.",
  },
  channel_account_error: {
    description:
      "The channel refuses the connected account because of its token, its permissions or its " +
      "status at the channel. Nothing was sent or read. Reconnect the account, then repeat the " +
      "request.",
    members: { channel: CHANNEL },
    optional: ["channel"],
  },
  channel_unavailable: {
    description:
      "For a send: the channel did not accept the message (`not_sent`), or the outcome is " +
      "unknown (`unknown`). Repeat the request with the same idempotency key, which never sends " +
      "the message twice. For a message's media file: the channel does not provide the file at " +
      "the moment, or sent the wrong bytes. Repeat the request later.",
    ofSends: ["outcome"],
    members: {
      outcome: {
        type: "string",
        enum: ["not_sent", "unknown"],
        description:
          "`not_sent`: the channel definitely does not have the message. `unknown`: the channel " +
          "may have the message.",
      },
    },
  },
  database_unavailable: {
    description:
      "The database does not respond. Try again after `Retry-After`. `error` says whether a " +
      "change may have been made. Repeating the request with the same `Idempotency-Key` is " +
      "always safe: the change is made only once.",
    members: {
      version: {
        type: "string",
        description: "The release of the functions. Only `GET /health` returns `version`.",
      },
    },
    optional: ["version"],
  },
  internal: {
    description: "The service failed. Report the id in `request_id` to the operator.",
    sentences: ["Internal error"],
  },
};

const RETRY_AFTER: JsonSchema = {
  description: "The number of seconds to wait before you try again.",
  schema: { type: "integer", minimum: 0 },
};

const HEADERS: Partial<Record<ErrorCode, Record<string, JsonSchema>>> = {
  method_not_allowed: {
    Allow: {
      description: "The methods that the path supports, separated by commas.",
      required: true,
      schema: { type: "string" },
    },
  },
  idempotency_in_progress: { "Retry-After": RETRY_AFTER },
  precondition_failed: { ETag: { $ref: "#/components/headers/ETagOfPresent" } },
  too_many_requests: { "Retry-After": { ...RETRY_AFTER, required: true } },
  database_unavailable: { "Retry-After": { ...RETRY_AFTER, required: true } },
  channel_unavailable: { "Retry-After": RETRY_AFTER },
};

/** Returns the headers of a response with one of these errors. */
export function headersOf(codes: ErrorCode[]): Record<string, JsonSchema> {
  return Object.assign({}, ...codes.map((code) => HEADERS[code]));
}

/**
 * Returns the schema of an error body.
 * @param always the properties of every error body of an API function, such as `success: false`.
 */
export function errorSchema(code: ErrorCode, always: Record<string, unknown>): JsonSchema {
  const { description, sentences, optional = [], ofSends = [] } = ERRORS[code];
  const isOfSends = Object.keys(always).length > 0;
  const members = Object.fromEntries(
    Object.entries(ERRORS[code].members ?? {})
      .filter(([name]) => isOfSends || !ofSends.includes(name)),
  );
  const properties = {
    ...Object.fromEntries(Object.entries(always).map(([name, value]) => [name, { const: value }])),
    error: {
      type: "string",
      description: "A human-readable description of the error.",
      ...(sentences && { enum: sentences }),
    },
    code: { const: code },
    request_id: { type: "string", description: "The request id, as in `X-Request-Id`." },
    ...members,
    doc_url: { $ref: "#/components/schemas/DocUrl" },
  };
  const isRequired = (name: string) => name !== "doc_url" && !optional.includes(name);
  const required = Object.keys(properties).filter(isRequired);
  return { type: "object", description, properties, required };
}

/** Groups the codes by HTTP status, in the order of the error table. */
export function byStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(STATUS) as ErrorCode[]) {
    if (!codes.includes(code)) continue;
    const group = groups.get(STATUS[code]) ?? [];
    groups.set(STATUS[code], [...group, code]);
  }
  return groups;
}
