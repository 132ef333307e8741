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

/** A project of a test's own, for what the operator does to a whole project. */
export async function startProject() {
  const folder = await Deno.makeTempDir({ prefix: "crm-project-" });
  const { started, stack } = await startOn(folder, ["--no-seed"]);
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {}, prepare: false });
  return {
    folder,
    stack,
    sql,
    secrets: JSON.parse(await Deno.readTextFile(`${folder}/secrets.json`)),
    /** Runs the operator's command with these secrets, by the project's address or a door before it. */
    operate(
      args: string[],
      { input, url = stack.url, ...env }: Record<string, string | undefined>,
    ): Promise<Ending> {
      const project = { SUPABASE_URL: url, SUPABASE_SECRET_KEY: stack.secret_key };
      return admin(args, { input, env: { STACK_FILE: undefined, ...project, ...env } });
    },
    /** A company with one account for each of these sealed tokens; null is a disconnected one. Their ids. */
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
    /** What the database has of the accounts' tokens. */
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

export type Project = Awaited<ReturnType<typeof startProject>>;

/** A CREDENTIALS_KEY, as text. */
export function anyCredentialsKey(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

export async function idOf(key: string): Promise<string> {
  return await credentialsKeyId(readCredentialsKey(key));
}

export async function seal(token: string, key: string): Promise<string> {
  return await sealToken(token, readCredentialsKey(key));
}

/** As versions did that named no key. */
export async function sealNamingNone(token: string, key: string): Promise<string> {
  return await new jose.CompactEncrypt(new TextEncoder().encode(token))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(readCredentialsKey(key));
}

/** The token, when it is sealed under this key. */
export async function open(sealed: string, key: string): Promise<string> {
  return await openToken(sealed, [readCredentialsKey(key)]);
}
