import * as z from "zod";

// What every request that sends takes.

/** The parameters of a request that sends. */
export const SendParameters = z.strictObject({
  // Beyond the specification: judges the request as a send, and sends and writes nothing.
  dry_run: z.enum(["true", "false"], "must be true or false").default("false"),
});
