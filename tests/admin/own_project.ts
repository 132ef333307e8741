import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import * as jose from "jose";
import postgres from "postgres";
import {
  credentialsKeyId,
  openToken,
  readCredentialsKey,
  sealToken,
} from "../../supabase/functions/_shared/whatsapp/credentials.ts";
import { startOn } from "../support/started.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { admin, type Ending } from "./command.ts";

/** Starts a project for one test file, for commands that change a whole project. */
export async function startOwnProject() {
  const folder = await Deno.makeTempDir({ prefix: "crm-project-" });
  const { started, stack } = await startOn(folder, ["--no-seed"]);
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {}, prepare: false });
  return {
    folder,
    stack,
    sql,
    secrets: JSON.parse(await Deno.readTextFile(`${folder}/secrets.json`)),
    /** Runs the operator's command with these variables, at the project's address or that of a proxy. */
    operate(
      args: string[],
      { input, url = stack.url, ...env }: Record<string, string | undefined>,
    ): Promise<Ending> {
      const project = { SUPABASE_URL: url, SUPABASE_SECRET_KEY: stack.secret_key };
      return admin(args, { input, env: { STACK_FILE: undefined, ...project, ...env } });
    },
    /**
     * Creates a company with one account for each encrypted token; null makes a disconnected account.
     * Returns the accounts' ids.
     */
    async accounts(...sealed: (string | null)[]): Promise<string[]> {
      const [{ id: company_id }] = await sql`
        insert into companies (name) values ('Rotated') returning id
      `;
      const rows = sealed.map((encrypted_token) => ({
        company_id,
        phone_number_id: anyPhoneNumberId(),
        display_phone: "+15550100",
        encrypted_token,
        disconnected_at: encrypted_token === null ? new Date() : null,
      }));
      const added = await sql`insert into messaging_accounts ${sql(rows)} returning id`;
      return added.map(({ id }) => id);
    },
    /** The stored tokens of these accounts. */
    async tokens(ids: string[]): Promise<(string | null)[]> {
      const found = await sql`select id, encrypted_token from messaging_accounts`;
      const tokens = new Map(found.map(({ id, encrypted_token }) => [id, encrypted_token]));
      return ids.map((id) => tokens.get(id));
    },
    async [Symbol.asyncDispose]() {
      await sql.end();
      await started.end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

export type OwnProject = Awaited<ReturnType<typeof startOwnProject>>;

/** A CREDENTIALS_KEY, as text. */
export function anyCredentialsKey(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The id of a CREDENTIALS_KEY. */
export async function keyId(key: string): Promise<string> {
  return await credentialsKeyId(readCredentialsKey(key));
}

/** Encrypts a token as the functions do. */
export async function seal(token: string, key: string): Promise<string> {
  return await sealToken(token, readCredentialsKey(key));
}

/** Encrypts a token as earlier versions did, without the id of the key. */
export async function sealWithoutKeyId(token: string, key: string): Promise<string> {
  return await new jose.CompactEncrypt(new TextEncoder().encode(token))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(readCredentialsKey(key));
}

/** Decrypts a token that this key encrypted. */
export async function open(sealed: string, key: string): Promise<string> {
  return await openToken(sealed, [readCredentialsKey(key)]);
}
