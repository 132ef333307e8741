// The views of a company's own rows have their owner's rights, so no policy stands behind them. Here a token of one
// company's key attacks them, with all that the Data API lets a caller say, and so does every other role.

import assert from "node:assert/strict";
import postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsSuperuser, refusal, rolledBack } from "../support/acting_as.ts";
import type { Answer } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { keyToken, personToken, readerToken, rest, token } from "../support/rest.ts";
import { snapshot, tables } from "../support/snapshot.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { ownViews } from "./own_views.ts";
import { addChannelFacts } from "../support/channel_facts.ts";
import { addSend } from "./sends.ts";
import { addCatalogue } from "./templates.ts";

const own = await newCompany();
const other = await newCompany();
await withDatabase((sql) =>
  sql.begin(async (sql) => {
    for (const company of [own, other]) {
      await addSend(sql, company);
      await addCatalogue(sql, company);
      await addChannelFacts(sql, company);
    }
    await sql`
      update contacts set tags = '{secret}', custom_fields = '{"plan": "secret"}', email = 'Secret@Example.com',
        empresa = 'Secret', job_title = 'Secret', name = 'Secret'
      where company_id = ${other.id}
    `;
    await sql`update deals set title = 'Secret', value = 5 where company_id = ${other.id}`;
    await sql`update company_members set name = 'Secret' where company_id = ${other.id}`;
  })
);
const views = await ownViews();
const othersRows = await snapshot(other.id);
/** Values that only the other company has: digests, ids, phones and the channel's ids. */
const othersValues = new Set(
  JSON.stringify(othersRows).match(/[0-9a-f]{64}|[0-9a-f-]{36}|\+1\d{12}|\b1\d{14}\b/g),
);
const reading = await readerToken(own.keys.all);
const ID_COLUMNS: Record<string, string> = { own_members: "user_id", own_sends: "message_id" };
const idColumn = (view: string) => ID_COLUMNS[view] ?? "id";

/** Reads with the key of the first company, and asserts that the answer has nothing of the other. */
async function read(path: string, headers?: Record<string, string>): Promise<Answer> {
  const answer = await rest(reading, "GET", path, { headers });
  const text = JSON.stringify(answer.body);
  for (const value of [...othersValues, "ecret"]) {
    assert.ok(!text.includes(value), `${path} shows ${value}`);
  }
  return answer;
}

Deno.test("each view shows the rows that the table's policy shows, and no other", async () => {
  assert.ok(views.length >= 10);
  await rolledBack(async (sql) => {
    for (const company of [own, other]) {
      const claims = { key_hash: await hashKey(company.keys.read), scope: "read" };
      for (const { name, table, columns } of views) {
        const id = idColumn(name);
        // Of contacts, a key reads in the table what callers see, and not by what they search.
        const isHidden = (column: string) =>
          table === "contacts" && /_(key|words|word_at)$|^marketing_(stop|resume)/.test(column);
        const common = columns.filter((column) => !isHidden(column));
        await actAs(sql, "api_reader", claims);
        const shown = await sql`select ${sql(columns)} from ${sql(name)} order by ${sql(id)}`;
        const whole = await sql`select * from ${sql(name)}`;
        await actAs(sql, "api_client", claims);
        // The ledger, the history and what the channel knows of people, no key reads in their tables.
        const allowed = ["sends", "deal_history"].includes(table) || table.startsWith("contact_")
          ? shown
          : await sql`select ${sql(common)} from ${sql(table)} order by ${sql(id)}`;
        await actAsSuperuser(sql);
        const stored = await sql`
          select ${sql(columns)} from ${sql(table)} where company_id = ${company.id} order by ${
          sql(id)
        }
        `;
        assert.ok(stored.length > 0, name);
        assert.deepEqual([...shown], [...stored], name);
        assert.equal(whole.length, stored.length, name);
        const as = (rows: readonly postgres.Row[]) =>
          rows.map((row) => common.map((column) => row[column]));
        assert.deepEqual(as(shown), as(allowed), name);
      }
    }
  });
});

Deno.test("no filter, order or count of a view tells of the other company's rows", async () => {
  assert.ok(othersValues.size > 20);
  for (const { name, table, columns, computed } of views) {
    const every = [...columns, ...computed];
    const id = idColumn(name);
    const others = othersRows[table] as Record<string, unknown>[];
    const filters = [
      `company_id=eq.${other.id}`,
      `company_id=neq.${own.id}`,
      `company_id=not.eq.${own.id}`,
      `company_id=in.(${other.id},${own.id})&${id}=eq.${others[0][id]}`,
      `or=(${id}.eq.${others[0][id]},company_id.eq.${other.id},company_id.eq.${own.id})`,
      `and=(company_id.neq.${own.id},not.and(company_id.eq.${own.id},${id}.is.null))`,
    ];
    // What callers know of a foreign row does not find it: its ids, names and times.
    for (const column of columns.filter((column) => column !== "company_id")) {
      const known = others.map((row) => row[column]).find((value) => typeof value === "string");
      if (known) filters.push(`${column}=eq.${encodeURIComponent(`${known}`)}`);
    }
    for (const column of every.filter((column) => /words/.test(column))) {
      filters.push(`${column}=like.*secret*`, `${column}=ilike.*SECRET*`, `${column}=match.ecret`);
    }
    if (name === "own_contacts") {
      filters.push(
        "tags=cs.{secret}",
        "tags=ov.{secret,x}",
        'custom_fields=cs.{"plan":"secret"}',
        "custom_fields->>plan=eq.secret",
        "email_key=eq.secret@example.com",
      );
    }
    for (const filter of filters) {
      const path = `/${name}?select=${id}&${filter}&company_id=neq.${own.id}`;
      const counted = await read(path, { Prefer: "count=exact" });
      assert.deepEqual([counted.status, counted.body], [200, []], path);
      assert.equal(counted.headers.get("Content-Range"), "*/0", path);
    }
    const count = (await snapshot(own.id))[table].length;
    const all = await read(`/${name}?select=*&order=${every.at(-1)}.desc`, {
      Prefer: "count=exact",
    });
    assert.equal(all.headers.get("Content-Range"), `0-${count - 1}/${count}`);
    // A conversion that fails tells of own rows only.
    for (const column of columns) await read(`/${name}?select=${column}::uuid`);
  }
});

Deno.test("a view embeds other views, whose rows are the company's own too, and no table", async () => {
  const embedded: string[] = [];
  for (const { name } of views) {
    const id = idColumn(name);
    for (const target of [...await tables(), ...views.map(({ name }) => name)]) {
      const column = target === "companies" ? "id" : "company_id";
      const { status } = await read(`/${name}?select=${id},${target}(${column})`);
      assert.ok([200, 300, 400, 403].includes(status), `${name} with ${target}: ${status}`);
      if (status === 200) embedded.push(`${name} with ${target}`);
    }
  }
  assert.ok(embedded.includes("own_deals with own_contacts"));
  assert.deepEqual(embedded.filter((pair) => !pair.includes(" with own_")), []);
  const inner = "/own_deals?select=id,own_contacts!inner(id)&own_contacts.company_id=neq." + own.id;
  assert.deepEqual((await read(inner)).body, []);
  const deep = "/own_pipelines?select=id,own_stages(id,own_deals(id,own_contacts(id," +
    "own_conversations(id,own_messages(content)))))";
  assert.match(JSON.stringify((await read(deep)).body), new RegExp(own.conversation_id));
});

Deno.test("only a token for reading, of a key that is valid and has that scope, reads a view", async () => {
  const ended = await newCompany();
  await withDatabase((sql) =>
    sql`
      update api_keys set
        is_active = scopes <> array['read'],
        expires_at = case when cardinality(scopes) = 3 then now() end
      where company_id = ${ended.id}
    `
  );
  const refused: [string, string, string][] = [
    ["no scope", await readerToken(own.keys.all, ""), "403 PT403"],
    ["write", await readerToken(own.keys.all, "write"), "403 PT403"],
    ["messaging", await readerToken(own.keys.all, "messaging"), "403 PT403"],
    ["no such scope", await readerToken(own.keys.all, "admin"), "403 PT403"],
    ["a key that only writes", await readerToken(own.keys.write), "403 PT403"],
    ["an unknown key", await readerToken("sk_live_unknown"), "401 PT401"],
    ["no key", await token({ role: "api_reader", scope: "read" }), "401 PT401"],
    ["an inactive key", await readerToken(ended.keys.read), "401 PT401"],
    ["an expired key", await readerToken(ended.keys.all), "401 PT401"],
  ];
  for (const { name } of views) {
    const id = idColumn(name);
    for (const [who, presented, expected] of refused) {
      for (const query of [`select=${id}`, `select=${id}&company_id=eq.${other.id}&limit=1`]) {
        const { status, body } = await rest(presented, "GET", `/${name}?${query}`);
        assert.equal(`${status} ${body.code}`, expected, `${who}: ${name}?${query}`);
      }
    }
  }
});

Deno.test("no other role selects from a view, whatever its token says", async () => {
  const claims = { key_hash: await hashKey(own.keys.all), scope: "read", sub: own.member_id };
  const others = [
    "anon",
    "authenticated",
    "service_role",
    "api_client",
    "channel_client",
  ] as const;
  await rolledBack(async (sql) => {
    for (const role of others) {
      await actAs(sql, role, claims);
      for (const { name } of views) {
        assert.equal(await refusal(sql, (sql) => sql`select from ${sql(name)}`), "42501", name);
      }
      await actAsSuperuser(sql);
    }
  });
  const tokens: [string | null, RegExp][] = [
    [null, /^40[13]$/],
    [await personToken(own.member_id), /^403$/],
    [await keyToken(own.keys.all, "read"), /^403$/],
    [stack.secret_key, /^40[13]$/],
  ];
  for (const { name } of views) {
    for (const [presented, status] of tokens) {
      assert.match(`${(await rest(presented, "GET", `/${name}`)).status}`, status, name);
    }
  }
});

Deno.test("nobody writes through a view", async () => {
  const before = [await snapshot(own.id), await snapshot(other.id)];
  await rolledBack(async (sql) => {
    for (const role of ["api_reader", "api_client", "authenticated", "service_role"] as const) {
      for (const scope of ["read", "write"]) {
        const key_hash = await hashKey(own.keys.all);
        await actAs(sql, role, { key_hash, scope, sub: own.member_id });
        for (const { name } of views) {
          const statements = [
            `insert into ${name} (company_id) values ('${own.id}')`,
            `update ${name} set company_id = '${own.id}'`,
            `delete from ${name}`,
            `select from ${name} for update`,
          ];
          for (const statement of statements) {
            assert.equal(
              await refusal(sql, (sql) => sql.unsafe(statement)),
              "42501",
              `${role}: ${statement}`,
            );
          }
        }
        await actAsSuperuser(sql);
      }
    }
  });
  for (const scope of ["read", "write"]) {
    const presented = await readerToken(own.keys.all, scope);
    for (const { name } of views) {
      const found = `/${name}?select=company_id&company_id=eq.${own.id}`;
      const requests: [string, string, unknown][] = [
        ["POST", `/${name}?select=company_id`, { company_id: own.id }],
        ["PATCH", found, { company_id: own.id }],
        ["DELETE", found, undefined],
      ];
      for (const [method, path, json] of requests) {
        const { status, body } = await rest(presented, method, path, { json });
        assert.deepEqual([status, body.code], [403, "42501"], `${method} ${path}`);
      }
    }
  }
  assert.deepEqual([await snapshot(own.id), await snapshot(other.id)], before);
});
