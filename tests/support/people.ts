import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { StackAddresses } from "../../local/stack.ts";
import { stack, withDatabase } from "./test_stack.ts";

/** A user who can sign in. */
export interface SignedUp {
  id: string;
  email: string;
  password: string;
}

/** The columns that Supabase Auth needs to find and read a user. */
const FOUND = {
  instance_id: "00000000-0000-0000-0000-000000000000",
  aud: "authenticated",
  role: "authenticated",
  confirmation_token: "",
  recovery_token: "",
  email_change: "",
  email_change_token_new: "",
};

/** The URL and the publishable key of a stack. */
type Project = Pick<StackAddresses, "url" | "publishable_key">;

/** Creates a user who has a password and is a member of the given companies. */
export async function newPerson(
  { company, role = "owner", name = null, password = `pw-${crypto.randomUUID()}`, ...others }: {
    /** One company id or several. By default, the user has no company. */
    company?: string | string[];
    role?: "owner" | "admin" | "agent";
    name?: string | null;
    password?: string;
    email?: string;
  },
): Promise<SignedUp> {
  const id = crypto.randomUUID();
  const { email = `${id}@people.example` } = others;
  await withDatabase(async (sql) => {
    await sql.begin(async (sql) => {
      await sql`insert into auth.users ${sql({ id, email, ...FOUND })}`;
      // The lowest bcrypt cost, for speed.
      await sql`
        update auth.users set
          encrypted_password = extensions.crypt(${password}, extensions.gen_salt('bf', 4)),
          email_confirmed_at = now(), created_at = now(), updated_at = now()
        where id = ${id}
      `;
      for (const company_id of [company ?? []].flat()) {
        await sql`insert into company_members ${sql({ company_id, user_id: id, role, name })}`;
      }
    });
  });
  return { id, email, password };
}

/** A Supabase client with the publishable key, as on the settings page, and a session in memory. */
export function anyClient({ url, publishable_key }: Project = stack): SupabaseClient {
  return createClient(url, publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}

/**
 * Signs a user in with the password, as the settings page does.
 * @returns a Data API client that acts as the user, and the access token.
 */
export async function signIn(
  { email, password }: { email: string; password: string | null },
  project?: Project,
): Promise<{ client: SupabaseClient; token: string }> {
  const client = anyClient(project);
  const { data, error } = await client.auth.signInWithPassword({ email, password: password ?? "" });
  if (error) throw new Error(`${email} cannot sign in: ${error.message}`);
  return { client, token: data.session.access_token };
}
