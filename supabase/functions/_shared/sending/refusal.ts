import { type CompanyDb, urgent } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import type { ApiError } from "../errors.ts";
import { logFailure, type Origin } from "../log.ts";
import type { Access } from "./claim.ts";
import { refusedAccount, unusableToken } from "./send_errors.ts";

/**
 * The channel refused the account, or the account's token cannot be used. The request was not a
 * claimed send, but for example an upload.
 */
interface Refusal {
  /** The channel's error code; missing if the account's token cannot be used. */
  code?: number;
  /** Whether the refusal stopped a send. */
  stopsSend: boolean;
}

/**
 * Records a refusal of an account as a notice of the account, and returns the error for the caller.
 * For a claimed send, settle_send() records the refusal together with the outcome of the send.
 * Never throws.
 */
export async function notedRefusal(
  db: CompanyDb,
  { account_id, phone_number_id }: Access,
  { code, stopsSend }: Refusal,
  origin: Origin,
): Promise<ApiError> {
  try {
    const statement = db.rpc("note_account_refusal", { account_id, code, stops_send: stopsSend });
    rows(await urgent(statement));
  } catch (error) {
    // The notice only informs people. The caller receives the error about the account anyway.
    logFailure(origin, "refusal_not_noted", error, { account_id, channel_code: code });
  }
  return code === undefined
    ? unusableToken(phone_number_id)
    : refusedAccount(phone_number_id, code);
}
