import { ApiError } from "../_shared/errors.ts";
import { logWarning, type Origin } from "../_shared/log.ts";

/**
 * A function that lets only requests with the secret pass: `Authorization: Bearer <JOBS_SECRET>`.
 * It throws ApiError invalid_jobs_secret, or jobs_not_configured when there is no secret.
 */
export function requireSecret(
  secret: string | null,
): (headers: Headers, origin: Origin) => Promise<void> {
  let isTold = false;
  return async (headers, origin) => {
    if (secret === null) {
      // Once for each instance: anyone can send such a request.
      if (!isTold) logWarning(origin, "jobs_not_configured", { missing: "JOBS_SECRET" });
      isTold = true;
      throw new ApiError(
        "jobs_not_configured",
        "This function runs no jobs: its secret JOBS_SECRET is not set",
      );
    }
    const presented = /^bearer +(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1] ?? "";
    if (!await isSame(presented, secret)) {
      throw new ApiError("invalid_jobs_secret", "Missing or wrong jobs secret");
    }
  };
}

/** Compares digests, and all of their bytes, so that the time tells nothing of the secret. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(one), digest(other)]);
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a[at] ^ b[at];
  return difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
