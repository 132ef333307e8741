import * as z from "zod/mini";
import type { Config } from "../_shared/config.ts";
import { companyDb } from "../_shared/database/company_db.ts";
import { DatabaseError, type PassingTrouble, rows } from "../_shared/database/rows.ts";
import { one } from "../_shared/http/answers.ts";
import { databaseUnavailable } from "../_shared/http/error_response.ts";
import { lazily } from "../_shared/lazily.ts";
import { operation, reply } from "../_shared/http/operation.ts";
import { tokenSource } from "../_shared/key/token.ts";
import { logFailure, type Origin } from "../_shared/log.ts";
import { RELEASE } from "../_shared/release.ts";

/**
 * A database that takes longer than this is considered down. A monitor therefore receives its
 * response quickly.
 */
const PATIENCE_MS = 2_000;

/** The state of the service, for a monitor without a key. */
export const Health = lazily(() =>
  z.object({
    status: z.literal("ok"),
    version: z.string(),
  }).register(z.globalRegistry, { id: "Health" })
);

/**
 * The minimum time between two database checks. Anyone can call this operation without a key, so
 * the checks are limited.
 */
const ASK_EVERY_MS = 1_000;

/**
 * Returns the release if the database responds. Otherwise, returns the error
 * `database_unavailable`. The request needs no key. The database is checked at most once a second,
 * and all requests within that second receive the same response.
 */
export function health(config: Config) {
  const databaseTimeoutMs = Math.min(config.databaseTimeoutMs, PATIENCE_MS);
  const noKey = tokenSource(config.signingKey, null, null);
  const db = companyDb({ ...config, databaseTimeoutMs }, noKey);

  let asked: Promise<PassingTrouble | null> | undefined;
  let askedAt = 0;
  const ask = async (origin: Origin) => {
    try {
      rows(await db.rpc("health"));
      return null;
    } catch (error) {
      logFailure(origin, "database_unavailable", error);
      return error instanceof DatabaseError && error.passing || "away";
    }
  };

  return operation({
    id: "getHealth",
    method: "GET",
    path: "/health",
    scope: null,
    answers: () => ({ 200: one(Health) }),
    errors: ["database_unavailable"],
  }, async ({ origin }) => {
    const now = performance.now();
    if (!asked || now - askedAt >= ASK_EVERY_MS) [asked, askedAt] = [ask(origin), now];
    const trouble = await asked;
    if (trouble) throw databaseUnavailable(trouble, "ask again", { version: RELEASE });
    return reply(200, { data: { status: "ok" as const, version: RELEASE } });
  });
}
