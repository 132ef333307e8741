// The health of a phone number, and what a user should do about problems.
import type { Tone } from "../pieces/badge.ts";
import type { AccountsTexts } from "../texts/en/accounts.ts";

/** A messaging account, as the page reads it. */
export interface Account {
  id: string;
  /** For example `+5511987654321`. */
  display_phone: string;
  phone_number_id: string;
  business_account_id: string | null;
  /** Null when the number was connected before the platform began to record this time. */
  connected_at: string | null;
  disconnected_at: string | null;
  /** When the templates were last read; null when they were never read. */
  templates_synced_at: string | null;
  /** The number of failed reads since the last successful read. */
  template_sync_failures: number;
  approved_templates: number;
  /** When the channel last sent an event about the account; null when it never did. */
  last_event_at: string | null;
  notices: Notice[];
  /** Whether the account has an app. Without an app, the account receives no events. */
  has_channel_app: boolean;
  /** Null when the token never expires, or when its expiry is not known. */
  token_expires_at: string | null;
  /** WhatsApp's values, such as GREEN and TIER_1K; null when they are not known. */
  quality_rating: string | null;
  messaging_limit: string | null;
  /** When WhatsApp last reported these values. */
  checked_at: string | null;
  /** When the jobs of the platform last ran. */
  jobs_ran_at: string | null;
}

/** What the channel reports about an account. */
export interface Notice {
  kind: "event" | "trouble" | "refusal" | "reading_refusal" | "reported_refusal";
  /**
   * The channel's name for an event, such as `ACCOUNT_RESTRICTION`, or the channel's error code.
   */
  event: string;
  value: { message?: unknown; details?: unknown };
  happened_at: string;
  until: string | null;
  stops_sending: boolean;
  /** The number of sends that a refusal has stopped. */
  stopped_sends: number;
}

/** The causes of a refusal. Each cause needs a different action. */
export type Cause =
  | "token"
  | "permission"
  | "payment"
  | "policy"
  | "number"
  | "unusable"
  | "other";

const CODES: [Cause, number[]][] = [
  ["token", [0, 190]],
  ["permission", [3, 10, 100, 131005]],
  ["payment", [131042]],
  ["policy", [368, 131031, 131048, 131064]],
  ["number", [33, 131037, 131045, 133010]],
];

/** The cause of a refusal. @param event WhatsApp's error code, or `token_unusable`. */
export function causeOf(event: string): Cause {
  if (event === "token_unusable") return "unusable";
  const code = Number(event);
  if (code >= 200 && code <= 299) return "permission";
  return CODES.find(([, codes]) => codes.includes(code))?.[0] ?? "other";
}

export function isRefusal({ kind }: Pick<Notice, "kind">): boolean {
  return kind.endsWith("refusal");
}

/**
 * One part of the number's health, such as its token: a description of the state, and what to do
 * about a problem.
 */
export interface Part {
  name: string;
  tone: Tone;
  state: string;
  /** Further details, such as a time. */
  more?: string;
  whatToDo?: string;
}

/** Texts and formats that a part needs. */
export interface Words {
  t: AccountsTexts;
  /** A point in time: "22 Nov 2026, 14:05". */
  moment(at: string): string;
  /** The time between now and a point in time: "in 3 hours". */
  fromNow(at: string): string;
  number(value: number): string;
}

const A_DAY = 24 * 60 * 60_000;
/** The page asks for a new token this long before the end of the old one. */
const SOON = 14 * A_DAY;
/** The jobs run each minute. After this time without a run, they are late. */
const JOBS_LATE = 10 * 60_000;

/** The overall state of the phone number. */
export function stateOf(account: Account, t: AccountsTexts): { tone: Tone; words: string } {
  if (account.disconnected_at !== null) return { tone: "quiet", words: t.disconnected };
  const stops = account.notices.some(({ stops_sending }) => stops_sending);
  const expired = tokenEnds(account) <= Date.now();
  if (stops || expired) return { tone: "bad", words: t.states.stopped };
  const looks = tokenEnds(account) < Date.now() + SOON || account.quality_rating === "RED" ||
    account.notices.some(isRefusal) || !account.has_channel_app || jobsAreLate(account);
  return looks
    ? { tone: "warn", words: t.states.attention }
    : { tone: "good", words: t.states.works };
}

/** The parts of the health of a connected number. */
export function partsOf(account: Account, words: Words): Part[] {
  return [
    tokenPart(account, words),
    restrictionPart(account, words),
    qualityPart(account, words),
    limitPart(account, words),
    eventsPart(account, words),
    jobsPart(account, words),
  ];
}

function tokenEnds({ token_expires_at }: Account): number {
  return token_expires_at === null ? Infinity : Date.parse(token_expires_at);
}

/**
 * Whether the jobs last ran more than JOBS_LATE ago. If the jobs have never run, the time when the
 * number was connected counts, because the jobs first run some minutes after the connection.
 */
function jobsAreLate({ jobs_ran_at, connected_at }: Account): boolean {
  const last = jobs_ran_at ?? connected_at;
  return last === null || Date.now() - Date.parse(last) > JOBS_LATE;
}

function tokenPart(account: Account, { t, moment, fromNow }: Words): Part {
  const { name, works, refused, expired, expires, neverEnds, ends, renew } = t.token;
  const refusal = account.notices.find((notice) =>
    isRefusal(notice) && ["token", "permission", "unusable"].includes(causeOf(notice.event))
  );
  if (refusal) {
    const more = t.since(moment(refusal.happened_at));
    return { name, tone: "bad", state: refused, more, whatToDo: renew };
  }
  const { token_expires_at: end } = account;
  if (end === null) return { name, tone: "good", state: works, more: neverEnds };
  if (tokenEnds(account) <= Date.now()) {
    return { name, tone: "bad", state: expired, more: fromNow(end), whatToDo: renew };
  }
  const isSoon = tokenEnds(account) < Date.now() + SOON;
  if (!isSoon) return { name, tone: "good", state: works, more: ends(moment(end)) };
  return { name, tone: "warn", state: expires, more: fromNow(end), whatToDo: renew };
}

function restrictionPart({ notices }: Account, { t, moment }: Words): Part {
  const { name, none, limited } = t.restriction;
  const event = notices.find(({ kind, stops_sending }) => kind === "event" && stops_sending);
  if (event) {
    const until = event.until ? t.noticeUntil(moment(event.until)) : undefined;
    return { name, tone: "bad", state: limited, more: until };
  }
  const refusal = notices.find((notice) => isRefusal(notice) && causeOf(notice.event) === "policy");
  if (!refusal) return { name, tone: "good", state: none };
  return { name, tone: "bad", state: limited, more: t.since(moment(refusal.happened_at)) };
}

function qualityPart({ quality_rating, checked_at }: Account, { t, fromNow }: Words): Part {
  const { name, high, medium, low, unknown, whatToDo } = t.quality;
  const more = checked_at === null ? undefined : t.asked(fromNow(checked_at));
  switch (quality_rating) {
    case "GREEN":
      return { name, tone: "good", state: high, more };
    case "YELLOW":
      return { name, tone: "warn", state: medium, more, whatToDo };
    case "RED":
      return { name, tone: "bad", state: low, more, whatToDo };
    default:
      return { name, tone: "quiet", state: unknown };
  }
}

function limitPart({ messaging_limit }: Account, { t, number }: Words): Part {
  const { name, people, unlimited, unknown } = t.limit;
  const [, digits, thousands] = /^TIER_(\d{1,6})(K?)$/.exec(messaging_limit ?? "") ?? [];
  if (digits !== undefined) {
    const most = Number(digits) * (thousands ? 1000 : 1);
    return { name, tone: "good", state: people(number(most)) };
  }
  if (messaging_limit === "TIER_UNLIMITED") return { name, tone: "good", state: unlimited };
  return { name, tone: "quiet", state: unknown };
}

function eventsPart({ has_channel_app, last_event_at }: Account, { t, fromNow }: Words): Part {
  const { name, arrive, none, noApp, whatToDoApp, whatToDoNone } = t.events;
  if (!has_channel_app) return { name, tone: "warn", state: noApp, whatToDo: whatToDoApp };
  return last_event_at === null
    ? { name, tone: "quiet", state: none, whatToDo: whatToDoNone }
    : { name, tone: "good", state: arrive, more: t.events.last(fromNow(last_event_at)) };
}

function jobsPart(account: Account, { t, fromNow }: Words): Part {
  const { name, run, late, never, soon, whatToDo } = t.jobs;
  const { jobs_ran_at: at } = account;
  const more = at === null ? undefined : fromNow(at);
  if (jobsAreLate(account)) {
    return { name, tone: "bad", state: at === null ? never : late, more, whatToDo };
  }
  return at === null
    ? { name, tone: "quiet", state: soon }
    : { name, tone: "good", state: run, more };
}
