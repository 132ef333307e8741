import * as z from "zod/mini";

// The parameters that every request for a send accepts.

export const SendParameters = z.strictObject({
  // An addition to the specification: checks the request like a send, but does not send or write
  // anything.
  dry_run: z._default(z.enum(["true", "false"], "must be true or false"), "false"),
});
