import type { ApiError } from "../errors.ts";
import type { Caller } from "../key/caller.ts";
import type { Origin } from "../log.ts";

/** The variables of a request in Hono's context. */
export interface ApiEnv {
  Variables: {
    origin: Origin;
    /** Missing while the key has not been read, and in an operation without a key. */
    caller?: Caller;
    /** The id of the operation; missing where none has the path and the method. */
    operation?: string;
    /** The error that the caller is answered. */
    refusal?: ApiError;
    /** Whether the request has an Idempotency-Key, so that a repeat does it once. */
    isRepeatable?: boolean;
  };
}
