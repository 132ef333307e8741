import type postgres from "postgres";

/**
 * Columns of a webhook. By default, a webhook subscribes to all events, and nothing listens on its
 * URL.
 */
export interface WebhookColumns {
  url?: string;
  types?: string[];
  payload?: "full" | "ids";
  sealed_secret?: string;
  created_by_key_id?: string;
  created_by?: string;
  state?: "on" | "catching_up" | "paused" | "off";
  switched_off_at?: Date;
}

/** Adds a webhook to a company, and returns its id. */
export async function addWebhook(
  sql: postgres.Sql | postgres.TransactionSql,
  { id: company_id }: { id: string },
  columns: WebhookColumns = {},
): Promise<string> {
  const row = {
    ...{ company_id, url: "https://receiver.example/events", types: ["*"] },
    sealed_secret: "sealed",
    ...columns,
  };
  const [{ id }] = await sql`insert into webhooks ${sql(row)} returning id`;
  return id;
}
