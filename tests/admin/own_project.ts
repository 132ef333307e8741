import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import postgres from "postgres";
import {
  credentialsKeyId,
  openToken,
  sealToken,
  type TokenAccount,
} from "../../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";
import { startOn } from "../support/started.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { admin, type Ending } from "./command.ts";

/** An encrypted token, or a function that encrypts a token for its account. null means no token. */
type Sealed = string | null | ((account: TokenAccount) => Promise<string>);

interface AccountRow extends TokenAccount {
  id: string;
  encrypted_token: string | null;
}

/** Starts a separate project for a test file whose commands change the whole project. */
export async function startOwnProject() {
  const folder = await Deno.makeTempDir({ prefix: "crm-project-" });
  const { started, stack } = await startOn(folder, ["--no-seed"]);
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {}, prepare: false });
  return {
    folder,
    stack,
    sql,
    secrets: JSON.parse(await Deno.readTextFile(`${folder}/secrets.json`)),
    /**
     * Runs the operator's command with these variables, against the project or against the proxy at
     * `url`.
     */
    operate(
      args: string[],
      { input, url = stack.url, ...env }: Record<string, string | undefined>,
    ): Promise<Ending> {
      const project = { SUPABASE_URL: url, SUPABASE_SECRET_KEY: stack.secret_key };
      return admin(args, { input, env: { STACK_FILE: undefined, ...project, ...env } });
    },
    /**
     * Creates a company with one account for each encrypted token. null creates a disconnected
     * account. Returns the ids of the accounts.
     */
    async accounts(...sealed: Sealed[]): Promise<string[]> {
      const [{ id: company_id }] = await sql`
        insert into companies (name) values ('Rotated') returning id
      `;
      const rows = await Promise.all(sealed.map(async (seal) => {
        const account = { company_id, phone_number_id: anyPhoneNumberId() };
        return {
          ...account,
          display_phone: "+15550100",
          encrypted_token: typeof seal === "function" ? await seal(account) : seal,
          disconnected_at: seal === null ? new Date() : null,
        };
      }));
      const added = await sql`insert into messaging_accounts ${sql(rows)} returning id`;
      return added.map(({ id }) => id);
    },
    /** The rows of these accounts. */
    async rows(ids: string[]): Promise<AccountRow[]> {
      const found = await sql<AccountRow[]>`select * from messaging_accounts`;
      return ids.map((id) => found.find((row) => row.id === id)!);
    },
    /** These accounts' stored tokens. */
    async tokens(ids: string[]): Promise<(string | null)[]> {
      return (await this.rows(ids)).map(({ encrypted_token }) => encrypted_token);
    },
    /** These accounts' tokens, decrypted with this key. */
    async opened(ids: string[], key: string): Promise<string[]> {
      const keys = [readCredentialsKey(key)] as const;
      const rows = await this.rows(ids);
      return await Promise.all(rows.map((row) => openToken(row.encrypted_token!, row, keys)));
    },
    async [Symbol.asyncDispose]() {
      await sql.end();
      await started.end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

export type OwnProject = Awaited<ReturnType<typeof startOwnProject>>;

/** A CREDENTIALS_KEY, as a string. */
export function anyCredentialsKey(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The id of a CREDENTIALS_KEY. */
export async function keyId(key: string): Promise<string> {
  return await credentialsKeyId(readCredentialsKey(key));
}

/**
 * Returns a function that encrypts this token for an account, in the same way as the edge
 * functions.
 */
export function seal(token: string, key: string): (account: TokenAccount) => Promise<string> {
  return (account) => sealToken(token, account, readCredentialsKey(key));
}
