import { type ErrorCode, STATUS } from "../supabase/functions/_shared/errors.ts";
import type { JsonSchema } from "./json_schema.ts";

/** What the description says of one error. */
interface ErrorWords {
  /** When it is answered, and what the caller does about it. */
  description: string;
  /** The only sentences it has, where they are fixed. */
  sentences?: string[];
  /** Members of the body beside `error`, `code` and `request_id`. */
  members?: Record<string, JsonSchema>;
  /** Those of the members that are not always there. */
  optional?: string[];
}

const DETAIL: JsonSchema = { $ref: "#/components/schemas/FieldError" };
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
          "A path with dots, such as `phone`, `tags.3` or `limit`; `body` for the whole.",
      },
      message: { type: "string", description: "Such as `is required`." },
      phone_number_id: {
        type: "string",
        description: "Where an account must be named: one that may be.",
      },
      display_phone: { type: "string", description: "The phone number of that account." },
    },
    required: ["field", "message"],
  },
  ChannelError: {
    type: "object",
    description: "The error in the words of the messaging channel.",
    properties: {
      code: { type: "integer", description: "The channel's error code." },
      message: { type: "string" },
      details: { type: "string" },
    },
    required: ["code"],
  },
};

/** Every error that a caller can see. Does not compile when one is missing. */
export const ERRORS: Record<ErrorCode, ErrorWords> = {
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
  not_found: { description: "Your company has no such record." },
  route_not_found: { description: "There is no such path. The sentence lists the paths." },
  method_not_allowed: {
    description: "The path does not take this method. `Allow` lists those that it takes.",
  },
  conflict: {
    description: "Another record has what only one may have. Update that one instead.",
    members: {
      existing_id: {
        type: "string",
        format: "uuid",
        description: "The id of the existing record.",
      },
    },
  },
  payload_too_large: { description: "The body is larger than 1 MiB." },
  invalid_request: {
    description:
      "A field, parameter or id does not hold. `details` names each one and says what it must be.",
    members: { details: { type: "array", items: DETAIL, minItems: 1, maxItems: 50 } },
    optional: ["details"],
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
      "The channel refused the template: not approved, another language, wrong parameters. " +
      "A repeat is refused as well.",
    members: { channel: CHANNEL },
  },
  recipient_unreachable: {
    description: "The channel does not deliver to this phone.",
    members: { channel: CHANNEL },
  },
  recipient_opted_out: {
    description: "The person has opted out of such messages.",
    members: { channel: CHANNEL },
  },
  channel_account_error: {
    description:
      "The channel refuses the connected account for its token, its permissions or its " +
      "standing. Nothing was sent; connect the account again, then repeat the request.",
    members: { channel: CHANNEL },
    optional: ["channel"],
  },
  channel_unavailable: {
    description:
      "The channel did not take the message (`not_sent`), or nobody knows whether it did " +
      "(`unknown`). Repeat the request with its idempotency key: that never sends twice.",
    members: {
      outcome: {
        type: "string",
        enum: ["not_sent", "unknown"],
        description: "Whether the channel certainly does not have the message.",
      },
    },
  },
  database_unavailable: {
    description:
      "The database does not answer for now. Come back after `Retry-After`; the sentence says " +
      "whether a change may have been made.",
    members: { version: { type: "string", description: "Of `GET /health` alone: the release." } },
    optional: ["version"],
  },
  internal: {
    description: "The fault is ours. Report the request id.",
    sentences: ["Internal error"],
  },
};

const RETRY_AFTER: JsonSchema = {
  description: "In how many seconds to come back.",
  schema: { type: "integer", minimum: 0 },
};

const HEADERS: Partial<Record<ErrorCode, Record<string, JsonSchema>>> = {
  method_not_allowed: {
    Allow: {
      description: "The methods that the path takes.",
      required: true,
      schema: { type: "string" },
    },
  },
  database_unavailable: { "Retry-After": { ...RETRY_AFTER, required: true } },
  channel_unavailable: { "Retry-After": RETRY_AFTER },
};

/** The headers that an answer with one of these errors has. */
export function headersOf(codes: ErrorCode[]): Record<string, JsonSchema> {
  return Object.assign({}, ...codes.map((code) => HEADERS[code]));
}

/**
 * The body of an error.
 * @param always members that every error body of the function has, such as `success: false`.
 */
export function errorSchema(code: ErrorCode, always: Record<string, unknown>): JsonSchema {
  const { description, sentences, members = {}, optional = [] } = ERRORS[code];
  const properties = {
    ...Object.fromEntries(Object.entries(always).map(([name, value]) => [name, { const: value }])),
    error: {
      type: "string",
      description: "What happened, in a sentence.",
      ...(sentences && { enum: sentences }),
    },
    code: { const: code },
    request_id: { type: "string", description: "As in `X-Request-Id`." },
    ...members,
  };
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", description, properties, required };
}

/** Every code of a status, in the order of the list of errors. */
export function byStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(STATUS) as ErrorCode[]) {
    if (!codes.includes(code)) continue;
    const group = groups.get(STATUS[code]) ?? [];
    groups.set(STATUS[code], [...group, code]);
  }
  return groups;
}
