import { keepRunning } from "../_shared/background.ts";
import { DatabaseError, rows } from "../_shared/database/rows.ts";
import type { Caller } from "../_shared/key/caller.ts";
import { giveUpClaim, type SettlePatience } from "../_shared/whatsapp/settle.ts";
import type { SendRequest } from "./request.ts";

// The beginning of a send in the ledger; see claim_template_send() in the database.

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

/**
 * Claims the send that a request asks for: one round trip, in which the key is judged as well.
 *
 * @param claimId a new one, by which the send is settled.
 * @throws ApiError invalid_api_key or insufficient_scope; DatabaseError when the database does not
 *   answer. It may have claimed the send all the same, so the claim is given up behind the answer:
 *   what was never sent stays free to be sent.
 */
export async function claimSend(
  caller: Caller,
  patience: SettlePatience,
  claimId: string,
  request: SendRequest,
): Promise<Claim> {
  try {
    const claim = rows(
      await caller.db.rpc("claim_template_send", {
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
    caller.wasJudged();
    return claim as unknown as Claim; // jsonb, as the function in the database makes it
  } catch (error) {
    if (error instanceof DatabaseError && error.mayBeCommitted) {
      keepRunning(giveUpClaim(caller.db, patience, claimId));
    }
    throw error;
  }
}
