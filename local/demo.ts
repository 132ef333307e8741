import {
  sealToken,
  type TokenAccount,
} from "../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import { sealAppSecret } from "../supabase/functions/_shared/credentials/app_secrets.ts";
import type { Sql } from "./postgres/database.ts";
import { SANDBOX_TOKEN } from "../sandbox/rules.ts";

// Each start writes these parts of the demo company. They are secrets, so supabase/seed.sql does
// not contain them.

export const DEMO_COMPANY_ID = "de300000-0000-4000-8000-000000000001";
/** The account that sends through the sandbox. */
const DEMO_ACCOUNT_ID = "de300003-0000-4000-8000-000000000001";
const DEMO_KEY_NAME = "npm start";

/**
 * Creates a new API key of the demo company. Returns null when the company does not exist. Keys of
 * earlier starts stay valid for 30 days, so a program with yesterday's key still works today.
 */
export async function demoKey(
  owner: Sql,
): Promise<{ company_id: string; api_key: string } | null> {
  return await owner.begin(async (sql) => {
    await sql`set local role service_role`;
    const [company] = await sql`select from companies where id = ${DEMO_COMPANY_ID}`;
    if (!company) return null;
    await sql`
      delete from api_keys
      where company_id = ${DEMO_COMPANY_ID} and name = ${DEMO_KEY_NAME} and expires_at < now()
    `;
    const [{ api_key }] = await sql`
      select api_key from create_api_key(
        ${DEMO_KEY_NAME}, array['read', 'write', 'messaging', 'webhooks'], now() + interval '30 days', ${DEMO_COMPANY_ID}
      )
    `;
    return { company_id: DEMO_COMPANY_ID, api_key };
  });
}

/**
 * Makes all template lists due, so that the jobs read them and upload the templates' media again.
 * Each start has a new sandbox, which has no media from earlier sandboxes and may have another URL
 * and other templates.
 */
export async function renewSandboxCatalogues(owner: Sql) {
  await owner`delete from template_media`;
  await owner`update template_catalogues set sync_due_at = now(), failures = 0`;
}

/**
 * The sandbox's app. Its secrets are the same on every machine. Only a stack with the sandbox
 * creates the app.
 */
const DEMO_APP = {
  app_key: "demo-app-of-the-sandbox",
  app_secret: "demo-app-secret-of-the-sandbox",
  verify_token: "demo-verify-token-of-the-sandbox",
};

/** An app of the channel, for programs that sign events. */
export interface DemoApp {
  app_key: string;
  app_secret: string;
  verify_token: string;
}

/**
 * Registers the sandbox's app and connects the demo account to it. Returns null when there is no
 * demo account. The secrets are encrypted at each start, because each installation encrypts with
 * its own key.
 */
export async function makeDemoApp(owner: Sql, credentialsKey: string): Promise<DemoApp | null> {
  const [account] = await owner`select from messaging_accounts where id = ${DEMO_ACCOUNT_ID}`;
  if (!account) return null;
  const { app_key, app_secret, verify_token } = DEMO_APP;
  const key = readCredentialsKey(credentialsKey);
  const sealed = {
    sealed_secret: await sealAppSecret(app_secret, { app_key, kind: "secret" }, key),
    sealed_verify_token: await sealAppSecret(verify_token, { app_key, kind: "verify_token" }, key),
  };
  const row = { app_key, name: "Sandbox", ...sealed };
  const [{ id }] = await owner`
    insert into channel_apps ${owner(row)}
    on conflict (app_key) do update set ${owner(sealed)} returning id
  `;
  await owner`
    update messaging_accounts set channel_app_id = ${id}
    where id = ${DEMO_ACCOUNT_ID} and channel_app_id is null
  `;
  return DEMO_APP;
}

/**
 * Connects the demo company to the sandbox. The token is not in the seed, because each installation
 * encrypts tokens with its own key.
 *
 * @param credentialsKey null disconnects the account, because its token works only in the sandbox.
 */
export async function connectDemoAccount(owner: Sql, credentialsKey: string | null) {
  const [account] = await owner<TokenAccount[]>`
    select company_id, phone_number_id from messaging_accounts where id = ${DEMO_ACCOUNT_ID}
  `;
  if (!account) return;
  const token = credentialsKey &&
    await sealToken(SANDBOX_TOKEN, account, readCredentialsKey(credentialsKey));
  await owner`
    update messaging_accounts set
      encrypted_token = ${token},
      disconnected_at = case when ${token}::text is null then coalesce(disconnected_at, now()) end
    where id = ${DEMO_ACCOUNT_ID} and not exists (
      -- Another company has connected the number in the meantime.
      select from messaging_accounts as other
      where other.phone_number_id = messaging_accounts.phone_number_id and other.id <> messaging_accounts.id
        and other.disconnected_at is null
    )
  `;
}
