import { keepRunning } from "../background.ts";
import { DatabaseError } from "../database/rows.ts";
import type { Caller } from "../key/caller.ts";
import type { Origin } from "../log.ts";
import type { MismatchedField } from "./mismatched_field.ts";
import { giveUpClaim, type SettlePatience } from "./settle.ts";

// How a template send or a free reply is claimed before the call to the channel.

/** The sending account, with its sealed token. */
export interface Access {
  company_id: string;
  account_id: string;
  phone_number_id: string;
  business_account_id: string | null;
  encrypted_token: string;
}

/** A send that this request has claimed, so that no other request performs it. */
export interface ClaimedSend extends Access {
  send_id: string;
  /**
   * The number of this attempt, from 1. If the channel certainly did not accept a send, the send
   * can be claimed again, as the next attempt.
   */
  attempt: number;
  conversation_id: string;
  message_id: string;
  created_conversation: boolean;
  /** Present if the channel has refused the account since the account's last successful send. */
  was_refused?: true;
}

/** The state of an earlier send with the same idempotency key, for the response to a repeat. */
export interface RepeatedSend {
  status: "sent" | "pending" | "failed";
  conversation_id: string;
  message_id: string;
  /** The fields that differ from the send's first request; missing when no field differs. */
  mismatch?: MismatchedField[];
}

/**
 * The idempotency key belongs to another message. That message and the request differ in the
 * recipient, the template or the kind of message.
 */
export interface ReusedKey {
  /**
   * The fields of the request that do not match the other message. `idempotency_key` means that the
   * message is of another kind.
   */
  differs: DecisiveField[];
}

/** The fields that determine which message an idempotency key names. */
export type DecisiveField =
  | "idempotency_key"
  | "template_name"
  | "language_code"
  | "phone"
  | "conversation_id";

/**
 * Claims a send and checks the API key, in one round trip.
 * @param claimId a new id, which is needed to settle the send.
 * @param decide asks the database for its decision about the request.
 * @throws ApiError invalid_api_key or insufficient_scope; DatabaseError when the database fails.
 *   After a DatabaseError, the claim may still be recorded. So the claim is released in the
 *   background, and a repeat can then send the message.
 */
export async function claimSend<Claim extends { company_id: string }>(
  caller: Pick<Caller, "db" | "wasJudged">,
  patience: SettlePatience,
  { claimId, origin }: { claimId: string; origin: Origin },
  decide: () => Promise<Claim>,
): Promise<Claim> {
  const began = performance.now();
  try {
    const claim = await decide();
    caller.wasJudged(claim.company_id);
    return claim;
  } catch (error) {
    if (error instanceof DatabaseError && error.mayBeCommitted) {
      keepRunning(giveUpClaim(caller.db, patience, { claimId, began, origin }));
    }
    throw error;
  }
}
