// Tests how the catalogue changes when the service stores a list of templates that it has read from
// the channel.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  actAs,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { connectAccount, disconnectAccount, newCompany } from "../support/company.ts";
import { apply, catalogued, entry, joinBusinessAccount, mediaEntry } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const { id: company_id, account_id, keys } = own;

/** A company's templates as `name language: status`, in order. */
async function listed(sql: Sql, of_company_id = company_id): Promise<string[]> {
  const rows = await sql`
    select name || ' ' || language || ': ' || status as line from templates
    where company_id = ${of_company_id} order by 1
  `;
  return rows.map(({ line }) => line);
}

const TWO = [entry({ name: "a" }), entry({ name: "b", language: "es" })];

test("templates are stored as the channel lists them", async (sql) => {
  const sample_url = "https://scontent.whatsapp.net/v/a.jpg?oe=6A";
  const whole = entry({
    name: "promo",
    upcoming_category: "MARKETING",
    header_format: "IMAGE",
    variables: {
      header: [],
      body: [{ name: "first_name", example: "Ada" }],
      buttons: [{ index: 1, kind: "copy_code", text: "Copy", example: "GO10" }],
    },
    parameter_format: "NAMED",
    otp_button: 0,
    unsupported: ["CAROUSEL", "FLOW"],
    sample_url,
    ttl_seconds: 600,
  });
  const business_account_id = await catalogued(sql, own, [whole], "1 minute");
  const [row] = await sql`
    select *, status_since = now() - interval '1 minute' and read_at = status_since as timed
    from templates where company_id = ${company_id}
  `;
  const { id, status_since: _s, read_at: _r, created_at: _c, updated_at: _u, ...rest } = row;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    ...whole,
    company_id,
    business_account_id,
    phone_number_ids: [own.phone_number_id],
    sample_source: "https://scontent.whatsapp.net/v/a.jpg",
    media_problem: null,
    timed: true,
  });
  const [catalogue] = await sql`
    select
      synced_at = now() - interval '1 minute' as synced, failures,
      sync_due_at - synced_at between interval '23 hours' and interval '24 hours' as daily
    from template_catalogues where company_id = ${company_id}
  `;
  assert.deepEqual({ ...catalogue }, { synced: true, failures: 0, daily: true });
});

test("storing a template list returns how many templates the list contains, adds, changes and removes", async (sql) => {
  await joinBusinessAccount(sql, account_id);
  const [a, b] = TWO;
  const paused = { ...b, status: "PAUSED" };
  const expected: [unknown, string, string | undefined, Record<string, number>][] = [
    [TWO, "8 minutes", undefined, { templates: 2, added: 2, changed: 0, removed: 0 }],
    [TWO, "7 minutes", undefined, { templates: 2, added: 0, changed: 0, removed: 0 }],
    [[a, paused], "6 minutes", undefined, { templates: 2, added: 0, changed: 1, removed: 0 }],
    [[a], "5 minutes", undefined, { templates: 1, added: 0, changed: 0, removed: 1 }],
    [[a], "4 minutes", undefined, { templates: 1, added: 0, changed: 0, removed: 0 }],
    [TWO, "3 minutes", undefined, { templates: 2, added: 0, changed: 1, removed: 0 }],
    [[{ ...b, quality: "RED" }], "2 minutes", "b", {
      templates: 1,
      added: 0,
      changed: 1,
      removed: 0,
    }],
    [[], "1 minute", "a", { templates: 0, added: 0, changed: 0, removed: 1 }],
  ];
  for (const [entries, age, only_name, answer] of expected) {
    assert.deepEqual(await apply(sql, account_id, entries, { age, only_name }), answer, age);
  }
});

test("a template that is no longer listed becomes DELETED until it is listed again", async (sql) => {
  await catalogued(sql, own, TWO, "3 minutes");
  await apply(sql, account_id, [TWO[0]], { age: "2 minutes" });
  assert.deepEqual(await listed(sql), ["a pt_BR: APPROVED", "b es: DELETED"]);
  const [gone] = await sql`
    select id, status_since = now() - interval '2 minutes' as since from templates
    where company_id = ${company_id} and name = 'b'
  `;
  assert.equal(gone.since, true);
  await apply(sql, account_id, TWO);
  assert.deepEqual(await listed(sql), ["a pt_BR: APPROVED", "b es: APPROVED"]);
  const [back] = await sql`
    select id from templates where company_id = ${company_id} and name = 'b'
  `;
  assert.equal(back.id, gone.id);
});

test("a template's `status_since` is the start of the first read that found the template with its current status", async (sql) => {
  const minutes = async () => {
    const [row] = await sql`
      select extract(epoch from now() - status_since)::int / 60 as since,
        extract(epoch from now() - read_at)::int / 60 as read
      from templates where company_id = ${company_id}
    `;
    return [row.since, row.read];
  };
  await catalogued(sql, own, [entry()], "5 minutes");
  await apply(sql, account_id, [entry({ quality: "RED" })], { age: "4 minutes" });
  assert.deepEqual(await minutes(), [5, 4]);
  await apply(sql, account_id, [entry({ status: "PAUSED" })], { age: "3 minutes" });
  assert.deepEqual(await minutes(), [3, 3]);
  await apply(sql, account_id, [entry({ status: "PAUSED" })], { age: "2 minutes" });
  assert.deepEqual(await minutes(), [3, 2]);
});

test("a list for one template name changes no templates with other names, even if the list contains them", async (sql) => {
  const [a, b] = TWO;
  await catalogued(sql, own, [a, { ...a, language: "en" }, b], "2 minutes");
  const before = await sql`select * from template_catalogues where company_id = ${company_id}`;
  await apply(sql, account_id, [{ ...a, status: "PAUSED" }, { ...b, status: "PAUSED" }], {
    only_name: "a",
  });
  assert.deepEqual(await listed(sql), ["a en: DELETED", "a pt_BR: PAUSED", "b es: APPROVED"]);
  const after = await sql`select * from template_catalogues where company_id = ${company_id}`;
  assert.deepEqual([...after], [...before]);
});

test("of two template lists, the list that was read later wins, even if that list is stored first", async (sql) => {
  const [a, b] = TWO;
  await catalogued(sql, own, [{ ...a, status: "PAUSED" }], "1 minute");
  const earlier = [a, b];
  const ignored = await apply(sql, account_id, earlier, { age: "2 minutes" });
  assert.deepEqual(ignored, { templates: 2, added: 0, changed: 0, removed: 0 });
  await apply(sql, account_id, earlier, { age: "2 minutes", only_name: "b" });
  // The template b is not added, because the list that was read one minute ago does not contain it.
  assert.deepEqual(await listed(sql), ["a pt_BR: PAUSED"]);
  await apply(sql, account_id, [], { age: "2 minutes" });
  assert.deepEqual(await listed(sql), ["a pt_BR: PAUSED"]);
  const [{ synced }] = await sql`
    select synced_at = now() - interval '1 minute' as synced from template_catalogues
    where company_id = ${company_id}
  `;
  assert.equal(synced, true);
});

test("of two lists for one name, the list that was read later wins, in whatever order the lists are stored", async (sql) => {
  await catalogued(sql, own, [entry()], "9 minutes");
  for (const [status, age] of [["PAUSED", "1 minute"], ["DISABLED", "2 minutes"]]) {
    await apply(sql, account_id, [entry({ status })], { age, only_name: "order_update" });
  }
  assert.deepEqual(await listed(sql), ["order_update pt_BR: PAUSED"]);
});

test("a whole list does not change a template whose name was read more recently than the list", async (sql) => {
  const [a, b] = TWO;
  const business_account_id = await catalogued(sql, own, [a], "9 minutes");
  for (const name of ["a", "b"]) {
    await sql`insert into template_rereads ${sql({ company_id, business_account_id, name })}`;
  }
  await apply(sql, account_id, [{ ...a, status: "PAUSED" }], { age: "1 minute", only_name: "a" });
  await apply(sql, account_id, [], { age: "1 minute", only_name: "b" });
  const late = [a, b, entry({ name: "c" })];
  const answer = await apply(sql, account_id, late, { age: "2 minutes" });
  assert.deepEqual(answer, { templates: 3, added: 1, changed: 0, removed: 0 });
  assert.deepEqual(await listed(sql), ["a pt_BR: PAUSED", "c pt_BR: APPROVED"]);
});

test("a template that is listed several times is stored once, with the status that allows sends", async (sql) => {
  const [a] = TWO;
  const entries = [{ ...a, status: "REJECTED" }, a, { ...a, status: "PENDING" }, a];
  await joinBusinessAccount(sql, account_id);
  const answer = await apply(sql, account_id, entries);
  assert.deepEqual(answer, { templates: 1, added: 1, changed: 0, removed: 0 });
  assert.deepEqual(await listed(sql), ["a pt_BR: APPROVED"]);
});

test("a list with a future time is stored with the current time", async (sql) => {
  await catalogued(sql, own, [entry()], "-10 years");
  const [{ present }] = await sql`
    select templates.read_at = now() and synced_at = now() as present
    from templates join template_catalogues using (company_id) where company_id = ${company_id}
  `;
  assert.equal(present, true);
});

test("a value that is not a list of templates is refused and changes nothing", async (sql) => {
  await catalogued(sql, own, TWO, "1 minute");
  const before = await sql`select * from templates where company_id = ${company_id} order by id`;
  const { variables: _, ...withoutVariables } = entry({ name: "x" });
  const good = entry({ name: "good", status: "PAUSED" });
  const readings: [unknown, string][] = [
    [null, "PT422"],
    [{}, "PT422"],
    ["x", "PT422"],
    [{ data: [good] }, "PT422"],
    [[good, "x"], "22023"],
    [[good, null], "22023"],
    [[good, 5], "22023"],
    [[good, []], "22023"],
    [[good, {}], "23502"],
    [[good, withoutVariables], "23502"],
    [[good, entry({ name: "" })], "23514 templates_name_check"],
    [[good, entry({ name: "x".repeat(513) })], "23514 templates_name_check"],
    [[good, entry({ language: "" })], "23514 templates_language_check"],
    [[good, entry({ status: "" })], "23514 templates_status_check"],
    [[good, entry({ parameter_format: "MIXED" })], "23514 templates_parameter_format_check"],
    [[good, entry({ components: { type: "BODY" } })], "23514 templates_components_check"],
    [[good, entry({ variables: {} })], "23514 templates_variables_check"],
    [
      [good, entry({ variables: { header: [], body: 2, buttons: [] } })],
      "23514 templates_variables_check",
    ],
    [[good, entry({ rendering: {} })], "23514 templates_rendering_check"],
    [[good, entry({ rendering: { body: "Olá", buttons: [] } })], "23514 templates_rendering_check"],
    [[good, entry({ otp_button: -1 })], "23514 templates_otp_button_check"],
    [[good, entry({ otp_button: "first" })], "22P02"],
  ];
  for (const [reading, code] of readings) {
    const applying = (sql: Sql) => apply(sql, account_id, reading);
    assert.equal(await refusal(sql, applying), code, JSON.stringify(reading));
  }
  const without = (sql: Sql) =>
    sql`select apply_template_sync(${account_id}, null, '[]') as answer`;
  assert.equal(await refusal(sql, without), "PT422");
  const after = await sql`select * from templates where company_id = ${company_id} order by id`;
  assert.deepEqual([...after], [...before]);
});

test("a list is not stored if its account is unknown or has no business account", async (sql) => {
  for (const id of [crypto.randomUUID(), account_id]) {
    assert.equal(await refusal(sql, (sql) => apply(sql, id, [entry()])), "PT404");
  }
  const catalogues = await sql`select from template_catalogues where company_id = ${company_id}`;
  assert.equal(catalogues.length, 0);
});

test("a list is not stored if its account has moved to another business account", async (sql) => {
  const left = await joinBusinessAccount(sql, account_id);
  const now = await joinBusinessAccount(sql, account_id);
  const read = (of: string) => (sql: Sql) =>
    sql`select apply_template_sync(${account_id}, now(), '[]', null, ${of}) as answer`;
  assert.equal(await refusal(sql, read(left)), "PT409");
  const catalogues = () => sql`select from template_catalogues where company_id = ${company_id}`;
  assert.equal((await catalogues()).length, 0);
  await read(now)(sql);
  assert.equal((await catalogues()).length, 1);
});

test("an API key can store only lists for one name, and only for its own company", async (sql) => {
  await catalogued(sql, other, [entry()], "1 minute");
  await catalogued(sql, own, TWO, "1 minute");
  const acting = async (key: string, scope?: string) => {
    await actAs(sql, "api_client", { key_hash: await hashKey(key), scope });
  };
  const named = (id: string) => (sql: Sql) =>
    apply(sql, id, [{ ...TWO[0], status: "PAUSED" }], { only_name: "a" });
  const whole = (sql: Sql) => apply(sql, account_id, []);

  await acting(keys.all, "messaging");
  assert.equal(await refusal(sql, named(other.account_id)), "PT404");
  assert.equal(await refusal(sql, whole), "PT422");
  for (const key of [keys.read, keys.write]) {
    await acting(key, "messaging");
    assert.equal(await refusal(sql, named(account_id)), "PT403");
  }
  for (const scope of ["read", "write", undefined]) {
    await acting(keys.all, scope);
    assert.equal(await refusal(sql, named(account_id)), "PT403", scope);
  }
  await acting("sk_live_unknown", "messaging");
  assert.equal(await refusal(sql, named(account_id)), "PT401");

  await acting(keys.messaging, "messaging");
  await named(account_id)(sql);
  await actAsSuperuser(sql);
  assert.deepEqual(await listed(sql), ["a pt_BR: PAUSED", "b es: APPROVED"]);
  assert.deepEqual(await listed(sql, other.id), ["order_update pt_BR: APPROVED"]);
});

Deno.test("the jobs and the platform can store the whole list for every company", async () => {
  for (const role of ["channel_client", "service_role"] as const) {
    await rolledBack(async (sql) => {
      await joinBusinessAccount(sql, account_id);
      await joinBusinessAccount(sql, other.account_id);
      await actAs(sql, role);
      for (const id of [account_id, other.account_id]) {
        assert.equal((await apply(sql, id, TWO)).added, 2, role);
      }
    });
  }
});

test("two companies that share a business account have separate catalogues", async (sql) => {
  const business_account_id = await catalogued(sql, own, TWO, "1 minute");
  await joinBusinessAccount(sql, other.account_id, business_account_id);
  await apply(sql, other.account_id, [entry()]);
  assert.deepEqual(await listed(sql), ["a pt_BR: APPROVED", "b es: APPROVED"]);
  assert.deepEqual(await listed(sql, other.id), ["order_update pt_BR: APPROVED"]);
  const numbers = await sql`
    select distinct company_id, phone_number_ids from templates
    where business_account_id = ${business_account_id}
  `;
  for (const { company_id, phone_number_ids } of numbers) {
    const { phone_number_id } = company_id === own.id ? own : other;
    assert.deepEqual(phone_number_ids, [phone_number_id]);
  }
});

test("templates are always linked to the connected accounts of their business account, even after changes", async (sql) => {
  const numbers = async () => {
    const rows = await sql`
      select business_account_id as account, phone_number_ids as numbers from templates
      where company_id = ${company_id} order by created_at, business_account_id
    `;
    return Object.fromEntries(rows.map(({ account, numbers }) => [account, numbers]));
  };
  const first = await catalogued(sql, own, [entry()]);
  const { phone_number_id } = own;
  const second = await connectAccount(sql, company_id, { phone_number_id: "1000" });
  assert.deepEqual(await numbers(), { [first]: [phone_number_id] });
  await joinBusinessAccount(sql, second.id, first);
  assert.deepEqual(await numbers(), { [first]: ["1000", phone_number_id].sort() });

  // The other business account receives a catalogue, and the second account moves there and back.
  const moved = await catalogued(sql, { account_id: second.id }, [entry()]);
  assert.deepEqual(await numbers(), { [first]: [phone_number_id], [moved]: ["1000"] });
  await joinBusinessAccount(sql, second.id, first);
  assert.deepEqual(await numbers(), { [first]: ["1000", phone_number_id].sort(), [moved]: [] });

  await sql`update messaging_accounts set phone_number_id = '2000' where id = ${second.id}`;
  assert.deepEqual((await numbers())[first], ["2000", phone_number_id].sort());
  await disconnectAccount(sql, second.id);
  assert.deepEqual((await numbers())[first], [phone_number_id]);
  await sql`
    update messaging_accounts set disconnected_at = null, encrypted_token = ${second.sealed_token}
    where id = ${second.id}
  `;
  assert.deepEqual((await numbers())[first], ["2000", phone_number_id].sort());
  await sql`delete from messaging_accounts where id = ${second.id}`;
  assert.deepEqual((await numbers())[first], [phone_number_id]);
  await sql`update messaging_accounts set business_account_id = null where id = ${account_id}`;
  assert.deepEqual(await numbers(), { [first]: [], [moved]: [] });
});

test("a template shows that its header lacks a sample until the header has one", async (sql) => {
  const problem = async () => {
    const [row] = await sql`select media_problem from templates where company_id = ${company_id}`;
    return row.media_problem;
  };
  await catalogued(sql, own, [mediaEntry({ sample_url: null })], "2 minutes");
  assert.equal(await problem(), "The channel lists no sample of the header's media");
  await apply(sql, account_id, [mediaEntry()], { age: "1 minute" });
  assert.equal(await problem(), null);
  await apply(sql, account_id, [entry({ header_format: "LOCATION" })]);
  assert.equal(await problem(), null);
});
