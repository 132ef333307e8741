import { ApiError } from "../errors.ts";

/** A connected account that the request can name. */
export interface ConnectedAccount {
  phone_number_id: string;
  display_phone: string;
}

/** The maximum number of accounts that an error lists. */
const MAX_CHOICES = 50;

/**
 * The error for a request that does not identify a connected account. The error lists the accounts
 * to choose from.
 *
 * @param asked the `phone_number_id` of the request.
 */
export function noAccount(connected: ConnectedAccount[], asked: string | undefined): ApiError {
  if (connected.length === 0) {
    return new ApiError(
      "account_not_connected",
      "The company has no connected messaging account; connect one before sending templates",
    );
  }
  const details = connected.slice(0, MAX_CHOICES).map((account) => ({
    field: "phone_number_id",
    message:
      `may be ${account.phone_number_id}, which has the phone number ${account.display_phone}`,
    ...account,
  }));
  return asked === undefined
    ? new ApiError(
      "phone_number_id_required",
      "The company has more than one connected messaging account; name one of them in phone_number_id",
      { details },
    )
    : new ApiError(
      "invalid_request",
      "Invalid request: phone_number_id is not a connected messaging account of the company",
      { details },
    );
}
