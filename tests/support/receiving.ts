import type postgres from "postgres";
import { sealWebhookSecret } from "../../supabase/functions/_shared/credentials/webhook_secrets.ts";
import { newSecret } from "../../supabase/functions/_shared/webhooks/signature.ts";
import { credentialsKey, withDatabase } from "./test_stack.ts";

/** A request that a webhook receiver has received. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  text: string;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
}

/**
 * A webhook receiver on this machine, which records every request.
 * @param answer returns the response to a request, by default a 204.
 */
export function receiver(
  answer: (received: Received, count: number) => Response | Promise<Response> = () =>
    new Response(null, { status: 204 }),
) {
  const got: Received[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const text = await request.text();
      const received = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        text,
        body: JSON.parse(text),
      };
      got.push(received);
      return await answer(received, got.length);
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, got, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A webhook in the database, with its secret. */
export interface MadeWebhook {
  id: string;
  company_id: string;
  secret: string;
}

/** Adds a webhook to a company, as if a user had created it. */
export async function addWebhook(
  company_id: string,
  url: string,
  columns: Record<string, postgres.ParameterOrJSON<never>> = {},
): Promise<MadeWebhook> {
  const [id, secret] = [crypto.randomUUID(), newSecret()];
  const sealed_secret = await sealWebhookSecret(
    secret,
    { company_id, webhook_id: id },
    credentialsKey,
  );
  await withDatabase((sql) =>
    sql`insert into webhooks ${
      sql({ id, company_id, url, types: ["*"], sealed_secret, ...columns })
    }`
  );
  return { id, company_id, secret };
}

/** An event to write: its type, its record, and the webhooks for which it is queued. */
export interface NewEvent {
  type: string;
  record_id: string;
  webhooks: string[];
  /**
   * How many attempts have already failed. The default is 0. After the first failure, the pause is
   * so short that a slow run may retry by itself.
   */
  attempts?: number;
}

/** Writes events in this order and queues them, as the database triggers do. */
export async function noteEvents(company_id: string, events: NewEvent[]): Promise<void> {
  const rows = events.map((event, at) => ({ ...event, place: at + 1 }));
  await withDatabase((sql) =>
    sql`
      with listed as (
        select listed.* from jsonb_to_recordset(${sql.json(rows)})
          as listed (type text, record_id uuid, webhooks uuid[], attempts smallint, place bigint)
        order by place
      ),
      noted as (
        insert into app.events (
          slot, id, seq, version, company_id, type, record_id, changed, changes, actor, happened_at
        )
        select
          app.slot_of(clock_timestamp()), app.new_event_id(clock_timestamp()), nextval('app.event_seq'),
          app.change_now(), ${company_id}, type, record_id, '{}', '{}', '{ "kind": "platform", "id": null }',
          clock_timestamp()
        from listed
        returning *
      ),
      numbered as (select *, row_number() over (order by seq) as place from noted)
      insert into app.open_deliveries (
        webhook_id, record_id, seq, slot, event_id, company_id, type, due_at, attempts
      )
      select
        webhook, numbered.record_id, numbered.seq, numbered.slot, numbered.id, numbered.company_id,
        numbered.type, clock_timestamp(), coalesce(listed.attempts, 0)
      from numbered join listed on listed.place = numbered.place
      cross join lateral unnest(listed.webhooks) as webhook
    `
  );
}

/** A webhook's open deliveries, in order. */
export async function openDeliveries(webhook: MadeWebhook) {
  return await withDatabase((sql) =>
    sql`
      select record_id, type, attempts, tries, due_at, due_at - clock_timestamp() > interval '1 second' as waits
      from app.open_deliveries where webhook_id = ${webhook.id} order by seq
    `
  );
}

/** A webhook's finished deliveries, in order. */
export async function endedDeliveries(webhook: MadeWebhook) {
  return await withDatabase((sql) =>
    sql`
      select record_id, type, outcome, status, tries from app.deliveries
      where webhook_id = ${webhook.id} order by seq
    `
  );
}

/** Makes a webhook's open deliveries due, and ends the webhook's pause. */
export async function makeDue(webhook: MadeWebhook): Promise<void> {
  await withDatabase(async (sql) => {
    await sql`
      update app.open_deliveries set due_at = clock_timestamp() where webhook_id = ${webhook.id}
    `;
    await sql`update webhooks set paused_until = clock_timestamp() where id = ${webhook.id}`;
  });
}
