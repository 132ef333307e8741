import * as z from "zod";
import { fingerprintOf } from "../http/idempotency.ts";
import { logWarning, type Origin } from "../log.ts";
import { DryRun, dryRunAnswer, Repeat, repeatAnswer } from "./answers.ts";
import type { RepeatedSend } from "./claim.ts";

// A repeat of a send is known by its idempotency key alone. What else the request says is compared, to tell a caller who
// gives two messages one key.

/** The body of an answer, with the headers that it has beside those of every answer. */
export interface SendReply<Body> {
  body: Body;
  headers?: Record<string, string>;
}

/** The header of the answer to a repeat that says something else than the request that made the send. */
const MISMATCH = { "Idempotency-Mismatch": "true" };

/** A digest of what a request says beside its key; undefined for a request without one, which has no repeat. */
export async function fingerprintOfSend(
  { idempotency_key, ...said }: { idempotency_key?: string },
): Promise<string | undefined> {
  return idempotency_key === undefined ? undefined : await fingerprintOf(said);
}

/** The answer to a repeat. One that says something else is told so, and logged: its message was never sent. */
export function repeatReply(
  repeat: { result: "repeat"; company_id: string } & RepeatedSend,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): SendReply<z.output<typeof Repeat> | z.output<typeof DryRun>> {
  const { mismatch, company_id, message_id } = repeat;
  if (mismatch && !dryRun) logWarning(origin, "idempotency_mismatch", { company_id, message_id });
  const body = dryRun ? dryRunAnswer(repeat) : repeatAnswer(repeat);
  return { body, ...(mismatch && { headers: MISMATCH }) };
}
