// What a data folder keeps of the people who sign in, and one that an earlier version has made.
import assert from "node:assert/strict";
import postgres from "postgres";
import type { StackAddresses } from "../../local/stack.ts";
import { mailsTo } from "../support/mails.ts";
import { signIn } from "../support/people.ts";
import { startOn, withFolder } from "../support/started.ts";

/** Works on a stack's database as the superuser. */
async function asSuperuser<Answer>(
  stack: StackAddresses,
  work: (sql: postgres.Sql) => Promise<Answer>,
): Promise<Answer> {
  const url = new URL(stack.database_url);
  url.username = "supabase_admin";
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Columns and owners of the schema auth. */
const structure = (stack: StackAddresses) =>
  asSuperuser(stack, async (sql) => [
    Array.from(
      await sql`
        select table_name, column_name, data_type, is_nullable, column_default
        from information_schema.columns where table_schema = 'auth' order by 1, 2
      `,
    ),
    Array.from(
      await sql`
        select relname, relowner::regrole::text from pg_class
        where relnamespace = 'auth'::regnamespace order by 1
      `,
    ),
  ]);

/** Makes the schema auth what a version without sign-in has made. */
const withoutSignIn = (stack: StackAddresses) =>
  asSuperuser(stack, async (sql) => {
    const before = ["id", "email", "raw_app_meta_data", "raw_user_meta_data", "created_at"];
    const columns = await sql`
      select column_name as name from information_schema.columns
      where table_schema = 'auth' and table_name = 'users' and column_name <> all (${before})
    `;
    const drops = columns.map(({ name }) => `drop column if exists ${name} cascade`).join(", ");
    await sql.unsafe(`
      drop table auth.sessions, auth.refresh_tokens, auth.identities, auth.flow_state, auth.audit_log_entries;
      alter table auth.users ${drops}, owner to supabase_admin;
      alter role supabase_auth_admin nologin;
    `);
  });

Deno.test("a chosen password and its session outlive a restart, and an earlier version's folder gets sign-in", async () => {
  await withFolder(async (folder) => {
    const first = await startOn(folder);
    const [owner, agent] = first.stack.people!;
    const { client } = await signIn(owner, first.stack);
    const password = "a password of her own";
    assert.equal((await client.auth.updateUser({ password })).error, null);
    const { data: { session } } = await client.auth.getSession();
    const made = await structure(first.stack);
    assert.deepEqual(await first.started.end(), [0, ""]);

    const second = await startOn(folder);
    assert.deepEqual(second.stack.people, [{ ...owner, password: null }, agent]);
    assert.match(second.started.out, /\(owner\) with the password that was chosen\n/);
    await signIn({ ...owner, password }, second.stack);
    const { client: again } = await signIn(agent, second.stack);
    const refreshed = await again.auth.refreshSession({ refresh_token: session!.refresh_token });
    assert.equal(refreshed.data.user?.email, owner.email);
    await withoutSignIn(second.stack);
    assert.deepEqual(await second.started.end(), [0, ""]);

    const upgraded = await startOn(folder);
    assert.deepEqual(upgraded.stack.people, [owner, agent]);
    assert.deepEqual(await structure(upgraded.stack), made);
    for (const person of [owner, agent]) {
      const { client } = await signIn(person, upgraded.stack);
      const { data } = await client.from("companies").select("id");
      assert.deepEqual(data, [{ id: upgraded.stack.demo!.company_id }]);
      // A person whom the earlier version has made can also ask for a link.
      await client.auth.resetPasswordForEmail(person.email);
      assert.equal((await mailsTo(person.email, upgraded.stack.mail_url!)).length, 1);
    }
    assert.deepEqual(await upgraded.started.end(), [0, ""]);
  });
});
