import type postgres from "postgres";

/** An event as the database stores it. */
export interface StoredEvent {
  type: string;
  record_id: string;
  changed: string[] | null;
  changes: Record<string, unknown> | null;
  actor: { kind: string; id: string | null };
  request_id: string | null;
}

/**
 * A company's events with a sequence number above `after`, in the order in which they were written.
 */
export async function eventsOf(
  sql: postgres.Sql | postgres.TransactionSql,
  { id }: { id: string },
  after = 0n,
): Promise<StoredEvent[]> {
  return [
    ...await sql<StoredEvent[]>`
      select type, record_id, changed, changes, actor, request_id from app.events
      where company_id = ${id} and seq > ${String(after)} order by seq
    `,
  ];
}

/** The sequence number of the newest event across all companies. */
export async function newestEvent(sql: postgres.Sql | postgres.TransactionSql): Promise<bigint> {
  const [{ seq }] = await sql`select last_value::text as seq from app.event_seq`;
  return BigInt(seq);
}

/** Runs the work and returns the events that the work writes for a company. */
export async function eventsIn(
  sql: postgres.Sql | postgres.TransactionSql,
  company: { id: string },
  work: () => Promise<unknown>,
): Promise<StoredEvent[]> {
  const before = await newestEvent(sql);
  await work();
  return await eventsOf(sql, company, before);
}

/** The event types, each with its record: `[type, record_id]`. */
export const typesOf = (events: StoredEvent[]) =>
  events.map(({ type, record_id }) => [type, record_id]);
