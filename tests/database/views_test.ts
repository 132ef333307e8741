// The views of a company's own rows have their owner's privileges, so no policy protects them.
// These tests send all kinds of requests to the views, with tokens for one company's key and with
// tokens that must not read.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsSuperuser, rolledBack } from "../support/acting_as.ts";
import type { Answer } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { readerToken, rest, token } from "../support/rest.ts";
import { snapshot } from "../support/snapshot.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
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
/** Values that only the other company has: digests, ids, phone numbers and channel ids. */
const othersValues = new Set(
  JSON.stringify(othersRows).match(/[0-9a-f]{64}|[0-9a-f-]{36}|\+1\d{12}|\b1\d{14}\b/g),
);
const reading = await readerToken(own.keys.all);
const idColumn = (view: string) => view === "own_sends" ? "message_id" : "id";
const idInTable = (view: string) => view.endsWith("_members") ? "user_id" : idColumn(view);

/**
 * Reads with the first company's key, and asserts that the response contains no data of the other
 * company.
 */
async function read(path: string, headers?: Record<string, string>): Promise<Answer> {
  const answer = await rest(reading, "GET", path, { headers });
  const text = JSON.stringify(answer.body);
  for (const value of [...othersValues, "ecret"]) {
    assert.ok(!text.includes(value), `${path} shows ${value}`);
  }
  return answer;
}

Deno.test("each view shows exactly the rows that the table's policy allows", async () => {
  assert.ok(views.length >= 10);
  await rolledBack(async (sql) => {
    // A view shows an expired lease as a failure, and the rows may be several minutes old.
    await sql`update sends set lease_ends_at = 'infinity' where company_id in (${own.id}, ${other.id})`;
    for (const company of [own, other]) {
      const claims = { key_hash: await hashKey(company.keys.read), scope: "read" };
      for (const { name, table, columns } of views) {
        const id = idColumn(name);
        await actAs(sql, "api_reader", claims);
        const shown = await sql`select ${sql(columns)} from ${sql(name)} order by ${sql(id)}`;
        const whole = await sql`select * from ${sql(name)}`;
        await actAs(sql, "api_client", claims);
        // No API key can read these data in the tables: sends, deal histories, lifted opt-outs,
        // people's channel ids, and the first texts of messages.
        const isHidden = ["sends", "deal_history", "opt_out_lifts"].includes(table) ||
          table.startsWith("contact_") || name === "own_original_contents";
        const allowed = isHidden
          ? shown
          : await sql`select ${sql(columns)} from ${sql(table)} order by ${sql(idInTable(name))}`;
        await actAsSuperuser(sql);
        const stored = await sql`
          select ${sql(columns)} from ${sql(table)} where company_id = ${company.id}
          order by ${sql(idInTable(name))}
        `;
        assert.ok(stored.length > 0, name);
        assert.deepEqual([...shown], [...stored], name);
        assert.equal(whole.length, stored.length, name);
        assert.deepEqual([...shown], [...allowed], name);
      }
    }
  });
});

Deno.test("filters, orders and counts on a view reveal no rows of the other company", async () => {
  assert.ok(othersValues.size > 20);
  for (const { name, table, columns, computed } of views) {
    const every = [...columns, ...computed];
    const id = idColumn(name);
    const others = othersRows[table] as Record<string, unknown>[];
    const othersId = others[0][idInTable(name)];
    const filters = [
      `company_id=eq.${other.id}`,
      `company_id=neq.${own.id}`,
      `company_id=not.eq.${own.id}`,
      `company_id=in.(${other.id},${own.id})&${id}=eq.${othersId}`,
      `or=(${id}.eq.${othersId},company_id.eq.${other.id},company_id.eq.${own.id})`,
      `and=(company_id.neq.${own.id},not.and(company_id.eq.${own.id},${id}.is.null))`,
    ];
    // A filter for a known id, name or time must not find the other company's row.
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
    // The error message of a failed conversion may contain only values of the company's own rows.
    for (const column of columns) await read(`/${name}?select=${column}::uuid`);
  }
});

Deno.test("embedding other views in a view returns only the company's own rows, and no table can be embedded", async () => {
  const embedded: string[] = [];
  for (const { name } of views) {
    const id = idColumn(name);
    for (const target of views.flatMap(({ table, name }) => [table, name])) {
      const { status } = await read(`/${name}?select=${id},${target}(company_id)`);
      assert.ok([200, 300, 400, 403].includes(status), `${name} with ${target}: ${status}`);
      if (status === 200) embedded.push(`${name} with ${target}`);
    }
  }
  assert.ok(embedded.includes("own_deals with own_contacts"));
  assert.deepEqual(embedded.filter((pair) => !pair.includes(" with own_")), []);
  const inner = "/own_deals?select=id,own_contacts!inner(id)&own_contacts.company_id=neq." + own.id;
  assert.deepEqual((await read(inner)).body, []);
  const deep = "/own_pipelines?select=id,own_stages(id,own_deals(id,own_contacts(id," +
    "own_conversations(id))))";
  assert.match(JSON.stringify((await read(deep)).body), new RegExp(own.conversation_id));
});

Deno.test("only a read token for a valid key with the scope `read` can read a view", async () => {
  const ended = await newCompany();
  await statement`
    update api_keys set
      is_active = scopes <> array['read'],
      expires_at = case when cardinality(scopes) = 4 then now() end
    where company_id = ${ended.id}
  `;
  const refused: [string, string, string][] = [
    ["no scope", await readerToken(own.keys.all, ""), "403 PT403"],
    ["write", await readerToken(own.keys.all, "write"), "403 PT403"],
    ["messaging", await readerToken(own.keys.all, "messaging"), "403 PT403"],
    ["no such scope", await readerToken(own.keys.all, "admin"), "403 PT403"],
    ["an API key that can only write", await readerToken(own.keys.write), "403 PT403"],
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
