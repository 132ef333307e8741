import { startPostgresProxy } from "../support/postgres_proxy.ts";
import { stack } from "../support/test_stack.ts";

/** Starts a TCP proxy in front of the tests' Postgres (see startPostgresProxy). */
export function startProxy(watch?: () => TransformStream<Uint8Array, Uint8Array>) {
  return startPostgresProxy(stack.database_url, watch);
}
