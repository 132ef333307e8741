import { keepRunning } from "../background.ts";
import type { CompanyDb } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import { logFailure, type Origin } from "../log.ts";
import type { SendOutcome } from "./outcome.ts";

// The end of a send in the ledger; see settle_template_send() in the database. Nothing here needs a
// request: a report of the channel settles sends as well.

/** How patiently to record an outcome that the database does not take. */
export interface SettlePatience {
  /** How long to wait before each further try. */
  settleRetriesMs: number[];
  /** How long a caller waits for the outcome to be recorded; after it, that goes on without the caller. */
  settleWaitMs: number;
}

/** A send by its claim. */
interface ClaimedSend {
  claimId: string;
  sendId: string;
}

type Settlement =
  | { outcome: "sent"; whatsapp_message_id: string }
  | { outcome: "failed" | "released"; reason: string; channel_code?: number };

/**
 * Records what became of a claimed send; one round trip. While the database does not take it, it is
 * tried again: longer than the caller waits, because a send that went out must not be forgotten. An
 * unknown outcome is not recorded; the claim's lease ends it. Never throws: what cannot be recorded is
 * logged as `send_not_settled`.
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
  const settling = settleAtLast(db, settleRetriesMs, claimId, settlement).catch((error) => {
    // The claim id is what the operator settles by; the channel's id of the message would tell the phone.
    const facts = { send_id: sendId, claim_id: claimId, outcome: settlement.outcome };
    logFailure(origin, "send_not_settled", error, facts);
  });
  keepRunning(settling);
  await withinMs(settleWaitMs, settling);
}

/** Releases a claim that the database may have made, or may be about to make; nothing was sent for it. */
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
      return { outcome: "failed", reason: outcome.error, channel_code: outcome.channel.code };
    case "not_taken":
      return { outcome: "released", reason: outcome.error, channel_code: outcome.channel?.code };
    case "unknown":
      return null;
  }
}

async function settleAtLast(
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

/** The state that the send is in now; null when no send has this claim. */
async function settle(
  db: CompanyDb,
  claimId: string,
  settlement: Settlement,
): Promise<string | null> {
  return rows(await db.rpc("settle_template_send", { claim_id: claimId, ...settlement }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for work, but no longer than this. */
async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
