// Helpers for database tests of channel events.
import type postgres from "postgres";
import type { ChannelApp } from "../support/channel_apps.ts";
import { actAsSuperuser, type Sql } from "../support/acting_as.ts";

/** An item that the edge function `whatsapp` reads from an event. */
export type AnyItem = Record<string, unknown>;

/** What the database stores about an event. */
export interface EventRow {
  id: string;
  state: string;
  attempts: number;
  error: string | null;
  waits_for: string[];
  notes: string[];
  next_attempt_at: Date | null;
  processed_at: Date | null;
}

/**
 * Replaces the functions that apply items with test functions, in a transaction that is rolled
 * back. The test functions record their calls in `app.applied`. For an item with `fails`, a test
 * function raises that error. For an item with `result`, a test function returns that result.
 */
export async function addStandIns(sql: Sql) {
  await actAsSuperuser(sql);
  await sql.unsafe(`
    create table app.applied (at bigserial, account_ids uuid[], item jsonb);
    create function app.note_applied(account_ids uuid[], item jsonb) returns text language plpgsql as $$
    begin
      insert into app.applied (account_ids, item) values ($1, $2);
      if item ? 'fails' then
        raise exception '%', item ->> 'fails' using errcode = coalesce(item ->> 'sqlstate', 'P0001');
      end if;
      return coalesce(item ->> 'result', 'done');
    end $$;
    grant insert on app.applied to postgres;
    grant usage on sequence app.applied_at_seq to postgres;
    grant execute on function app.note_applied(uuid[], jsonb) to postgres;
  `);
  const ofOne = [
    ...["message", "reaction", "edit", "revoke", "identity_change", "preference", "trouble"],
  ];
  const ofSeveral = ["status", "template_hint", "account_event"];
  for (const kind of [...ofOne, ...ofSeveral]) {
    const isOne = ofOne.includes(kind);
    const [type, ids] = isOne ? ["uuid", "array[$1]"] : ["uuid[]", "$1"];
    await sql.unsafe(`
      drop function if exists app.apply_${kind}(${type}, jsonb);
      create function app.apply_${kind}(${type}, jsonb) returns text language sql
        as $$ select app.note_applied(${ids}, $2) $$;
      grant execute on function app.apply_${kind}(${type}, jsonb) to postgres;
    `);
  }
}

/** The items that the test functions have applied, in order, with their accounts. */
export async function appliedItems(sql: Sql): Promise<{ account_ids: string[]; item: AnyItem }[]> {
  return [...await sql`select account_ids, item from app.applied order by at`] as {
    account_ids: string[];
    item: AnyItem;
  }[];
}

let count = 0;

/** Receives an event as the edge function does. The default body is unique. */
export async function receive(
  sql: Sql,
  { app_key }: Pick<ChannelApp, "app_key">,
  items: unknown,
  { body = `event ${++count} ${crypto.randomUUID()}`, problem = null as string | null } = {},
) {
  const [{ received }] = await sql`
    select receive_channel_event(
      ${app_key}, ${btoa(body)}, ${sql.json(items as postgres.JSONValue)}, ${problem}
    ) as received
  `;
  return received;
}

/** Starts an attempt to apply an event, as the job does for each event that is due. */
export async function startAttempt(sql: Sql, id: string) {
  await sql`
    update channel_events set attempts = attempts + 1, next_attempt_at = now() + interval '3 minutes'
    where id = ${id}
  `;
}

export async function eventRow(sql: Sql, id: string): Promise<EventRow> {
  const [row] = await sql<EventRow[]>`select * from channel_events where id = ${id}`;
  return row;
}
