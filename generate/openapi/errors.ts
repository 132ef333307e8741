import { type ErrorCode, STATUS } from "../../supabase/functions/_shared/errors.ts";
import type { JsonSchema } from "./json_schema.ts";

/** The description of one error. */
interface ErrorWords {
  /** When the API returns the error, and what the caller does next. */
  description: string;
  /** All sentences that the error can have; missing when there is no fixed list. */
  sentences?: string[];
  /** Members of the body in addition to `error`, `code` and `request_id`. */
  members?: Record<string, JsonSchema>;
  /** Members that only some bodies of this error have. */
  optional?: string[];
  /** Members that the error has only in the functions that send. */
  ofSends?: string[];
}

const DETAIL: JsonSchema = { $ref: "#/components/schemas/FieldError" };
const DETAILS_OF_BATCH: JsonSchema = {
  type: "array",
  items: DETAIL,
  minItems: 1,
  maxItems: 1,
  description: "Only for a batch: the item that failed, such as `items.3.id`.",
};
const CHANNEL: JsonSchema = { $ref: "#/components/schemas/ChannelError" };

/** Schemas that errors share. */
export const SHARED_SCHEMAS: Record<string, JsonSchema> = {
  FieldError: {
    type: "object",
    description:
      "What is wrong with one field. The message completes a sentence that begins with the field's name.",
    properties: {
      field: {
        type: "string",
        description:
          "A path with dots, such as `phone`, `tags.3` or `limit`; `body` means the whole body.",
      },
      message: { type: "string", description: "What is wrong, such as `is required`." },
      phone_number_id: {
        type: "string",
        description: "A messaging account that the request can name in `phone_number_id`.",
      },
      display_phone: { type: "string", description: "The phone number of that account." },
    },
    required: ["field", "message"],
  },
  ChannelError: {
    type: "object",
    description: "The error of the messaging channel, in its own words.",
    properties: {
      code: { type: "integer", description: "The channel's error code." },
      message: { type: "string", maxLength: 1000, description: "The channel's message." },
      details: {
        type: "string",
        maxLength: 1000,
        description: "The channel's explanation, when it gives one.",
      },
    },
    required: ["code"],
  },
  DocUrl: {
    type: "string",
    format: "uri",
    description:
      "The page that explains the error, such as `https://docs.example.com/errors.html#conflict`. " +
      "Missing if the operator of the API has not configured such pages.",
  },
};

/** The descriptions of all errors. The code does not compile if one is missing. */
export const ERRORS: Record<ErrorCode, ErrorWords> = {
  malformed_request: {
    description:
      "The request is incomplete or not valid HTTP: its body ended too early, or its `Host` is " +
      "not a host name. Send the complete request again.",
  },
  header_not_accepted: {
    description:
      "The request has a header such as `If-Unmodified-Since` or `If-Match`, which should " +
      "protect against a wrong change, but the operation does not support the header. Nothing " +
      "was done. `details` names the header and says what to use instead.",
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
      "The body of the request did not arrive within 15 seconds, or an uploaded file within 60. Nothing was done; send the request again.",
  },
  conflict: {
    description:
      "The change conflicts with an existing record: a contact with the same phone, another " +
      "conversation that is not closed, or the contact into which this contact was merged. " +
      "`error` says what to do with that existing record. For a pipeline or a stage: the company " +
      "would have no default pipeline, the pipeline to archive has deals, or the record to change " +
      "is archived. For a reply: the contact is archived, or the conversation is closed. For " +
      "a message to mark as read: no person wrote it, or it is too old. If the " +
      "conversation is closed, `existing_id` is the id of the contact's conversation that is not " +
      "closed, if there is one.",
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
      "`Retry-After`, to get the same answer as the first request.",
  },
  window_closed: {
    description:
      "More than 24 hours have passed since the person last wrote to this business number, or the " +
      "person has never written. You can send a template. You can send a free reply after the " +
      "person writes.",
    members: {
      window_expires_at: {
        type: ["string", "null"],
        format: "date-time",
        description:
          "When the window closed, or will close within the next minute; `null` if the person has " +
          "never written. Missing if the channel reported that the window is closed.",
      },
      channel: CHANNEL,
    },
    optional: ["window_expires_at", "channel"],
  },
  cursor_expired: {
    description:
      "The database was restored or moved after the service made this cursor of `changes`, so the " +
      "list may lack some changes. Read everything again from `start=beginning`.",
  },
  media_expired: {
    description:
      "The channel no longer has the medium of this message, because it keeps a medium that a " +
      "person sent for only seven days. Only the person can send the medium again.",
  },
  precondition_failed: {
    description: "The record has changed since you read it: `If-Match` does not have its current " +
      "`ETag`. Nothing was written. Read the record again, and repeat the change if you " +
      "still want it.",
    members: {
      etag: {
        type: "string",
        description: "The record's current ETag. Missing when there is no such record.",
      },
    },
    optional: ["etag"],
  },
  payload_too_large: {
    description:
      "The request's body is larger than 1 MiB, or an uploaded file exceeds the limit for its type.",
  },
  invalid_request: {
    description:
      "A field, a parameter or an id is wrong. `details` names each wrong value and says what it must be.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
    optional: ["details"],
  },
  idempotency_key_reused: {
    description:
      "An earlier request with another body or other parameters used this `Idempotency-Key` in " +
      "the last 24 hours. For a send: its `idempotency_key` belongs to a message to another " +
      "recipient, with another template or of the other kind, and `details` names the fields that " +
      "differ. Nothing was done.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
    optional: ["details"],
  },
  query_too_expensive: {
    description:
      "No index finds the records of this query quickly, so the service stopped the query after " +
      "three seconds. `error` says what to add or to leave out.",
  },
  account_not_connected: {
    description:
      "The company has no connected messaging account. Connect one, then repeat the request.",
  },
  phone_number_id_required: {
    description:
      "The company has more than one connected messaging account. `details` lists them; name " +
      "one in `phone_number_id`.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
  },
  template_rejected: {
    description:
      "The template is not approved, does not exist in this language or needs other values; or " +
      "the channel does not accept this free reply. If the error has `channel`, the channel " +
      "refused the message, and `channel` has the reason. If the error has `details`, the " +
      "service compared the request with the account's list of templates, and `details` names " +
      "each wrong field. The service refuses a repeat too. After a refusal with `details`, you " +
      "can use the idempotency key again.",
    members: {
      channel: CHANNEL,
      details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 },
    },
    optional: ["channel", "details"],
  },
  media_rejected: {
    description:
      "The channel does not accept the file, or cannot fetch it from its address. `channel` has " +
      "the reason. A reply with the file was not sent, and a repeat with its idempotency key " +
      "sends nothing. Upload a file that the channel accepts.",
    members: { channel: CHANNEL },
  },
  recipient_unreachable: {
    description: "The channel does not deliver to this phone. `channel` has the reason.",
    members: { channel: CHANNEL },
  },
  recipient_opted_out: {
    description: "The recipient has opted out of messages of this kind.",
    members: { channel: CHANNEL },
  },
  too_many_requests: {
    description:
      "Your company has more requests in progress than one instance of the service allows. " +
      "Nothing was done; send the request again after `Retry-After`.",
  },
  channel_account_error: {
    description:
      "The channel refuses the connected account because of its token, its permissions or " +
      "its status at the channel. Nothing was sent or read. Connect the account again, then repeat " +
      "the request.",
    members: { channel: CHANNEL },
    optional: ["channel"],
  },
  channel_unavailable: {
    description:
      "For a send: the channel did not accept the message (`not_sent`), or the outcome is " +
      "unknown (`unknown`). Repeat the request with the same idempotency key: a repeat never " +
      "sends the message twice. For the medium of a message: the channel does not provide it at " +
      "the moment, or sent wrong bytes; repeat the request later.",
    ofSends: ["outcome"],
    members: {
      outcome: {
        type: "string",
        enum: ["not_sent", "unknown"],
        description:
          "`not_sent`: the channel certainly does not have the message. `unknown`: the channel may " +
          "have the message.",
      },
    },
  },
  database_unavailable: {
    description:
      "The database does not answer. Try again after `Retry-After`. `error` says whether a " +
      "change may have been made. A repeat with the same `Idempotency-Key` is always safe: the " +
      "change is made only once.",
    members: {
      version: {
        type: "string",
        description: "The release of the functions. Only `GET /health` has it.",
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

/** The headers of an answer with one of these errors. */
export function headersOf(codes: ErrorCode[]): Record<string, JsonSchema> {
  return Object.assign({}, ...codes.map((code) => HEADERS[code]));
}

/**
 * The schema of the body of an error.
 * @param always members that every error body of the function has, such as `success: false`.
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
      description: "What happened, as a sentence for people.",
      ...(sentences && { enum: sentences }),
    },
    code: { const: code },
    request_id: { type: "string", description: "The id of the request, as in `X-Request-Id`." },
    ...members,
    doc_url: { $ref: "#/components/schemas/DocUrl" },
  };
  const isRequired = (name: string) => name !== "doc_url" && !optional.includes(name);
  const required = Object.keys(properties).filter(isRequired);
  return { type: "object", description, properties, required };
}

/** The codes grouped by their HTTP status, in the order of the table of errors. */
export function byStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(STATUS) as ErrorCode[]) {
    if (!codes.includes(code)) continue;
    const group = groups.get(STATUS[code]) ?? [];
    groups.set(STATUS[code], [...group, code]);
  }
  return groups;
}
