// Tests the rules for every table. A table's foreign keys include the company, define what a
// deletion does, and have an index. A trigger sets `updated_at`.

import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { rolledBack } from "../support/acting_as.ts";
import { newChannelApp } from "../support/channel_apps.ts";
import { newCompany } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import { addSend } from "./sends.ts";
import { addCatalogue } from "./templates.ts";

interface ForeignKey {
  name: string;
  from: string;
  to: string;
  columns: string[];
  referenced: string[];
}

const columnNames = (table: string, numbers: string) =>
  `array(select attname::text from unnest(${numbers}) with ordinality as n (attnum, at)
     join pg_attribute a on attrelid = ${table} and a.attnum = n.attnum order by at)`;

const foreignKeys = await withDatabase((sql) =>
  sql.unsafe<ForeignKey[]>(`
    select
      conname as name, conrelid::regclass::text as from, confrelid::regclass::text as to,
      ${columnNames("conrelid", "conkey")} as columns,
      ${columnNames("confrelid", "confkey")} as referenced
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace
    order by conname
  `)
);

/**
 * The text of every foreign key in the migrations, up to the next column or constraint, by file.
 */
async function writtenReferences(): Promise<{ file: string; reference: string }[]> {
  const folder = `${root}supabase/migrations`;
  const found = [];
  for await (const { name: file } of Deno.readDir(folder)) {
    const sql = (await Deno.readTextFile(`${folder}/${file}`))
      // Removes comments, literals and policy names, which may also contain the word `references`.
      .replaceAll(
        /--.*|\/\*[^]*?\*\/|"[^"]*"|'(?:[^']|'')*'/g,
        (text) => /^"\S+"$/.test(text) ? text : " ",
      );
    const references = sql.match(/\breferences\s+(?!on\b)[\w"](?:[^(),;]|\([^()]*\))*/gi) ?? [];
    found.push(...references.map((reference) => ({ file, reference })));
  }
  return found;
}

/** The tables that have a column with this name. */
async function tablesWith(column: string): Promise<string[]> {
  return await withDatabase(async (sql) => {
    const found = await sql`
      select relname from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname = ${column}
      order by 1
    `;
    return found.map(({ relname }) => relname);
  });
}

/**
 * The channel's own tables. Their rows can concern several companies, as docs/architecture.md
 * explains.
 */
const WITHOUT_COMPANY = ["channel_apps", "channel_events", "channel_jobs"];

Deno.test("every row belongs to a company and is deleted with the company, except in the channel's own tables", async () => {
  const tables = await tablesWith("tableoid"); // every table has this column
  const owned = await tablesWith("company_id");
  assert.deepEqual(
    tables.filter((table) => !owned.includes(table)),
    [...WITHOUT_COMPANY, "companies"],
  );
  await withDatabase(async (sql) => {
    const kept = await sql`
      select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'company_id'
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and (
        not attnotnull
        or not exists (
          select from pg_constraint where contype = 'f' and conrelid = attrelid and conkey = array[attnum]
            and confrelid = 'public.companies'::regclass and confdeltype = 'c' and convalidated
        )
      )
    `;
    assert.deepEqual([...kept], []);
  });
});

Deno.test("a foreign key between two tables of a company includes the company on both sides", async () => {
  const owned = await tablesWith("company_id");
  const between = foreignKeys.filter(({ from, to }) => owned.includes(from) && owned.includes(to));
  assert.ok(between.length >= 8);
  for (const { name, columns, referenced } of between) {
    const at = columns.indexOf("company_id");
    assert.notEqual(at, -1, name);
    assert.equal(referenced[at], "company_id", name);
  }
});

Deno.test("every foreign key in a migration defines what happens when the referenced row is deleted", async () => {
  const written = await writtenReferences();
  assert.ok(written.length >= foreignKeys.length, "the test finds every foreign key");
  const silent = written.filter(({ reference }) =>
    !/\bon\s+delete\s+(no\s+action|restrict|cascade|set\s+(null|default))\b/i.test(reference)
  );
  assert.deepEqual(silent, []);
});

Deno.test("every foreign key has an index that begins with its columns, so a referenced row can be deleted quickly", async () => {
  const indexes = await withDatabase((sql) =>
    sql.unsafe<{ table: string; columns: string[] }[]>(`
      select indrelid::regclass::text as table, ${columnNames("indrelid", "indkey")} as columns
      from pg_index
      where indisvalid and indexprs is null and (
        indpred is null
        -- A partial index may leave out rows whose foreign key is null. No query looks for these
        -- rows.
        or pg_get_expr(indpred, indrelid) = any (array(
          select format('(%I IS NOT NULL)', attname) from pg_attribute
          where attrelid = indrelid and attnum = any (indkey)
        ))
      )
    `)
  );
  assert.ok(foreignKeys.length >= 18);
  for (const { name, from, columns } of foreignKeys) {
    // An id identifies a row even without its company, so the index does not need company_id.
    const without = columns.length > 1
      ? columns.filter((column) => column !== "company_id")
      : columns;
    const covering = indexes.filter(({ table, columns: indexed }) =>
      table === from &&
      [columns, without].some((needed) =>
        indexed.slice(0, needed.length).sort().join() === [...needed].sort().join()
      )
    );
    assert.notEqual(covering.length, 0, `${name} has no index`);
  }
});

Deno.test("every table with updated_at has the trigger that sets this column", async () => {
  const stamped = await statement`
    select tgrelid::regclass::text as table, tgattr::text as columns, tgqual as condition
    from pg_trigger
    where tgfoid in ('app.set_updated_at'::regproc, 'app.note_change'::regproc, 'app.note_version'::regproc)
      and tgenabled = 'O'
      -- For each row (1), before (2), on update (16); see pg_trigger.h.
      and tgtype = 1 + 2 + 16
    order by 1
  `;
  assert.deepEqual(stamped.map(({ table }) => table), await tablesWith("updated_at"));
  const partial = stamped.filter(({ columns, condition }) => columns !== "" || condition !== null);
  // The use of a key does not change the key's updated_at, and a delivery does not change the
  // webhook's updated_at.
  assert.deepEqual(partial.map(({ table }) => table), ["api_keys", "webhooks"]);
});

/** For each table, a change to every row. */
const CHANGES = {
  api_keys: "is_active = not is_active",
  channel_apps: "name = name || '.'",
  companies: "name = name || '.'",
  company_members: "role = 'agent'",
  contacts: "name = name || '.'",
  conversations: "status = 'closed'",
  deals: "title = title || '.'",
  messages: "content = content || '.'",
  messaging_accounts: "display_phone = '+15550199'",
  pipelines: "name = name || '.'",
  sends: "template_name = template_name || '.'",
  stages: "name = name || '.'",
  teams: "name = name || '.'",
  template_catalogues: "failures = failures + 1",
  template_media: "failures = failures + 1",
  templates: "status = 'PAUSED'",
  webhooks: "url = url || '/'",
};

Deno.test("every change sets `updated_at` to the current time, even if the change names another time", async () => {
  assert.deepEqual(Object.keys(CHANGES), await tablesWith("updated_at"));
  const [company, app] = [await newCompany(), await newChannelApp()];
  const owned = await tablesWith("company_id");
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      await addSend(sql, company);
      await addCatalogue(sql, company);
      await addWebhook(sql, company);
    })
  );
  await rolledBack(async (sql) => {
    for (const [table, change] of Object.entries(CHANGES)) {
      const rows = await sql.unsafe(
        `update ${table} set ${change}, updated_at = '2000-01-01'
         where ${owned.includes(table) ? "company_id" : "id"} = $1
         returning updated_at = now() and updated_at > created_at as moved`,
        [table === "channel_apps" ? app.id : company.id],
      );
      assert.ok(rows.length > 0, table);
      assert.ok(rows.every(({ moved }) => moved), table);
    }
  });
});

Deno.test("recording the use of a key does not change the key's `updated_at`", async () => {
  const { id } = await newCompany();
  await rolledBack(async (sql) => {
    const keys = await sql`
      update api_keys set last_used_at = now() where company_id = ${id} returning updated_at < now() as kept
    `;
    assert.deepEqual(keys.map(({ kept }) => kept), [true, true, true, true, true]);
  });
});
