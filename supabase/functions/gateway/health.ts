import type { Context } from "hono";
import type { ApiEnv } from "../_shared/key/authenticate.ts";
import { companyDb, rows } from "../_shared/database/company_db.ts";
import type { Config } from "../_shared/config.ts";
import { logFailure } from "../_shared/log.ts";
import { databaseUnavailable } from "../_shared/http/error_response.ts";
import { NoParameters, readQuery } from "../_shared/http/validate.ts";
import { VERSION } from "../_shared/release.ts";

/** A monitor that waits longer knows enough. */
const PATIENCE_MS = 2_000;

/**
 * Says for a monitor, which has no key, which version this is and that the database answers.
 * @throws ApiError database_unavailable when it does not, or not soon.
 */
export function health(config: Config) {
  const databaseTimeoutMs = Math.min(config.databaseTimeoutMs, PATIENCE_MS);
  const db = companyDb({ ...config, databaseTimeoutMs }, null, null);
  return async (c: Context<ApiEnv>): Promise<Response> => {
    readQuery(c, NoParameters);
    try {
      rows(await db.rpc("health"));
    } catch (error) {
      logFailure(c, "database_unavailable", error);
      throw databaseUnavailable("ask again", { version: VERSION });
    }
    return c.json({ data: { status: "ok", version: VERSION } });
  };
}
