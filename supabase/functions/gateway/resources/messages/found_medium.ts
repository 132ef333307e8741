import { ApiError } from "../../../_shared/errors.ts";

/** The database's result about a message's media file; see `media_of_message()`. */
export type MediumOfMessage =
  | { result: "not_found" | "no_media" | "no_account" }
  | { result: "gone"; at: string }
  | { result: "found" } & FoundMedium;

/** A media file, and the account that received it. */
export interface FoundMedium {
  /** The message type. */
  type: string;
  media: { id: string; sha256: string | null; filename: string | null };
  company_id: string;
  account_id: string;
  phone_number_id: string;
  encrypted_token: string;
}

/**
 * Returns the error for a media file that the channel no longer has.
 * @param at the time when the channel first reported the file as missing, in ISO 8601 format.
 */
export function mediaExpired(at: string): ApiError {
  return new ApiError(
    "media_expired",
    `The channel no longer has the medium, since ${at}; read media within seven days`,
  );
}
