import { rows } from "../_shared/database/rows.ts";
import type { Caller } from "../_shared/key/caller.ts";
import {
  type Access,
  type ClaimedSend,
  claimSend,
  type RepeatedSend,
  type ReusedKey,
} from "../_shared/sending/claim.ts";
import type { SettlePatience } from "../_shared/sending/settle.ts";
import type { Fault } from "../_shared/templates/template_words.ts";
import type { SendRequest } from "./template_request.ts";

// How a template send begins in the ledger; see claim_template_send() in the database.

/** The decision of the database about a request of this company. */
export type Claim = { company_id: string } & Decision;

type Decision =
  | ({ result: "claimed" } & ClaimedTemplate)
  | ({ result: "repeat" } & RepeatedSend)
  | ({ result: "reused" } & ReusedKey)
  | { result: "do_not_contact" | "marketing_opt_out" }
  | { result: "no_account"; connected: ConnectedAccount[] }
  | { result: "template_refused"; faults: Fault[] }
  | ({ result: "reread"; began_at: string; is_elsewhere: boolean } & Access)
  | ({ result: "media_needed"; template_id: string } & Access)
  /** A dry run: the send would be claimed. */
  | { result: "send" };

/** A send of a template that this request has claimed. */
export interface ClaimedTemplate extends ClaimedSend {
  /** How to fill the template; null when the template was never read. */
  template: KnownTemplate | null;
}

/** What a send must know about a stored template. */
export interface KnownTemplate {
  parameter_format: "POSITIONAL" | "NAMED";
  /** The header's format, in the channel's upper case; null without a header. */
  header_format: string | null;
  /** The variables, in the order in which a send lists their values. */
  variables: {
    header: { name: string }[];
    body: { name: string }[];
    buttons: { index: number; kind: "url" | "copy_code" }[];
  };
  /** The button that repeats the code of an authentication template. */
  otp_button: number | null;
  /** The uploaded media of the header. */
  media: { id: string; filename: string | null } | null;
}

/** A connected account, which the request can name. */
export interface ConnectedAccount {
  phone_number_id: string;
  display_phone: string;
}

/** How the database decides about a claim. */
export interface Judging {
  /**
   * `first`: the template may be read again before the send. `last`: it was already read again, or
   * could not be read.
   */
  preflight: "first" | "last";
  /** The database decides as usual, but writes nothing. */
  dryRun: boolean;
}

/** Claims the send of a request, as claimSend() does. */
export async function claimTemplate(
  caller: Caller,
  patience: SettlePatience,
  claimId: string,
  request: SendRequest,
  { preflight, dryRun }: Judging,
): Promise<Claim> {
  return await claimSend(caller, patience, claimId, async () =>
    rows(
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
        header_variables: request.header_variables,
        body_variables: request.body_variables,
        button_variables: request.button_variables,
        preflight,
        dry_run: dryRun,
      }),
    ) as unknown as Claim); // the jsonb from claim_template_send()
}
