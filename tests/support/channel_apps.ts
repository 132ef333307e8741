import type postgres from "postgres";
import { whatsapp } from "../../supabase/functions/whatsapp/app.ts";
import {
  readWhatsappConfig,
  type WhatsappConfig,
} from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { sealAppSecret } from "../../supabase/functions/_shared/credentials/app_secrets.ts";
import { patient } from "./own_functions.ts"; // also hides the functions' log lines
import { credentialsKey, environment, withDatabase } from "./test_stack.ts";

/** A channel app for one test. */
export interface ChannelApp {
  id: string;
  app_key: string;
  secret: string;
  verify_token: string;
}

type Sql = postgres.Sql | postgres.TransactionSql;

/** Creates a channel app, by default with random secrets. */
export async function newChannelApp(
  secrets: Partial<Pick<ChannelApp, "secret" | "verify_token">> = {},
): Promise<ChannelApp> {
  return await withDatabase((sql) => addChannelApp(sql, secrets));
}

/** Like `newChannelApp`, but within a transaction. */
export async function addChannelApp(
  sql: Sql,
  secrets: Partial<Pick<ChannelApp, "secret" | "verify_token">> = {},
): Promise<ChannelApp> {
  const app_key = crypto.randomUUID().replaceAll("-", "");
  const app = {
    app_key,
    secret: `secret-${crypto.randomUUID()}`,
    verify_token: `token-${crypto.randomUUID()}`,
    ...secrets,
  };
  const row = {
    app_key,
    name: "Tested",
    sealed_secret: await sealedSecret(app),
    sealed_verify_token: await sealAppSecret(
      app.verify_token,
      { app_key, kind: "verify_token" },
      credentialsKey,
    ),
  };
  const [{ id }] = await sql`insert into channel_apps ${sql(row)} returning id`;
  return { ...app, id };
}

/** An app's secret in its stored form. */
export async function sealedSecret(
  { app_key, secret }: Pick<ChannelApp, "app_key" | "secret">,
): Promise<string> {
  return await sealAppSecret(secret, { app_key, kind: "secret" }, credentialsKey);
}

/** The `X-Hub-Signature-256` header for a body. */
export async function signatureOf(body: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return `sha256=${new Uint8Array(await crypto.subtle.sign("HMAC", key, body)).toHex()}`;
}

/** An app's stored events, oldest first. */
export async function eventsOf({ id }: Pick<ChannelApp, "id">) {
  return await withDatabase(async (sql) => [
    ...await sql`select * from channel_events where channel_app_id = ${id} order by received_at`,
  ]);
}

/** A response from the webhook. */
export interface WebhookAnswer {
  status: number;
  headers: Headers;
  text: string;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
}

/**
 * Runs the channel webhook in this process, like one instance of the function `whatsapp`. Its
 * requests wait patiently for their turn.
 */
export async function ownWebhook({ supabaseUrl, ...changes }: Partial<WhatsappConfig> = {}) {
  const config = await readWhatsappConfig(environment({ supabaseUrl }));
  const [eventShare, strangerShare] = [patient(config.eventShare), patient(config.strangerShare)];
  const app = whatsapp({ ...config, eventShare, strangerShare, ...changes });
  const ask = async (path: string, init?: RequestInit): Promise<WebhookAnswer> => {
    const answer = await app.request(`http://edge/whatsapp/webhook/${path}`, init);
    const text = await answer.text();
    const isJson = answer.headers.get("Content-Type")?.includes("json");
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    };
  };
  return {
    fetch: async (request: Request) => await app.fetch(request),
    ask,
    /**
     * Posts a body with a valid signature, or with the given signature header. If `signature` is
     * null, the request has no signature.
     */
    async post(
      { app_key, secret }: Pick<ChannelApp, "app_key" | "secret">,
      body: string | Uint8Array<ArrayBuffer>,
      signature?: string | null,
    ): Promise<WebhookAnswer> {
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
      const header = signature === undefined ? await signatureOf(bytes, secret) : signature;
      return await ask(app_key, {
        method: "POST",
        headers: {
          "Content-Length": String(bytes.length),
          ...(header !== null && { "X-Hub-Signature-256": header }),
        },
        body: bytes,
      });
    },
  };
}

/** Links an account to a new app, and returns the app. */
export async function nameChannelApp(sql: Sql, accountId: string): Promise<ChannelApp> {
  const app = await addChannelApp(sql);
  await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${accountId}`;
  return app;
}

/**
 * The body of an event with messages from a person with this phone number. By default, each message
 * is a text message with the current time.
 */
export function messagesFrom(
  phone: string,
  phone_number_id: string,
  messages: Record<string, unknown>[],
  contact: Record<string, unknown> = {},
): string {
  const from = phone.replace("+", "");
  const timestamp = String(Math.floor(Date.now() / 1000));
  const value = {
    metadata: { phone_number_id },
    contacts: [{ wa_id: from, ...contact }],
    messages: messages.map((message) => ({
      ...{ from, id: `wamid.${crypto.randomUUID()}`, timestamp, type: "text", ...message },
    })),
  };
  const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
  return JSON.stringify({ object: "whatsapp_business_account", entry });
}
