import { keepRunning } from "../background.ts";
import { type CompanyDb, urgent } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import { logFailure, logFrequentFailure, type Origin } from "../log.ts";
import { waitAtMost } from "../wait_at_most.ts";
import { pause } from "../pause.ts";
import type { ChannelError, SendOutcome } from "../channel/outcome.ts";

// How the outcome of a send is recorded; see settle_send() in the database.

/** A claim that is not settled within this time has failed; see `sends.lease_ends_at`. */
const LEASE_MS = 90_000;

/** How long to try to record an outcome while the database fails. */
export interface SettlePatience {
  /** The pause before each further attempt. */
  settleRetriesMs: number[];
  /** The pause before each attempt to release a claim that may be recorded. */
  releaseRetriesMs: number[];
  /**
   * How long the caller waits for the outcome to be recorded. After this time, the attempts
   * continue in the background.
   */
  settleWaitMs: number;
}

/** A send, identified by its claim. */
interface Claimed {
  claimId: string;
  send: { send_id: string; was_refused?: true };
}

type Settlement =
  | { outcome: "sent"; whatsapp_message_id: string; was_refused?: true }
  | {
    outcome: "failed" | "released";
    reason: string;
    channel_code?: number;
    channel_message?: string;
    channel_details?: string;
  };

/**
 * Records the outcome of a claimed send, in one round trip. The outcome must not be lost, so this
 * function tries again if the database fails, even after the caller has received the response. An
 * unknown outcome is not recorded: the send is settled when the lease of its claim ends. Never
 * throws. An outcome that cannot be recorded is logged as `send_not_settled`.
 */
export async function settleSend(
  db: CompanyDb,
  { settleRetriesMs, settleWaitMs }: SettlePatience,
  { claimId, send: { send_id, was_refused } }: Claimed,
  outcome: SendOutcome,
  origin: Origin,
): Promise<void> {
  const settlement = settlementOf(outcome);
  if (!settlement) return;
  if (settlement.outcome === "sent" && was_refused) settlement.was_refused = true;
  const settling = settleWithRetries(db, settleRetriesMs, claimId, settlement).catch((error) => {
    // With the claim id, the operator can settle the send. The channel's message id is not logged,
    // because it contains the phone number.
    const facts = { send_id, claim_id: claimId, outcome: settlement.outcome };
    logFailure(origin, "send_not_settled", error, facts);
  });
  keepRunning(settling);
  await waitAtMost(settleWaitMs, settling);
}

/**
 * Releases a claim after which nothing was sent. It is unknown whether the database has recorded
 * the claim, so this function looks for the claim several times, until its lease has almost ended.
 * Never throws. If the database fails until then, `claim_not_released` is logged, at most 10 times
 * in ten seconds.
 * @param began when the claim began, as `performance.now()` returns it.
 */
export async function giveUpClaim(
  db: CompanyDb,
  { releaseRetriesMs }: SettlePatience,
  { claimId, began, origin }: { claimId: string; began: number; origin: Origin },
): Promise<void> {
  const settlement: Settlement = { outcome: "released", reason: "claim_unanswered" };
  let failure: unknown = null;
  for (const ms of releaseRetriesMs) {
    await pause(ms);
    if (performance.now() - began >= LEASE_MS) break; // the attempts timed out
    try {
      if (await settle(db, claimId, settlement) !== null) return;
      failure = null;
    } catch (error) {
      failure = error;
    }
  }
  if (failure) logFrequentFailure(origin, "claim_not_released", failure, { claim_id: claimId });
}

function settlementOf(outcome: SendOutcome): Settlement | null {
  switch (outcome.kind) {
    case "accepted":
      return { outcome: "sent", whatsapp_message_id: outcome.whatsappMessageId };
    case "refused":
      return { outcome: "failed", reason: outcome.error, ...inWords(outcome.channel) };
    case "not_taken":
      // For a refused account, only the code is stored, because the channel's message may contain a
      // malformed token.
      return {
        outcome: "released",
        reason: outcome.error,
        ...(outcome.error === "channel_account_error"
          ? { channel_code: outcome.channel?.code }
          : inWords(outcome.channel)),
      };
    case "unknown":
      return null;
  }
}

/**
 * A channel error, as arguments of `settle_send()`. The stored message of the send shows the
 * channel's error text.
 */
function inWords(channel: ChannelError | undefined) {
  return {
    channel_code: channel?.code,
    channel_message: storable(channel?.message),
    channel_details: storable(channel?.details),
  };
}

/**
 * Replaces characters that Postgres cannot store. Otherwise the database would refuse the whole
 * outcome because of one character in an error message.
 */
function storable(text: string | undefined): string | undefined {
  return text?.toWellFormed().replaceAll("\0", "\uFFFD") || undefined;
}

async function settleWithRetries(
  db: CompanyDb,
  retriesMs: number[],
  claimId: string,
  settlement: Settlement,
): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      if (await settle(db, claimId, settlement) !== null) return;
      throw new Error("The database found no send with this claim");
    } catch (error) {
      if (tries === retriesMs.length) throw error;
      await pause(retriesMs[tries]);
    }
  }
}

/** Settles the send, and returns its state; null when no send has this claim. */
async function settle(
  db: CompanyDb,
  claimId: string,
  settlement: Settlement,
): Promise<string | null> {
  const statement = db.rpc("settle_send", { claim_id: claimId, ...settlement });
  return rows(await urgent(statement));
}
