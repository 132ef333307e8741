import { ConfigError } from "../config.ts";
import { ApiError } from "../errors.ts";
import { logWarning, type Origin } from "../log.ts";
import { isSameText } from "../same_text.ts";

/**
 * Returns a function that accepts only requests with the secret: `Authorization: Bearer
 * <JOBS_SECRET>`. For other requests, that function throws ApiError invalid_jobs_secret, or
 * jobs_not_configured when there is no secret.
 */
export function requireSecret(
  secret: string | null,
): (headers: Headers, origin: Origin) => Promise<void> {
  let isTold = false;
  return async (headers, origin) => {
    if (secret === null) {
      // Each instance logs this line only once, because anyone can send such a request.
      if (!isTold) logWarning(origin, "jobs_not_configured", { missing: "JOBS_SECRET" });
      isTold = true;
      throw new ApiError(
        "jobs_not_configured",
        "This function runs no jobs, because its secret JOBS_SECRET is not set",
      );
    }
    const presented = /^bearer +(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1] ?? "";
    if (!await isSameText(presented, secret)) {
      throw new ApiError("invalid_jobs_secret", "Missing or wrong jobs secret");
    }
  };
}

/**
 * The secret in JOBS_SECRET. It may be missing, because the rest of a function works without jobs.
 * A malformed secret is an error.
 *
 * @throws ConfigError with a message for the operator's log.
 */
export function readJobsSecret(secret: string | undefined): string | null {
  if (!secret) return null;
  if (/^[!-~]{32,255}$/.test(secret)) return secret;
  throw new ConfigError(
    "JOBS_SECRET must have 32 to 255 visible ASCII characters, or be left out, which switches the jobs off; " +
      "`openssl rand -base64 32` makes one.",
  );
}
