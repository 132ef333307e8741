import { keepRunning } from "../background.ts";
import { type CompanyDb, urgent } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import { logFailure, type Origin } from "../log.ts";
import { waitAtMost } from "../wait_at_most.ts";
import { pause } from "../pause.ts";
import type { ChannelError, SendOutcome } from "./outcome.ts";

// The end of a send in the ledger; see settle_send() in the database.

/** How long to try to record an outcome while the database fails. */
export interface SettlePatience {
  /** The wait before each further try. */
  settleRetriesMs: number[];
  /** How long the caller waits for the outcome to be recorded. After that, the tries go on without it. */
  settleWaitMs: number;
}

/** A send by its claim. */
interface ClaimedSend {
  claimId: string;
  sendId: string;
}

type Settlement =
  | { outcome: "sent"; whatsapp_message_id: string }
  | {
    outcome: "failed" | "released";
    reason: string;
    channel_code?: number;
    channel_message?: string;
    channel_details?: string;
  };

/**
 * Records the outcome of a claimed send, in one round trip. When the database fails, tries again, longer than
 * the caller waits: the outcome of a send must not be lost. An unknown outcome is not recorded; the end of
 * the claim's lease settles the send. Never throws: an outcome that cannot be recorded is logged as
 * `send_not_settled`.
 */
export async function settleSend(
  db: CompanyDb,
  { settleRetriesMs, settleWaitMs }: SettlePatience,
  { claimId, sendId }: ClaimedSend,
  outcome: SendOutcome,
  origin: Origin,
): Promise<void> {
  const settlement = settlementOf(outcome);
  if (!settlement) return;
  const settling = settleWithRetries(db, settleRetriesMs, claimId, settlement).catch((error) => {
    // The operator settles by the claim id. The channel's message id is left out: it contains the phone.
    const facts = { send_id: sendId, claim_id: claimId, outcome: settlement.outcome };
    logFailure(origin, "send_not_settled", error, facts);
  });
  keepRunning(settling);
  await waitAtMost(settleWaitMs, settling);
}

/** Releases a claim that the database may have made or may still make, and for which nothing was sent. */
export async function giveUpClaim(
  db: CompanyDb,
  { settleRetriesMs }: SettlePatience,
  claimId: string,
): Promise<void> {
  const settlement: Settlement = { outcome: "released", reason: "claim_unanswered" };
  for (const ms of settleRetriesMs) {
    await pause(ms);
    const state = await settle(db, claimId, settlement).catch(() => null);
    if (state !== null) return;
  }
}

function settlementOf(outcome: SendOutcome): Settlement | null {
  switch (outcome.kind) {
    case "accepted":
      return { outcome: "sent", whatsapp_message_id: outcome.whatsappMessageId };
    case "refused":
      return { outcome: "failed", reason: outcome.error, ...inWords(outcome.channel) };
    case "not_taken":
      // Of a refused account, only the code is told: the channel's words can quote a malformed token.
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

/** An error of the channel for the ledger, whose words show in the message. */
function inWords(channel: ChannelError | undefined) {
  return {
    channel_code: channel?.code,
    channel_message: storable(channel?.message),
    channel_details: storable(channel?.details),
  };
}

/** A text that Postgres stores: an outcome must not be lost for the words of its obstacle. */
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
      await settle(db, claimId, settlement);
      return;
    } catch (error) {
      if (tries === retriesMs.length) throw error;
      await pause(retriesMs[tries]);
    }
  }
}

/** Settles, and returns the state of the send; null when no send has this claim. */
async function settle(
  db: CompanyDb,
  claimId: string,
  settlement: Settlement,
): Promise<string | null> {
  const statement = db.rpc("settle_send", { claim_id: claimId, ...settlement });
  return rows(await urgent(statement));
}
