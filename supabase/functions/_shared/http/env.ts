import type { Caller } from "../key/caller.ts";
import type { Origin } from "../log.ts";

/** What is known of a request while it is answered. */
export interface ApiEnv {
  Variables: {
    origin: Origin;
    /** The holder of the key; missing where no key is needed, and until it has been read. */
    caller?: Caller;
  };
}
