import { InvalidArgumentError } from "commander";
import * as z from "zod";
import { Phone } from "../supabase/functions/_shared/http/fields.ts";

// Each function parses one command-line argument. If the value is invalid, the function throws an
// InvalidArgumentError that describes the valid values. commander prefixes the message with the
// argument's name.

/** An id that the platform assigned: a UUID. */
export function uuid(value: string): string {
  if (z.guid().safeParse(value).success) return value.toLowerCase();
  throw new InvalidArgumentError("It must be a UUID.");
}

/** An id that the messaging channel assigned: decimal digits. */
export function channelId(value: string): string {
  if (/^[0-9]{1,32}$/.test(value)) return value;
  throw new InvalidArgumentError("It must be 1 to 32 digits, as the messaging channel shows it.");
}

/** The key of a channel app. The URL path that receives the app's events contains this key. */
export function appKey(value: string): string {
  if (/^[A-Za-z0-9_-]{16,64}$/.test(value)) return value;
  throw new InvalidArgumentError("It must be an app's key, as app list shows it.");
}

/** A phone number in E.164. */
export function phone(value: string): string {
  if (Phone.safeParse(value).success) return value;
  throw new InvalidArgumentError(
    "It must be in E.164 format with a leading plus sign, such as +5511987654321.",
  );
}

/** The `--company` option, as arguments for commander's `option` function. */
export const COMPANY_OPTION = ["--company <id>", "the company's id", uuid] as const;

/** A name of 1 to `max` characters, trimmed. */
export function nameOf(max: number): (value: string) => string {
  return (value) => {
    const name = value.trim();
    if (name !== "" && [...name].length <= max) return name;
    throw new InvalidArgumentError(`It must have 1 to ${max} characters.`);
  };
}

const SCOPES = ["read", "write", "messaging", "webhooks"];

/** Reads a key's scopes from a comma-separated list. Duplicate scopes are returned once. */
export function scopes(value: string): string[] {
  const chosen = value.split(",").map((scope) => scope.trim());
  if (chosen.every((scope) => SCOPES.includes(scope))) return [...new Set(chosen)];
  throw new InvalidArgumentError(
    "It must be one or more of read, write, messaging and webhooks, separated by commas.",
  );
}

/** An e-mail address that a person signs in with. */
export function email(value: string): string {
  const address = value.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(address) && address.length <= 255) return address;
  throw new InvalidArgumentError("It must be an e-mail address, such as ada@example.com.");
}

/** A member's role in a company. */
export function memberRole(value: string): string {
  if (["owner", "admin", "agent"].includes(value)) return value;
  throw new InvalidArgumentError("It must be owner, admin or agent.");
}

/** The value `on` or `off`. */
export function onOrOff(value: string): boolean {
  if (value === "on" || value === "off") return value === "on";
  throw new InvalidArgumentError("It must be on or off.");
}

/** The URL of the page that an invitation link opens. */
export function pageAddress(value: string): string {
  if (/^https?:/.test(value) && URL.canParse(value)) return value;
  throw new InvalidArgumentError(
    "It must be the address of a page, such as https://crm.example.com/settings/.",
  );
}

/** A key and its successor can both work for at most this many hours. */
const MAX_OVERLAP_HOURS = 168;

/**
 * The time during which a key and its successor both work: now, 24h, 7d or a number of hours.
 * Returns the number of hours.
 */
export function overlapHours(value: string): number {
  const [, count, unit] = /^([0-9]{1,3})([hd]?)$/.exec(value === "now" ? "0" : value) ?? [];
  const hours = Number(count) * (unit === "d" ? 24 : 1);
  if (hours <= MAX_OVERLAP_HOURS) return hours;
  throw new InvalidArgumentError("It must be now, or 1 to 168 hours, such as 1h, 24h or 7d.");
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * A point in time in ISO 8601: a date, or a date and a time, in UTC unless it has an offset. Any
 * other string gives an invalid `Date`.
 */
function momentOf(value: string): Date {
  const [, date, time = "T00:00", offset = "Z"] = MOMENT.exec(value) ?? [];
  // `Date` would parse 30 February as 2 March, so zod validates the date. `Date` parses the time,
  // because zod refuses a time that has an offset but no seconds.
  return new Date(z.iso.date().safeParse(date).success ? date + time + offset : NaN);
}

/**
 * A point in time in the future, in ISO 8601: a date, or a date and a time. Returns the point in
 * time in UTC.
 */
export function futureMoment(value: string): string {
  const moment = momentOf(value);
  if (isNaN(moment.getTime())) {
    throw new InvalidArgumentError(
      "It must be a date, or a date and time, in ISO 8601, such as 2030-01-31 or 2030-01-31T18:00:00Z.",
    );
  }
  if (moment.getTime() <= Date.now()) throw new InvalidArgumentError("It must be in the future.");
  return moment.toISOString();
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A point in time in the past: in the formats that `futureMoment` accepts, or as a duration before
 * now, such as 90m, 24h or 7d. Returns the time in UTC.
 */
export function pastMoment(value: string): string {
  const [, count, unit] = /^([0-9]{1,4})([mhd])$/.exec(value) ?? [];
  const moment = unit
    ? new Date(Date.now() - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS])
    : momentOf(value);
  if (isNaN(moment.getTime())) {
    throw new InvalidArgumentError(
      "It must be a duration before now, such as 90m, 24h or 7d, or a date, or a date and time, in ISO 8601.",
    );
  }
  if (moment.getTime() > Date.now()) {
    throw new InvalidArgumentError("It must not be in the future.");
  }
  return moment.toISOString();
}

/** A whole number from 1 to `max`. */
export function countUpTo(max: number): (value: string) => number {
  return (value) => {
    const count = /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
    if (count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}

const EVENT_STATES = ["stored", "done", "unroutable", "failed", "dead"];

/** States of events, separated by commas. */
export function eventStates(value: string): string[] {
  const chosen = value.split(",").map((state) => state.trim());
  if (chosen.every((state) => EVENT_STATES.includes(state))) return [...new Set(chosen)];
  throw new InvalidArgumentError(
    `It must be one or more of ${EVENT_STATES.join(", ")}, separated by commas.`,
  );
}
