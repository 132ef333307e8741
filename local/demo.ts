import {
  readCredentialsKey,
  sealToken,
  type TokenAccount,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
import { sealAppSecret } from "../supabase/functions/_shared/whatsapp/app_secrets.ts";
import type { Sql } from "./postgres/database.ts";
import { SANDBOX_TOKEN } from "./sandbox/rules.ts";

// The parts of the demo company that each start adds to supabase/seed.sql, because they are secrets.

export const DEMO_COMPANY_ID = "de300000-0000-4000-8000-000000000001";
/** The account that sends through the sandbox. */
const DEMO_ACCOUNT_ID = "de300003-0000-4000-8000-000000000001";
const DEMO_KEY_NAME = "npm start";

/**
 * Creates a new API key of the demo company; returns null when the company does not exist. Keys of
 * earlier starts stay valid for 30 days, so a program that got its key yesterday still works today.
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
        ${DEMO_KEY_NAME}, array['read', 'write', 'messaging'], now() + interval '30 days', ${DEMO_COMPANY_ID}
      )
    `;
    return { company_id: DEMO_COMPANY_ID, api_key };
  });
}

/**
 * Has every catalogue and its media brought up to date soon: each start has a new sandbox, which knows no
 * media of the one before, and may have another address and other templates.
 */
export async function renewSandboxCatalogues(owner: Sql) {
  await owner`delete from template_media`;
  await owner`update template_catalogues set sync_due_at = now(), failures = 0`;
}

/** The app of the sandbox: its secrets are the same everywhere, and it is only made where the sandbox is. */
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
 * Makes the sandbox's app known, and has the demo account name it. Returns null when there is no demo account.
 * It is sealed anew, because each installation encrypts with a key of its own.
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
 * Connects the demo company to the sandbox. Each installation encrypts tokens with a key of its own, so
 * the seed cannot contain this token.
 *
 * @param credentialsKey null disconnects the account, because its token works in the sandbox only.
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
      -- Another company has connected the number since.
      select from messaging_accounts as other
      where other.phone_number_id = messaging_accounts.phone_number_id and other.id <> messaging_accounts.id
        and other.disconnected_at is null
    )
  `;
}
