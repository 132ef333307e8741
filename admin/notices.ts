import { moment, table } from "./print.ts";
import type { Project } from "./project.ts";

/**
 * The channel's report about an account: an event such as a restriction, a problem with the phone
 * number, or a refusal of the account. The channel reports a refusal in its response to a send or
 * to a request for templates.
 */
export interface AccountNotice {
  company_id: string;
  account_id: string;
  kind: "event" | "trouble" | "refusal" | "reading_refusal" | "reported_refusal";
  /** The channel's name for an event, such as ACCOUNT_RESTRICTION, or the channel's error code. */
  event: string;
  /** For an event, the object that the channel sent. */
  value: Record<string, unknown>;
  happened_at: string;
  until: string | null;
  stops_sending: boolean;
  received_at: string;
  /** The number of sends that a refusal has stopped. */
  stopped_sends: number;
}

/**
 * The current notices of one company or of all companies. For each account, the newest notice comes
 * first.
 * @throws the errors of `Project.rows`.
 */
export async function currentNotices(
  { db, rows }: Project,
  companyId?: string,
): Promise<AccountNotice[]> {
  const answer = await db.rpc("current_account_notices", { company_id: companyId });
  return rows(answer) as unknown as AccountNotice[]; // the jsonb result of current_account_notices()
}

/**
 * Formats notices as readable text.
 * @param phones maps an account's id to its phone number.
 */
export function noticesTable(notices: AccountNotice[], phones: Map<string, string>): string {
  return table(notices, {
    PHONE: ({ account_id }) => phones.get(account_id) ?? account_id,
    SINCE: ({ happened_at }) => moment(happened_at, ""),
    UNTIL: ({ until }) => moment(until, ""),
    NOTICE: ({ kind, event }) => `${PREFIXES[kind]}${event}`,
    SENDING: ({ stops_sending }) => stops_sending ? "stopped or limited" : "",
    DETAILS: detailsOf,
  }, "");
}

/** The prefix for each kind of notice. A channel event needs no prefix. */
const PREFIXES = {
  event: "",
  trouble: "trouble ",
  refusal: "refused ",
  reading_refusal: "templates refused ",
  reported_refusal: "reported refused ",
};

/** The maximum number of characters of the channel's object on a line. */
const MAX_DETAILS = 200;

function detailsOf({ kind, value, stopped_sends }: AccountNotice): string {
  if (kind === "reading_refusal") return "";
  if (kind.endsWith("refusal")) return `${stopped_sends} sends stopped`;
  if (kind === "trouble") {
    return [value.message, value.details].filter((text) => typeof text === "string").join(": ");
  }
  // The event's name is shown in another column.
  const { event: _, ...rest } = value;
  if (Object.keys(rest).length === 0) return "";
  const text = JSON.stringify(rest);
  return text.length > MAX_DETAILS ? `${text.slice(0, MAX_DETAILS)}…` : text;
}
