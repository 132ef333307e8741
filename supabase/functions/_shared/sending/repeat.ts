import * as z from "zod/mini";
import { fingerprintOf } from "../http/idempotency.ts";
import { logWarning, type Origin } from "../log.ts";
import { DryRun, dryRunAnswer, Repeat, repeatAnswer } from "./send_answers.ts";
import type { RepeatedSend } from "./claim.ts";

// The idempotency key alone identifies a repeat of a send. The rest of the request is compared as
// well, to warn a caller who gives two different messages the same key.

/** The body of an answer, and headers in addition to those of every answer. */
export interface SendReply<Body> {
  body: Body;
  headers?: Record<string, string>;
}

/** The header of the answer to a repeat that differs from the request that made the send. */
const MISMATCH = { "Idempotency-Mismatch": "true" };

/**
 * A digest of a request's content without its key. Undefined for a request without a key, because
 * it has no repeat.
 */
export async function fingerprintOfSend(
  { idempotency_key, ...said }: { idempotency_key?: string },
): Promise<string | undefined> {
  return idempotency_key === undefined ? undefined : await fingerprintOf(said);
}

/**
 * The answer to a repeat. If the repeat differs from the first request, the answer says so and a
 * line is logged: the message of the repeat was never sent.
 */
export function repeatReply(
  repeat: { result: "repeat"; company_id: string } & RepeatedSend,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): SendReply<z.output<typeof Repeat> | z.output<typeof DryRun>> {
  const { mismatch, company_id, message_id } = repeat;
  if (mismatch && !dryRun) logWarning(origin, "idempotency_mismatch", { company_id, message_id });
  const body = dryRun ? dryRunAnswer(repeat) : repeatAnswer(repeat);
  return { body, ...(mismatch && { headers: MISMATCH }) };
}
