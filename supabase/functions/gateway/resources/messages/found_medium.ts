import { ApiError } from "../../../_shared/errors.ts";

/** What the database says about the medium of a message; see media_of_message(). */
export type MediumOfMessage =
  | { result: "not_found" | "no_media" | "no_account" }
  | { result: "gone"; at: string }
  | { result: "found" } & FoundMedium;

/** A medium, and the account that received it. */
export interface FoundMedium {
  /** The type of the message. */
  type: string;
  media: { id: string; sha256: string | null; filename: string | null };
  company_id: string;
  account_id: string;
  phone_number_id: string;
  encrypted_token: string;
}

/**
 * The error for a medium that the channel no longer has. @param at when the channel first reported
 * this, in ISO 8601.
 */
export function mediaExpired(at: string): ApiError {
  return new ApiError(
    "media_expired",
    `The channel no longer has the medium, since ${at}; read media within seven days`,
  );
}
