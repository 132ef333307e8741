import { keepRunning, pauseUntilEnd } from "../background.ts";
import type { Config } from "../config.ts";
import { companyDb } from "../database/company_db.ts";
import { DatabaseError, rows } from "../database/rows.ts";
import type { Json } from "../database/types.ts";
import { usageTokenSource } from "../key/token.ts";
import { logFailure, type Origin } from "../log.ts";
import { type AnsweredRequest, UsageCounts } from "./counts.ts";

/**
 * Returns a function that counts a completed request with a known key. The function counts in
 * memory, so no response waits for the database. From time to time, this instance stores its counts
 * in the database with one statement. The instance also stores its counts when the platform is
 * about to shut it down. Until all counts are stored, the platform treats the instance as busy.
 */
export function usageOfKeys(config: Config): (answered: AnsweredRequest, origin: Origin) => void {
  const counts = new UsageCounts();
  const db = companyDb(config, usageTokenSource(config.signingKey));
  let isTelling = false;

  const tellAll = async (origin: Origin) => {
    // When the instance ends, there is time for only one attempt.
    for (let isEnding = false; !isEnding && !counts.isEmpty;) {
      isEnding = await pauseUntilEnd(config.tellUsageEveryMs);
      await tell(origin);
    }
    isTelling = false;
  };

  const tell = async (origin: Origin) => {
    const { usage, errors } = counts.take();
    try {
      rows(
        await db.rpc("record_api_key_usage", {
          usage: usage as unknown as Json,
          errors: errors as unknown as Json,
        }),
      );
    } catch (error) {
      const isKept = mayBeToldAgain(error);
      if (isKept) counts.putBack({ usage, errors });
      const requests = usage.reduce((sum, count) => sum + count.requests, 0);
      logFailure(origin, "usage_not_recorded", error, { requests, will_be_told_again: isKept });
    }
  };

  return (answered, origin) => {
    counts.add(answered);
    if (isTelling) return;
    isTelling = true;
    keepRunning(tellAll(origin));
  };
}

/**
 * Whether to store the counts again after this error. Counts that may already be stored are not
 * sent again: a count may be too low, but never too high.
 */
function mayBeToldAgain(error: unknown): boolean {
  return error instanceof DatabaseError && error.passing !== null && !error.mayBeCommitted;
}
