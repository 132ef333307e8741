import * as z from "zod";
import { verbatim } from "../http/fields.ts";

// What every request that sends takes.

/** The parameters of a request that sends. */
export const SendParameters = z.strictObject({
  // Beyond the specification: judges the request as a send, and sends and writes nothing.
  dry_run: z.enum(["true", "false"], "must be true or false").default("false"),
});

/** The caller's own name of one send. */
export const IdempotencyKey = verbatim(200)
  .refine((value) => value !== "", "must not be empty")
  .meta({ minLength: 1, maxLength: 200 });
