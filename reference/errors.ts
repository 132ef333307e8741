import { type ErrorCode, STATUS } from "../supabase/functions/_shared/errors.ts";
import type { JsonSchema } from "./json_schema.ts";

/** The description of one error. */
interface ErrorWords {
  /** When it is answered, and what the caller does next. */
  description: string;
  /** All sentences that it can have; missing when there is no fixed list. */
  sentences?: string[];
  /** Members of the body beside `error`, `code` and `request_id`. */
  members?: Record<string, JsonSchema>;
  /** The members that are not always there. */
  optional?: string[];
}

const DETAIL: JsonSchema = { $ref: "#/components/schemas/FieldError" };
const DETAILS_OF_BATCH: JsonSchema = {
  type: "array",
  items: DETAIL,
  minItems: 1,
  maxItems: 1,
  description: "Only of a batch with `atomic=true`: the item that failed, as in `items.3.id`.",
};
const CHANNEL: JsonSchema = { $ref: "#/components/schemas/ChannelError" };

/** Schemas that errors share. */
export const SHARED_SCHEMAS: Record<string, JsonSchema> = {
  FieldError: {
    type: "object",
    description: "What is wrong with one field. The message follows the field's name.",
    properties: {
      field: {
        type: "string",
        description:
          "A path with dots, such as `phone`, `tags.3` or `limit`; `body` for the whole body.",
      },
      message: { type: "string", description: "What is wrong, such as `is required`." },
      phone_number_id: {
        type: "string",
        description: "An account to choose, when the request must name one.",
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
      "Where the error is explained, such as `https://docs.example.com/errors.html#conflict`. Missing where " +
      "the operator of the API names no pages.",
  },
};

/** The descriptions of all errors. Does not compile when one is missing. */
export const ERRORS: Record<ErrorCode, ErrorWords> = {
  malformed_request: {
    description:
      "The request is not whole, or no HTTP request: its body broke off, or its `Host` is no host. " +
      "Send it again.",
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
    sentences: ["read", "write", "messaging"].map((scope) =>
      `This API key does not have ${scope} permission`
    ),
  },
  not_found: {
    description: "Your company has no such record.",
    members: { details: DETAILS_OF_BATCH },
    optional: ["details"],
  },
  route_not_found: { description: "There is no such path. `error` lists the paths." },
  method_not_allowed: {
    description: "The path does not take this method. `Allow` lists the methods that it takes.",
  },
  request_timeout: {
    description: "The body did not arrive within 15 seconds. Nothing was done; send it again.",
  },
  conflict: {
    description:
      "The change conflicts with an existing record: a contact with the same phone, or another " +
      "conversation that is not closed. Or the contact was merged into that record. `error` tells what to do with that record. Or: the default pipeline would be none, " +
      "a pipeline to archive has deals, or an archived one would be changed. Or: the conversation to reply in " +
      "is closed; `existing_id` is then the contact's one that is not, if there is one.",
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
      "The first request with this `Idempotency-Key` is under way. Repeat yours after `Retry-After`: it gets the same answer.",
  },
  window_closed: {
    description:
      "More than 24 hours have passed since the person last wrote on this number, or the person never did. Send a " +
      "template. A free reply is possible again once the person writes.",
    members: {
      window_expires_at: {
        type: ["string", "null"],
        format: "date-time",
        description:
          "When the window closed, or closes within a minute; null when the person has never written. Missing when " +
          "the channel said that the window is closed.",
      },
      channel: CHANNEL,
    },
    optional: ["window_expires_at", "channel"],
  },
  cursor_expired: {
    description:
      "The cursor of `changes` is from before the database was restored or moved, so changes may be " +
      "missing behind it. Read everything again from `start=beginning`.",
  },
  precondition_failed: {
    description:
      "The record has changed since you read it: its `ETag` is none of those in `If-Match`. Nothing was written. Read " +
      "the record again, and repeat the change if it still holds.",
    members: {
      etag: {
        type: "string",
        description: "The ETag of the record as it is now. Missing when there is no such record.",
      },
    },
    optional: ["etag"],
  },
  payload_too_large: { description: "The body is larger than 1 MiB." },
  invalid_request: {
    description:
      "A field, a parameter or an id is wrong. `details` names each one and what it must be.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
    optional: ["details"],
  },
  idempotency_key_reused: {
    description:
      "The `Idempotency-Key` belongs to an earlier request of the last 24 hours, with another body or other parameters. " +
      "Nothing was done.",
  },
  query_too_expensive: {
    description:
      "No index finds the records of this query quickly, so it was ended after three seconds. `error` says what " +
      "to add or to leave out.",
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
      "The template is not approved, has another language or takes other values, or a free reply is none that the " +
      "channel takes. The channel refused it, and `channel` has the reason; or the account's catalogue of templates shows it, and `details` " +
      "names each field. A repeat is refused as well; after `details`, the idempotency key is still free.",
    members: {
      channel: CHANNEL,
      details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 },
    },
    optional: ["channel", "details"],
  },
  recipient_unreachable: {
    description: "The channel does not deliver to this phone. `channel` has the reason.",
    members: { channel: CHANNEL },
  },
  recipient_opted_out: {
    description: "The recipient has opted out of such messages.",
    members: { channel: CHANNEL },
  },
  too_many_requests: {
    description:
      "Your company has more requests under way than its share of an instance. Nothing was done; " +
      "send it again after `Retry-After`.",
  },
  channel_account_error: {
    description:
      "The channel refuses the connected account because of its token, its permissions or its " +
      "standing. Nothing was sent. Connect the account again, then repeat the request.",
    members: { channel: CHANNEL },
    optional: ["channel"],
  },
  channel_unavailable: {
    description: "The channel did not accept the message (`not_sent`), or the outcome is unknown " +
      "(`unknown`). Repeat the request with the same idempotency key: that never sends twice.",
    members: {
      outcome: {
        type: "string",
        enum: ["not_sent", "unknown"],
        description:
          "`not_sent`: the channel certainly does not have the message. `unknown`: it may have it.",
      },
    },
  },
  database_unavailable: {
    description:
      "The database does not answer. Try again after `Retry-After`. `error` tells whether a " +
      "change may have been made. With the same `Idempotency-Key`, a repeat does it once in any case.",
    members: {
      version: {
        type: "string",
        description: "The release of the functions. Only `GET /health` has it.",
      },
    },
    optional: ["version"],
  },
  internal: {
    description: "The service failed. Report the request id.",
    sentences: ["Internal error"],
  },
};

const RETRY_AFTER: JsonSchema = {
  description: "The number of seconds after which to try again.",
  schema: { type: "integer", minimum: 0 },
};

const HEADERS: Partial<Record<ErrorCode, Record<string, JsonSchema>>> = {
  method_not_allowed: {
    Allow: {
      description: "The methods that the path takes, separated by commas.",
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
  const { description, sentences, members = {}, optional = [] } = ERRORS[code];
  const properties = {
    ...Object.fromEntries(Object.entries(always).map(([name, value]) => [name, { const: value }])),
    error: {
      type: "string",
      description: "What happened, in a sentence for people.",
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
