import type postgres from "postgres";
import { type Company } from "../support/company.ts";

// Channel events, as the webhook passes them to the database.

type Sql = postgres.Sql | postgres.TransactionSql;

/** The time `seconds` seconds after the start of a fixed day, as the channel reports times. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 20) + seconds * 1000).toISOString().replace(".000Z", "Z");
}

/** The fields by which the channel identifies a person. */
export interface Person {
  phone?: string | null;
  user_id?: string | null;
  name?: string | null;
}

/** A new channel id for a person. */
export function anyUserId(): string {
  return `BR.${crypto.randomUUID().replaceAll("-", "")}`;
}

/** A new channel id for a message. */
export function anyMessageId(): string {
  return `wamid.${crypto.randomUUID()}`;
}

/** An event about a person. Fields that are left out are null. */
export interface Told {
  kind: string;
  at?: string | null;
  person: Person;
  [member: string]: unknown;
}

const DEFAULTS: Record<string, Record<string, unknown>> = {
  message: {
    type: "text",
    content: "Oi",
    payload: null,
    media: null,
    answers: null,
    word: null,
    has_own_phone: false,
  },
  system: { content: "Ana changed", payload: null },
};

const APPLYING: Record<string, string> = {
  message: "apply_message",
  reaction: "apply_reaction",
  edit: "apply_edit",
  revoke: "apply_revoke",
  system: "apply_identity_change",
  identity: "apply_identity_change",
  preference: "apply_preference",
};

/** The item that the webhook reads from this event. */
export function itemOf({ kind, at: time, person, ...members }: Told): Record<string, unknown> {
  const { change, ...rest } = members as { change?: Record<string, unknown> };
  return {
    ...{ kind, waba: null, phone_number_id: null, at: time ?? null },
    ...DEFAULTS[kind],
    ...(kind === "message" || kind === "system" ? { id: anyMessageId() } : {}),
    ...rest,
    ...(change ? { change: { phone: null, user_id: null, ...change } } : {}),
    person: { phone: null, user_id: null, name: null, username: null, ...person },
  };
}

/** Applies an event's item to an account, and returns the result, for example `done`. */
export async function tell(sql: Sql, account_id: string, told: Told): Promise<string> {
  const apply = sql.unsafe(`app.${APPLYING[told.kind]}`);
  const [{ result }] = await sql`
    select ${apply}(${account_id}, ${sql.json(itemOf(told) as postgres.JSONValue)}) as result
  `;
  return result;
}

/** A company's contacts, oldest first. */
export async function contactsOf(sql: Sql, { id }: Pick<Company, "id">) {
  return [...await sql`select * from contacts where company_id = ${id} order by created_at, id`];
}

/** The contents of a conversation's messages in list order, oldest first. */
export async function contentsIn(sql: Sql, conversation_id: string): Promise<string[]> {
  const rows = await sql`
    select content from messages where conversation_id = ${conversation_id} order by created_at, id
  `;
  return rows.map(({ content }) => content);
}

export async function phoneOf(sql: Sql, contact_id: string): Promise<string | null> {
  return (await sql`select phone from contacts where id = ${contact_id}`)[0].phone;
}

/** A contact's channel ids, in order. */
export async function userIdsOf(sql: Sql, contact_id: string): Promise<string[]> {
  const rows = await sql`
    select user_id from contact_identities where contact_id = ${contact_id} order by user_id
  `;
  return rows.map(({ user_id }) => user_id);
}

/** The recorded changes of a contact's phone numbers and ids, oldest first. */
export async function identityEventsOf(sql: Sql, contact_id: string) {
  return [
    ...await sql`
      select kind, was, becomes from contact_identity_events
      where contact_id = ${contact_id} order by happened_at, kind
    `,
  ];
}

/** The notice that a person has a new phone number, and possibly a new id. */
export function moved(
  from: string,
  to: string,
  seconds: number,
  user_id: string | null = null,
): Told {
  return {
    kind: "system",
    at: at(seconds),
    id: anyMessageId(),
    person: { phone: from },
    change: { phone: to, user_id },
  };
}
