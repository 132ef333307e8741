import type { Context } from "hono";
import { type ApiEnv, keyIsJudged } from "../_shared/key/authenticate.ts";
import { keepRunning } from "../_shared/background.ts";
import { type CompanyDb, DatabaseError, rows } from "../_shared/database/company_db.ts";
import { logFailure } from "../_shared/log.ts";
import type { SenderConfig } from "./config.ts";
import type { SendOutcome } from "../_shared/whatsapp/outcome.ts";
import type { SendRequest } from "./request.ts";

// The two ends of a send in the database; see claim_template_send() and settle_template_send() there.

/** What the database decided about a request. */
export type Claim =
  | ({ result: "claimed" } & ClaimedSend)
  | { result: "repeat"; status: SendStatus; conversation_id: string; message_id: string }
  | { result: "do_not_contact" }
  | { result: "no_account"; connected: ConnectedAccount[] };

export type SendStatus = "sent" | "pending" | "failed";

/** A send that is this request's to make, and nobody else's. */
export interface ClaimedSend {
  send_id: string;
  company_id: string;
  account_id: string;
  phone_number_id: string;
  encrypted_token: string;
  conversation_id: string;
  message_id: string;
  created_conversation: boolean;
}

/** An account that a request could have named. */
export interface ConnectedAccount {
  phone_number_id: string;
  display_phone: string;
}

type Settlement =
  | { outcome: "sent"; whatsapp_message_id: string }
  | { outcome: "failed" | "released"; reason: string; channel_code?: number };

/**
 * Claims the send that a request asks for: one round trip, in which the key is judged as well.
 *
 * @param claimId a new one, by which the send is settled.
 * @throws ApiError invalid_api_key or insufficient_scope; DatabaseError when the database does not
 *   answer. It may have claimed the send all the same, so the claim is given up behind the answer:
 *   what was never sent stays free to be sent.
 */
export async function claimSend(
  c: Context<ApiEnv>,
  config: SenderConfig,
  claimId: string,
  request: SendRequest,
): Promise<Claim> {
  try {
    const claim = rows(
      await c.var.db.rpc("claim_template_send", {
        claim_id: claimId,
        phone: request.phone,
        content: request.display_text,
        message_type: request.template_header_type ?? "text",
        template_name: request.template_name,
        language_code: request.language_code,
        contact_name: request.contact_name || undefined,
        phone_number_id: request.phone_number_id,
        idempotency_key: request.idempotency_key,
      }),
    );
    keyIsJudged(c);
    return claim as unknown as Claim; // jsonb, as the function in the database makes it
  } catch (error) {
    if (error instanceof DatabaseError && error.mayBeCommitted) {
      keepRunning(giveUpClaim(c, config, claimId));
    }
    throw error;
  }
}

/** Releases a claim that the database may have made, or may be about to make. */
async function giveUpClaim(c: Context<ApiEnv>, config: SenderConfig, claimId: string) {
  const settlement: Settlement = { outcome: "released", reason: "claim_unanswered" };
  for (const ms of config.settleRetriesMs) {
    await pause(ms);
    const state = await settle(c.var.db, claimId, settlement).catch(() => null);
    if (state !== null) return;
  }
}

/**
 * Records what became of a claimed send; one round trip. While the database does not take it, it is
 * tried again: longer than the caller waits, because a send that went out must not be forgotten. An
 * unknown outcome is not recorded; the claim's lease ends it.
 */
export async function settleSend(
  c: Context<ApiEnv>,
  config: SenderConfig,
  claimId: string,
  send: ClaimedSend,
  outcome: SendOutcome,
): Promise<void> {
  const settlement = settlementOf(outcome);
  if (!settlement) return;
  const settling = settleAtLast(c, config, claimId, settlement).catch((error) => {
    // The claim id is what the operator settles by; the channel's id of the message would tell the phone.
    const { send_id } = send;
    logFailure(c, "send_not_settled", error, {
      send_id,
      claim_id: claimId,
      outcome: settlement.outcome,
    });
  });
  keepRunning(settling);
  await withinMs(config.settleWaitMs, settling);
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
  c: Context<ApiEnv>,
  { settleRetriesMs }: SenderConfig,
  claimId: string,
  settlement: Settlement,
): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      await settle(c.var.db, claimId, settlement);
      return;
    } catch (error) {
      if (tries === settleRetriesMs.length) throw error;
      await pause(settleRetriesMs[tries]);
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
