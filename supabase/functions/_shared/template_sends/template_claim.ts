import { rows } from "../database/rows.ts";
import type { Caller } from "../key/caller.ts";
import {
  type Access,
  type ClaimedSend,
  claimSend,
  type RepeatedSend,
  type ReusedKey,
} from "../sending/claim.ts";
import type { ConnectedAccount } from "../sending/no_account.ts";
import type { Origin } from "../log.ts";
import type { SettlePatience } from "../sending/settle.ts";
import type { Fault } from "../templates/template_words.ts";
import type { SendRequest } from "./template_request.ts";

// How a template send is claimed before the call to the channel; see claim_template_send() in the
// database.

/** The database's decision about a request of this company. */
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
  /**
   * The header needs media, and an old copy of the template has no sample. `reason` is a message for
   * callers.
   */
  | { result: "no_sample"; reason: string }
  | ({ result: "own_media_needed"; kind: OwnMedia["type"] } & Access)
  | UnfitMedia
  /** A dry run: the send would be claimed. */
  | { result: "send" };

/** The caller's media file does not match the header. `kind` is the kind that the header needs. */
export interface UnfitMedia {
  result: "unfit";
  field: "id" | null;
  fault: "unknown" | "kind" | "kind_needed" | "no_header";
  kind: string | null;
}

/** The caller's media file for a header, in the channel's format. */
export interface OwnMedia {
  type: "image" | "video" | "document";
  id: string;
  filename?: string;
}

/** A template send that this request has claimed. */
export interface ClaimedTemplate extends ClaimedSend {
  /** How to fill the template; null when the template was never read. */
  template: KnownTemplate | null;
  /** The caller's media file for the header; missing if the caller chose none. */
  own_media?: OwnMedia;
}

/** The parts of a stored template that a send needs. */
export interface KnownTemplate {
  parameter_format: "POSITIONAL" | "NAMED";
  /** The header's format, in uppercase as the channel writes it; null without a header. */
  header_format: string | null;
  /** The variables, in the order in which a send lists their values. */
  variables: {
    header: { name: string }[];
    body: { name: string }[];
    buttons: { index: number; kind: "url" | "copy_code" }[];
  };
  /** The index of the button that also receives the code of an authentication template. */
  otp_button: number | null;
  /** The uploaded media of the header. */
  media: { id: string; filename: string | null } | null;
}

/**
 * How the database checks a send against the stored template. `first`: the template may be read
 * again before the send. `last`: the template was already read again, or could not be read.
 */
export type Preflight = "first" | "last";

/** The options for the database's decision about a claim. */
export interface Judging {
  preflight: Preflight;
  /** Whether the database only makes the decision, and writes nothing. */
  dryRun: boolean;
  /** The media file from the URL in `header_media`, once the channel has the file. */
  uploaded?: UploadedMedia;
  origin: Origin;
}

/** A media file that the service fetched and uploaded for one send. */
export interface UploadedMedia {
  /** The account and the kind of the upload. The file is sent only from this account, as this kind. */
  account_id: string;
  kind: OwnMedia["type"];
  media_id: string;
  filename?: string;
}

/** Claims a template send, with `claimSend()`. */
export async function claimTemplate(
  caller: Caller,
  patience: SettlePatience,
  claimId: string,
  request: SendRequest,
  { preflight, dryRun, uploaded, origin }: Judging,
): Promise<Claim> {
  const { header_media } = request;
  return await claimSend(caller, patience, { claimId, origin }, async () =>
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
        header_media: header_media && { ...header_media, ...uploaded },
      }),
    ) as unknown as Claim); // the jsonb from claim_template_send()
}
