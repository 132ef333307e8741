/** The HTTP status and the title of some error codes. Any other code has the status 400. */
const ERRORS: Record<number, [status: number, title: string]> = {
  0: [401, "AuthException"],
  1: [400, "API Unknown"],
  2: [503, "API Service"],
  3: [500, "API Method"],
  4: [400, "API Too Many Calls"],
  10: [403, "Permission Denied"],
  100: [400, "Invalid parameter"],
  190: [401, "Invalid OAuth access token"],
  130429: [429, "Rate limit hit"],
  131000: [500, "Something went wrong"],
  131005: [403, "Access denied"],
  131008: [400, "Required parameter is missing"],
  131016: [500, "Service unavailable"],
  131026: [400, "Message undeliverable"],
  131047: [400, "Re-engagement message"],
  131049: [
    400,
    "This message was not delivered to maintain healthy ecosystem engagement.",
  ],
  131050: [400, "User's marketing opt-out"],
  131053: [400, "Media upload error"],
  131056: [400, "Pair rate limit hit"],
  131062: [400, "Business-scoped User ID recipients are not supported for this message"],
  132000: [400, "Number of parameters does not match the expected number of params"],
  132001: [404, "Template name does not exist in the translation"],
  132005: [400, "Translated text too long"],
  132012: [400, "Parameter format does not match format in the created template"],
  132015: [400, "Template is Paused"],
  132016: [400, "Template is Disabled"],
  132018: [400, "Template Parameters Invalid"],
  133004: [503, "Server Temporarily Unavailable"],
};

/** The reason why the channel refuses a request. */
export interface Fault {
  code: number;
  details: string;
  /** The error message, in place of the code's default message. */
  message?: string;
  /** For example, 33 means that the object with this id does not exist. */
  subcode?: number;
}

/** The channel's title for an error code. */
export function titleOf(code: number): string {
  return ERRORS[code]?.[1] ?? "Error";
}

/** The error for an id that does not exist. */
export function noObject(id: string): Fault {
  const details = `Object with ID '${id}' does not exist or cannot be loaded`;
  return { code: 100, subcode: 33, details, message: details };
}

/** An error response in the Graph API's format. */
export function graphError({ code, details, subcode, message }: Fault): Response {
  const [status, title] = ERRORS[code] ?? [400, "Error"];
  return Response.json({
    error: {
      message: `(#${code}) ${message ?? title}`,
      type: "OAuthException",
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      error_data: { messaging_product: "whatsapp", details },
      fbtrace_id: `sandbox${crypto.randomUUID().slice(0, 8)}`,
    },
  }, { status });
}
