import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import type { ApiError } from "../errors.ts";
import type { Caller } from "../key/caller.ts";
import type { Origin } from "../log.ts";
import type { Operation } from "./operation.ts";

/** The variables of a request in Hono's context. */
export interface ApiEnv {
  Variables: {
    origin: Origin;
    /**
     * The holder of the key. Missing until the key is read, and for an operation that needs no key.
     */
    caller?: Caller;
    /** The operation of the request; missing when no operation has this path and this method. */
    operation?: Operation;
    /** The error that the caller receives. */
    refusal?: ApiError;
    /** Whether the request has an Idempotency-Key, so that repeated requests take effect once. */
    isRepeatable?: boolean;
  };
}

/**
 * Hono with a `TrieRouter`, which supports all paths of this API. Hono's standard router first
 * builds another router, which cannot have both `/contacts/changes` and `/contacts/:id`.
 */
export function newHono(): HonoBase<ApiEnv> {
  return new HonoBase<ApiEnv>({ router: new TrieRouter() });
}
