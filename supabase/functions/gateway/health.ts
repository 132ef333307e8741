import * as z from "zod";
import type { Config } from "../_shared/config.ts";
import { companyDb } from "../_shared/database/company_db.ts";
import { rows } from "../_shared/database/rows.ts";
import { one } from "../_shared/http/answers.ts";
import { databaseUnavailable } from "../_shared/http/error_response.ts";
import { operation, reply } from "../_shared/http/operation.ts";
import { tokenSource } from "../_shared/key/token.ts";
import { logFailure } from "../_shared/log.ts";
import { RELEASE } from "../_shared/release.ts";

/** A database that takes longer counts as down, so that a monitor gets its answer soon. */
const PATIENCE_MS = 2_000;

/** The state of the service, for a monitor without a key. */
export const Health = z.object({
  status: z.literal("ok"),
  version: z.string(),
}).meta({ id: "Health" });

/**
 * Answers the release while the database answers; else database_unavailable. Needs no key and costs one
 * round trip.
 */
export function health(config: Config) {
  const databaseTimeoutMs = Math.min(config.databaseTimeoutMs, PATIENCE_MS);
  const noKey = tokenSource(config.signingKey, null, null);
  const db = companyDb({ ...config, databaseTimeoutMs }, noKey);
  return operation({
    id: "getHealth",
    method: "GET",
    path: "/health",
    scope: null,
    answers: { 200: one(Health) },
    errors: ["database_unavailable"],
  }, async ({ origin }) => {
    try {
      rows(await db.rpc("health"));
    } catch (error) {
      logFailure(origin, "database_unavailable", error);
      throw databaseUnavailable("ask again", { version: RELEASE });
    }
    return reply(200, { data: { status: "ok" as const, version: RELEASE } });
  });
}
