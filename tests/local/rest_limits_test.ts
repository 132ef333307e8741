// Tests the limits for a Data API request: its role's settings and the length of its URL.
import assert from "node:assert/strict";
import { poll } from "deno-std/async/poll.js";
import { stack } from "../support/test_stack.ts";
import { startDataApi } from "./lite.ts";
import { sendRaw } from "./raw_client.ts";

const { api, sql, end } = await startDataApi(`
  create table things (id int primary key, kind text);
  create index on things (kind);
  insert into things select n, case when n < 5 then 'rare' else 'common' end from generate_series(1, 999) as n;
  analyze things;
  create view slow as select id, pg_sleep(5)::text as slept from things;
  create function setting(name text) returns text stable language sql
    return current_setting(name, true);
  create function plans() returns table (generic bigint, custom bigint) stable language sql as $$
    select generic_plans, custom_plans from pg_prepared_statements where statement ~ '"things"'
  $$;
  grant select on things, slow to authenticated;
`);
Deno.test.afterAll(end);

/**
 * Creates a role with the rights of `authenticated` and with settings that the Data API has not
 * read yet. All databases of the tests' server have this role. schema_files_test.ts therefore
 * leaves out roles whose names begin with `supabase_`.
 */
async function unknownRole(settings: string, member = "authenticator") {
  const role = `supabase_role_${crypto.randomUUID().slice(0, 8)}`;
  await sql.unsafe(
    `create role ${role}; grant authenticated to ${role}; grant ${role} to ${member}`,
  );
  for (const setting of settings.split(", ")) await sql.unsafe(`alter role ${role} set ${setting}`);
  return { role, [Symbol.asyncDispose]: async () => void await sql.unsafe(`drop role ${role}`) };
}

/** Notifies the Data API and waits until it has read the settings of all roles. */
async function reload() {
  // Makes the Data API read the settings of all roles, so that it does not know the new role before
  // it is notified.
  await settingOf("authenticated", "plan_cache_mode");
  await using mark = await unknownRole("reload.is_done = 'yes'");
  await sql`notify pgrst, 'reload config'`;
  const isDone = async () => await settingOf(mark.role, "reload.is_done") === "yes";
  await poll(isDone, Boolean, { interval: 5 });
}

async function newRole(...[settings, member]: Parameters<typeof unknownRole>) {
  const role = await unknownRole(settings, member);
  await reload();
  return role;
}
async function settingOf(role: string, name: string) {
  return (await api(`/rpc/setting?name=${name}`, { claims: { role } })).body;
}

Deno.test("every role's settings apply to its requests, with their values in lower case", async () => {
  const settings = "statement_timeout = '3s', lock_timeout = '1s', plan_cache_mode = " +
    "'force_custom_plan', application_name = 'Reader'";
  await using reader = await newRole(settings);
  const found = (name: string) => settingOf(reader.role, name);
  assert.deepEqual(
    await Promise.all(
      ["statement_timeout", "lock_timeout", "plan_cache_mode", "application_name"].map(found),
    ),
    ["3s", "1s", "force_custom_plan", "reader"],
  );
  assert.deepEqual(await settingOf("authenticated", "plan_cache_mode"), "auto");
});

Deno.test("a change to a role's settings takes effect only after the Data API is notified", async () => {
  await using reader = await newRole("statement_timeout = '3s'");
  await sql.unsafe(`alter role ${reader.role} set statement_timeout = '2s'`);
  assert.equal(await settingOf(reader.role, "statement_timeout"), "3s");
  await reload();
  assert.equal(await settingOf(reader.role, "statement_timeout"), "2s");
});

Deno.test("if `authenticator` inherits a role only through another role, the role has the settings of `authenticator`", async () => {
  await using first = await newRole("statement_timeout = '3s'");
  await using second = await newRole("statement_timeout = '2s'", first.role);
  assert.equal(await settingOf(second.role, "statement_timeout"), "8s");
});

Deno.test("a prepared statement may use a generic plan, unless the role's settings forbid generic plans", async () => {
  const ask = async (role: string) => {
    for (let n = 0; n < 8; n++) {
      const query = `/things?select=id&kind=eq.${role}&limit=1`;
      assert.equal((await api(query, { claims: { role } })).status, 200);
    }
    const { body } = await api("/rpc/plans", { claims: { role } });
    return body.map(({ generic }: { generic: number }) => generic > 0);
  };
  await using careful = await newRole("plan_cache_mode = 'force_custom_plan'");
  assert.deepEqual(await ask(careful.role), [false]);
  assert.deepEqual(await ask("authenticated"), [true]);
});

Deno.test("a request line of more than 8 KiB is refused", async () => {
  const rest = "/rest/v1/contacts?name=eq.";
  const line = (length: number) => {
    const [start, end] = [`GET ${rest}`, " HTTP/1.1"];
    return start + "a".repeat(length - start.length - end.length - "\r\n".length) + end;
  };
  const { host } = new URL(stack.url);
  const ask = async (length: number) => {
    const head = [line(length), `Host: ${host}`, `apikey: ${stack.publishable_key}`];
    const { status, text } = await sendRaw(stack.url, head);
    return status === 414 ? [status, text] : [JSON.parse(text).code];
  };
  assert.deepEqual(await ask(8192), ["42501"]); // `anon` has no read rights
  assert.deepEqual(await ask(8193), [414, "URI too long\n"]);
  assert.deepEqual(await ask(60_000), [414, "URI too long\n"]);

  const long = `/things?select=id&kind=eq.${"é".repeat(1400)}`;
  assert.equal((await api(long)).status, 414); // each é needs six characters in a URL
});
