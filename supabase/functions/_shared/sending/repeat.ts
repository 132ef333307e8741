import * as z from "zod/mini";
import { ApiError, toldFields } from "../errors.ts";
import { takeLine } from "../line_limit.ts";
import { logWarning, type Origin } from "../log.ts";
import { DryRun, dryRunAnswer, Repeat, repeatAnswer } from "./send_answers.ts";
import type { DecisiveField, RepeatedSend, ReusedKey } from "./claim.ts";

// An idempotency key names one message: its kind, its recipient and its template. A request that
// differs in one of these is refused. A request that differs only in its text or variables is a
// repeat, and the response reports the difference.

/** A response body, and headers in addition to those of every response. */
export interface SendReply<Body> {
  body: Body;
  headers?: Record<string, string>;
}

/** The header in the response to a repeat that differs from the first request. */
const MISMATCH = { "Idempotency-Mismatch": "true" };

/**
 * The response to a repeat. If the repeat differs from the first request, the changed content is
 * not sent, and the response reports the difference. Except in a dry run, a line is logged too, at
 * most 10 times in ten seconds.
 */
export function repeatReply(
  repeat: { result: "repeat"; company_id: string } & RepeatedSend,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): SendReply<z.output<typeof Repeat> | z.output<typeof DryRun>> {
  const { mismatch, company_id, message_id } = repeat;
  const line = mismatch && !dryRun ? takeLine("idempotency_mismatch") : null;
  if (line) logWarning(origin, "idempotency_mismatch", { company_id, message_id, ...line });
  const body = dryRun ? dryRunAnswer(repeat) : repeatAnswer(repeat);
  return { body, ...(mismatch && { headers: MISMATCH }) };
}

/** The error messages for fields that do not match the message with this idempotency key. */
const DIFFERS: Record<Exclude<DecisiveField, "idempotency_key">, string> = {
  template_name: "is not the template of the earlier message",
  language_code: "is not the language of the earlier message",
  phone: "is not the recipient of the earlier message",
  conversation_id: "is not a conversation with the recipient of the earlier message",
};

/**
 * The error for a request whose idempotency key names another message.
 *
 * @param otherKind the kind of the message that the key belongs to, such as `a free reply`.
 */
export function keyOfOtherMessage({ differs }: ReusedKey, otherKind: string): ApiError {
  const { details, told } = toldFields(differs.map((field) => ({
    field,
    message: field === "idempotency_key" ? `names ${otherKind}` : DIFFERS[field],
  })));
  return new ApiError(
    "idempotency_key_reused",
    `This idempotency_key belongs to another message: ${told}. Nothing was sent; give this message its own key`,
    { details },
  );
}
