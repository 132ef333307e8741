// What bounds a request to the Data API: the settings of its role, and the length of its address.
import assert from "node:assert/strict";
import { stack } from "../support/test_stack.ts";
import { silently, startBoth } from "./lite.ts";
import { sendRaw } from "./raw_client.ts";

const { corrected, uncorrected, sql, end } = await startBoth(`
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

/** Makes a role with some settings that can do what authenticated can. */
async function newRole(settings: string, member = "authenticator") {
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await sql.unsafe(
    `create role ${role}; grant authenticated to ${role}; grant ${role} to ${member}`,
  );
  for (const setting of settings.split(", ")) await sql.unsafe(`alter role ${role} set ${setting}`);
  return { role, [Symbol.asyncDispose]: async () => void await sql.unsafe(`drop role ${role}`) };
}

async function settingOf(role: string, name: string, api = corrected) {
  return (await api(`/rpc/setting?name=${name}`, { claims: { role } })).body;
}

Deno.test("the settings of any role apply to its requests, in lower case", async () => {
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

  assert.equal(await settingOf(reader.role, "plan_cache_mode", uncorrected), "auto");
});

Deno.test("a role that authenticator takes only by way of another has no settings", async () => {
  await using first = await newRole("statement_timeout = '3s'");
  await using second = await newRole("statement_timeout = '2s'", first.role);
  assert.equal(await settingOf(second.role, "statement_timeout"), "0");
});

Deno.test("a statement that takes longer than its role may is a 500 with the code 57014", async () => {
  await using reader = await newRole("statement_timeout = '30ms'");
  const query = "/slow?select=id&slept=eq.x&id=eq.1";
  const { status, body } = await corrected(query, { claims: { role: reader.role } });
  assert.deepEqual([status, body], [500, {
    code: "57014",
    message: "canceling statement due to statement timeout",
    details: null,
    hint: null,
  }]);
  assert.equal(await settingOf(reader.role, "statement_timeout"), "30ms");
});

Deno.test("a statement is prepared by name, so that one plan may serve all values, unless its role says otherwise", async () => {
  const ask = async (role: string, api = corrected) => {
    for (let n = 0; n < 8; n++) {
      const { status } = await api(`/things?select=id&kind=eq.${role}&limit=1`, {
        claims: { role },
      });
      assert.equal(status, 200);
    }
    const { body } = await api("/rpc/plans", { claims: { role } });
    return body.map(({ generic }: { generic: number }) => generic > 0);
  };
  await using careful = await newRole("plan_cache_mode = 'force_custom_plan'");
  assert.deepEqual(await ask(careful.role), [false]);
  assert.deepEqual(await ask("authenticated"), [true]);

  assert.deepEqual(await ask("authenticated", uncorrected), []);
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
  assert.deepEqual(await ask(8192), ["42501"]); // anon may read nothing
  assert.deepEqual(await ask(8193), [414, "URI too long\n"]);
  assert.deepEqual(await ask(60_000), [414, "URI too long\n"]);

  const long = `/things?select=id&kind=eq.${"é".repeat(1400)}`;
  assert.equal((await corrected(long)).status, 414); // six characters for each in an address
  await silently(async () => assert.equal((await uncorrected(long)).status, 200));
});
