import {
  readCredentialsKey,
  sealToken,
  type TokenAccount,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
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
