import { rows } from "../../_shared/database/rows.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import {
  type ClaimedSend,
  claimSend,
  type RepeatedSend,
  type ReusedKey,
} from "../../_shared/sending/claim.ts";
import type { Origin } from "../../_shared/log.ts";
import type { SettlePatience } from "../../_shared/sending/settle.ts";
import { interactiveOf } from "./interactive.ts";
import type { Person } from "./recipient.ts";
import type { ReplyRequest } from "./reply_request.ts";

// How a free reply is claimed before the call to the channel; see claim_reply() in the database.

/** The database's decision about a request of this company. */
export type ReplyClaim = { company_id: string } & Decision;

type Decision =
  | ({ result: "claimed" } & ClaimedReply)
  | ({ result: "repeat" } & RepeatedSend)
  | ({ result: "reused" } & ReusedKey)
  | { result: "not_found" }
  /** The contact of the conversation is archived. */
  | { result: "archived" }
  /** The person of the conversation was erased. */
  | { result: "erased" }
  | { result: "no_account" }
  | { result: "do_not_contact" }
  /**
   * `existing_id` is the id of another conversation with the contact on the same account, if that
   * conversation is not closed. Otherwise `existing_id` is null.
   */
  | { result: "closed"; existing_id: string | null }
  /** If `expires_at` is null, the person has never written to this number. */
  | { result: "window_closed"; expires_at: string | null }
  | Unfit
  /** A dry run: the send would be claimed. */
  | { result: "send" };

/**
 * A field of the request does not match the conversation, or does not match the file that the
 * request names.
 */
export interface Unfit {
  result: "unfit";
  field: string;
  fault: "unknown" | "not_document" | "not_audio" | "not_opus" | "caption_of_audio";
}

/** A free reply that this request has claimed. */
export interface ClaimedReply extends ClaimedSend, Person {
  /** The file in the channel's format; missing if the reply has no file. */
  media?: {
    type: "image" | "video" | "audio" | "document";
    id?: string;
    link?: string;
    filename?: string;
    voice?: true;
  };
  /** The channel's id of the message that this reply refers to. */
  reply_to?: string;
}

/**
 * Claims the reply of a request, with `claimSend()`.
 *
 * @param dryRun whether the database only makes the decision, and writes nothing.
 */
export async function claimReply(
  caller: Caller,
  patience: SettlePatience,
  claimId: string,
  request: ReplyRequest,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): Promise<ReplyClaim> {
  const { conversation_id, text = "", idempotency_key, media, reply_to_id } = request;
  return await claimSend(caller, patience, { claimId, origin }, async () =>
    rows(
      await caller.db.rpc("claim_reply", {
        claim_id: claimId,
        conversation_id,
        content: text,
        idempotency_key,
        dry_run: dryRun,
        media,
        reply_to_id,
        interactive: interactiveOf(request),
      }),
    ) as unknown as ReplyClaim); // the jsonb from claim_reply()
}
