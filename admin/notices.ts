import { moment, table } from "./print.ts";
import type { Project } from "./project.ts";

/** What the channel says of an account: an event, such as a restriction, or trouble of its number. */
export interface AccountNotice {
  company_id: string;
  account_id: string;
  kind: "event" | "trouble";
  /** The channel's word, such as ACCOUNT_RESTRICTION; of trouble its code. */
  event: string;
  /** Of an event, the channel's own object. */
  value: Record<string, unknown>;
  happened_at: string;
  until: string | null;
  stops_sending: boolean;
  received_at: string;
}

/**
 * The notices that count now, of one company or of all, the newest of each account first.
 * @throws OperatorError as `Project.rows` does.
 */
export async function currentNotices(
  { db, rows }: Project,
  companyId?: string,
): Promise<AccountNotice[]> {
  const answer = await db.rpc("current_account_notices", { company_id: companyId });
  return rows(answer) as unknown as AccountNotice[]; // jsonb of that function
}

/**
 * Notices for people.
 * @param phones the phone of each account by its id.
 */
export function noticesTable(notices: AccountNotice[], phones: Map<string, string>): string {
  return table(notices, {
    PHONE: ({ account_id }) => phones.get(account_id) ?? account_id,
    SINCE: ({ happened_at }) => moment(happened_at, ""),
    UNTIL: ({ until }) => moment(until, ""),
    NOTICE: ({ kind, event }) => kind === "trouble" ? `trouble ${event}` : event,
    SENDING: ({ stops_sending }) => stops_sending ? "stopped or limited" : "",
    DETAILS: detailsOf,
  }, "");
}

/** As much of the channel's object as fits on a line. */
const MAX_DETAILS = 200;

function detailsOf({ kind, value }: AccountNotice): string {
  if (kind === "trouble") {
    return [value.message, value.details].filter((text) => typeof text === "string").join(": ");
  }
  // The event has a column of its own.
  const { event: _, ...rest } = value;
  if (Object.keys(rest).length === 0) return "";
  const text = JSON.stringify(rest);
  return text.length > MAX_DETAILS ? `${text.slice(0, MAX_DETAILS)}…` : text;
}
