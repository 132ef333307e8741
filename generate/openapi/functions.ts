import type { ErrorCode } from "../../supabase/functions/_shared/errors.ts";
import { conditionOf } from "../../supabase/functions/_shared/http/conditional.ts";
import { type Operation, pathOf } from "../../supabase/functions/_shared/http/operation.ts";
import { gatewayOperations } from "../../supabase/functions/gateway/operations.ts";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { readSenderConfig } from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { senderOperations } from "../../supabase/functions/send-external-template/operations.ts";
import { mediaOperations } from "../../supabase/functions/whatsapp/media/operations.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { replyOperations } from "../../supabase/functions/whatsapp/replies/operations.ts";

// A placeholder for the configuration. This file only reads the operation declarations and handles
// no requests.
const key = "A".repeat(43);
const env = {
  SUPABASE_URL: "http://127.0.0.1:9",
  SUPABASE_ANON_KEY: "none",
  JWT_SIGNING_KEY: JSON.stringify({ kty: "oct", k: key }),
  CREDENTIALS_KEY: key,
};
const config = { ...await readWhatsappConfig(env), ...await readSenderConfig(env) };

const gateway = gatewayOperations(await readGatewayConfig(env));
const sender = senderOperations(config);
const ofWhatsapp = [...replyOperations(config), ...mediaOperations(config)];

/** The id of an operation that the API serves, such as `listContacts`. */
export type OperationId = (typeof gateway | typeof sender | typeof ofWhatsapp)[number]["id"];

/** A function of the API, with the data that its OpenAPI description needs. */
export interface ApiFunction {
  name: string;
  operations: Operation<OperationId>[];
  /** Properties of every error body. */
  always: Record<string, unknown>;
}

/** The functions, in the order in which the OpenAPI document lists them. */
export const FUNCTIONS: ApiFunction[] = [
  { name: "gateway", operations: gateway, always: {} },
  { name: "send-external-template", operations: sender, always: { success: false } },
  // Only the channel and the operator's scheduler use this function's other paths.
  { name: "whatsapp", operations: ofWhatsapp, always: { success: false } },
];

/** Returns an operation's path in OpenAPI format: `/gateway/contacts/{id}`. */
export function describedPath({ name }: ApiFunction, operation: Operation): string {
  return pathOf(name, operation);
}

/**
 * Returns the codes of all errors that an operation can return. These are the errors that the
 * operation declares, and the errors that follow from its method, its scope and its headers.
 */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { scope, method, errors = [] } = operation;
  return [
    "malformed_request",
    "header_not_accepted",
    ...(scope === null ? [] : ["missing_api_key", "invalid_api_key"] as const),
    ...(scope === null || scope === "any" ? [] : ["insufficient_scope"] as const),
    // These errors also apply to an operation without a body, because the service checks whether
    // the request has a body.
    ...(method === "GET" ? [] : ["request_timeout", "payload_too_large"] as const),
    "invalid_request",
    ...(scope === null ? [] : ["too_many_requests", "database_unavailable"] as const),
    "internal",
    ...errors,
    ...(operation.idempotent ? ["idempotency_in_progress", "idempotency_key_reused"] as const : []),
    ...(conditionOf(operation) === "If-Match" ? ["precondition_failed"] as const : []),
  ];
}

/** The codes of errors that belong to no operation, such as the error for an unknown path. */
export const ERRORS_OF_NO_OPERATION: ErrorCode[] = ["route_not_found", "method_not_allowed"];
