// Messages for callers about why a template cannot be sent. The database finds the faults.
import { timeText } from "../time_text.ts";

/** Why a template cannot be sent as requested, as the database reports it. */
export type Fault =
  | { field: "template_name"; fault: "unknown" }
  | { field: "language_code"; fault: "language"; languages: string[] }
  | { field: "template_name"; fault: "status"; status: string; since: string | null }
  | { field: "template_name"; fault: "unsupported"; parts: string[] }
  /** The header's sample cannot be sent. The reason is a sentence without a full stop. */
  | { field: "template_name"; fault: "media"; reason: string }
  /** The field is header_variables, body_variables or button_variables. */
  | { field: string; fault: "count"; takes: number; got: number }
  /** The field is one variable: `body_variables.1`. */
  | { field: string; fault: "empty" | "characters" }
  | { field: "template_header_type"; fault: "header"; header: string | null }
  /** Before the service has read the template, it does not know which buttons need the values. */
  | { field: "button_variables"; fault: "unplaced" };

/** The facts that decide whether a template can be sent at all. */
export interface SendableTemplate {
  status: string;
  /** When this status was first read. */
  status_since: string | null;
  unsupported: string[];
  /** Why the media of the template's header could not be uploaded. */
  media_problem: string | null;
  /** The `phone_number_id` of each connected account of the template's business account. */
  phone_number_ids: string[];
}

/** Converts a fault to an entry of `details`. The message follows the name of the field. */
export function faultDetail(fault: Fault): { field: string; message: string } {
  return { field: fault.field, message: messageOf(fault) };
}

function messageOf(fault: Fault): string {
  switch (fault.fault) {
    case "unknown":
      return "is not a template of the business account of this phone number";
    case "language":
      return `is not a language of this template, which exists in ${fault.languages.join(", ")}`;
    case "status":
      return statusWords(fault.status, fault.since);
    case "unsupported":
      return unsupportedWords(fault.parts);
    case "media":
      return "can only be sent with your own file in header_media, because the channel does not have " +
        `the media of the template's header: ${fault.reason}`;
    case "count":
      return `takes ${variables(fault.takes)}, got ${fault.got}`;
    case "empty":
      return "must not be empty";
    case "characters":
      return "must not contain a line break, a tab or more than four spaces in a row";
    case "header":
      return headerWords(fault.header);
    case "unplaced":
      return "cannot be matched to buttons, because this service has not read the template from the " +
        "channel; ask the operator to read the account's templates first";
  }
}

/** Messages about why a template cannot be sent now; an empty list when it can be sent. */
export function whyNotSendable(template: SendableTemplate): string[] {
  const { status, status_since, unsupported, media_problem, phone_number_ids } = template;
  return [
    ...(status === "APPROVED" ? [] : [`The template ${statusWords(status, status_since)}`]),
    ...(unsupported.length === 0 ? [] : [`The template ${unsupportedWords(unsupported)}`]),
    ...(media_problem === null
      ? []
      : [`The media of the template's header could not be uploaded: ${media_problem}`]),
    ...(phone_number_ids.length > 0
      ? []
      : ["No connected account belongs to the template's business account"]),
  ];
}

/** The channel pauses a template for 3 hours the first time, and for 6 hours the second time. */
const LONGEST_PAUSE_MS = 6 * 60 * 60 * 1000;

function statusWords(status: string, since: string | null): string {
  switch (status) {
    case "PAUSED": {
      const paused = Date.parse(since ?? "");
      const latest = Number.isNaN(paused)
        ? ""
        : `, at the latest at ${timeText(paused + LONGEST_PAUSE_MS)}`;
      return "is PAUSED at the channel because of its quality; a pause ends after 3 to 6 hours" +
        latest;
    }
    case "PENDING":
    case "IN_APPEAL":
      return `is ${status} at the channel, which has not approved it yet`;
    case "REJECTED":
      return "is REJECTED at the channel; change it there and have it approved";
    case "DISABLED":
      return "is DISABLED at the channel because of its quality; send another template";
    case "DELETED":
    case "PENDING_DELETION":
      return `is ${status} at the channel; send another template`;
    default:
      return `is ${status} at the channel; only a template that is APPROVED can be sent`;
  }
}

/**
 * Readable names of the parts that this API cannot fill. Any other part keeps the channel's name.
 */
const PARTS: Record<string, string> = {
  CAROUSEL: "a carousel",
  LIMITED_TIME_OFFER: "a limited-time offer",
  CATALOG: "a catalog button",
  MPM: "a list of products",
  SPM: "a product",
  FLOW: "a flow",
  ORDER_DETAILS: "the details of an order",
  LOCATION: "a location header",
  TOO_LARGE: "components of more than 64 KiB",
};

function unsupportedWords(parts: string[]): string {
  const names = parts.map((part) => Object.hasOwn(PARTS, part) ? PARTS[part] : part);
  return `has parts that this API cannot send: ${names.join(", ")}`;
}

function variables(count: number): string {
  return count === 0 ? "no variables" : count === 1 ? "1 variable" : `${count} variables`;
}

const MEDIA_HEADERS: Record<string, string> = {
  IMAGE: "an image",
  VIDEO: "a video",
  DOCUMENT: "a document",
};

function headerWords(header: string | null): string {
  const format = header ?? "";
  return Object.hasOwn(MEDIA_HEADERS, format)
    ? `contradicts the approved template's header, which is ${MEDIA_HEADERS[format]}; send ` +
      `${format.toLowerCase()} or leave it out`
    : "must be left out: the approved template has no media header";
}
