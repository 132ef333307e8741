import * as z from "zod/mini";

// The parameters that every request for a send accepts.

export const SendParameters = z.strictObject({
  // An addition to the specification: the request is checked as a send is, but nothing is sent or
  // written.
  dry_run: z._default(z.enum(["true", "false"], "must be true or false"), "false"),
});
