import type postgres from "postgres";
import { sealWebhookSecret } from "../../supabase/functions/_shared/credentials/webhook_secrets.ts";
import { newSecret } from "../../supabase/functions/_shared/webhooks/signature.ts";
import { credentialsKey, stack } from "./test_stack.ts";

type Sql = postgres.Sql | postgres.TransactionSql;

/** Adds a webhook for one event type to a company, and returns the webhook's id. */
export async function addWebhook(
  sql: Sql,
  company_id: string,
  columns: Record<string, unknown> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const sealed_secret = await sealWebhookSecret(
    newSecret(),
    { company_id, webhook_id: id },
    credentialsKey,
  );
  const url = `${stack.url}/sandbox/webhooks/tests`;
  const row = { id, company_id, url, types: ["template.status_changed"], sealed_secret };
  await sql`insert into webhooks ${sql({ ...row, ...columns } as never)}`;
  return id;
}

/** Adds an event that was delivered to a webhook, and returns the event's public id. */
export async function addDelivery(
  sql: Sql,
  company_id: string,
  webhook_id: string,
  outcome = "delivered",
): Promise<string> {
  const [{ name }] = await sql`
    with event as (
      insert into app.events (slot, id, seq, version, company_id, type, record_id, actor, happened_at)
      select
        app.slot_of(at), app.new_event_id(at), nextval('app.event_seq'), app.change_now(), ${company_id},
        'template.status_changed', gen_random_uuid(), '{ "kind": "platform", "id": null }', at
      from clock_timestamp() as at
      returning *
    ),
    delivery as (
      insert into app.deliveries (
        slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, status, ended_at, tries
      )
      select
        slot, ${webhook_id}, seq, id, company_id, type, record_id, happened_at, ${outcome}, 200, clock_timestamp(),
        jsonb_build_array(jsonb_build_object(
          'at', happened_at, 'status', 200, 'failure', null, 'ms', 12, 'answer', null
        ))
      from event
    )
    select app.event_name(id) as name from event
  `;
  return name;
}

/** Adds two webhooks to a company. An event was delivered to the first webhook. */
export async function addWebhooks(sql: Sql, company_id: string) {
  const webhook_id = await addWebhook(sql, company_id);
  return {
    webhook_id,
    spare_webhook_id: await addWebhook(sql, company_id),
    delivered_event_id: await addDelivery(sql, company_id, webhook_id),
  };
}
