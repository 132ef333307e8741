import * as z from "zod/mini";
import { ApiError, toldFields } from "../errors.ts";
import { DoNotContact, DryRun, Repeat, Sent } from "../sending/send_answers.ts";
import { type Fault, faultDetail } from "../templates/template_words.ts";
import { OWN_MEDIUM } from "./template_request.ts";

// The responses of the template endpoint (specification, 4.10 and part 7).

/**
 * The response when the template is a marketing template and the person wants no marketing
 * messages.
 */
export const MarketingOptOut = z.object({
  success: z.literal(false),
  reason: z.literal("marketing_opt_out"),
}).register(z.globalRegistry, { id: "MarketingOptOut" });

/** Every response with the status 200. */
export const SendAnswer = z.union([Sent, Repeat, DoNotContact, MarketingOptOut, DryRun]).register(
  z.globalRegistry,
  { id: "SendAnswer" },
);
export type SendAnswer = z.output<typeof SendAnswer>;

/**
 * The error for a send that the account's stored templates do not allow.
 *
 * @param header the request's `header_variables`.
 */
export function refusedByCatalogue(faults: Fault[], header: string[]): ApiError {
  const { details, told } = toldFields(faults.map((fault) => {
    const detail = faultDetail(fault);
    const isMedium = fault.fault === "count" && fault.takes === 0 &&
      fault.field === "header_variables" && /^https?:/i.test(header[0]);
    return isMedium ? { ...detail, message: `${detail.message}: ${OWN_MEDIUM}` } : detail;
  }));
  return new ApiError(
    "template_rejected",
    `The template cannot be sent like this: ${told}. Nothing was sent`,
    { details },
  );
}

/**
 * The error for a send whose header media the channel does not have now, but may have later.
 *
 * @param retryAfter the seconds that the channel asks for. For ten seconds after a failed upload of a
 *   sample, the service does not try again.
 */
export function noMedia(reason: string, retryAfter = 0): ApiError {
  return new ApiError(
    "channel_unavailable",
    `The messaging channel does not have the media of the template's header: ${reason}. Nothing ` +
      "was sent; repeat the request later",
    { body: { outcome: "not_sent" }, headers: { "Retry-After": String(Math.max(retryAfter, 10)) } },
  );
}
