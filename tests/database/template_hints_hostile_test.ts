// Tests items that no channel event contains. The database may refuse these items, but must not
// store an invalid row.

import assert from "node:assert/strict";
import postgres from "postgres";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { ago, hint, type Item, tellOfAccount, tellOfTemplate, tellOfTrouble } from "./hints.ts";
import { catalogued, entry } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const { id: company_id, account_id } = own;

const DEEP = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`);
const ODD = [
  ...[null, true, -1.5, 1e300, "", "x".repeat(513), "\u001b[2J", ["APPROVED"], {}],
  ...["é".repeat(512), { a: "x".repeat(20_000) }, DEEP, "infinity", "0001-01-01", "99999-01-01"],
];

/** Runs work that may be refused, then checks the rows, and rolls the work back. */
async function tried(
  sql: Sql,
  work: (sql: Sql) => Promise<unknown>,
  look: (sql: Sql) => Promise<void>,
): Promise<boolean> {
  const end = new Error("done");
  try {
    await sql.savepoint(async (sql) => {
      await work(sql);
      await look(sql);
      throw end;
    });
  } catch (error) {
    if (error === end) return true;
    // A violated rule or an invalid value is an allowed error. XX000 and a lost connection are not.
    if (error instanceof postgres.PostgresError && /^(22|23)/.test(error.code)) return false;
    throw error;
  }
  return true;
}

/** A company's stored templates and accounts. */
async function stored(sql: Sql, company: string) {
  const templates = await sql`
    select to_jsonb(t) - 'updated_at' as row from templates t where company_id = ${company} order by id
  `;
  const accounts = await sql`select * from messaging_accounts where company_id = ${company}`;
  return { templates: templates.map(({ row }) => row), accounts: [...accounts] };
}

/**
 * Creates hostile items from a valid item. Each field is missing in one item, and has an unusual
 * value in other items.
 */
function* hostile(item: Item): Generator<Item> {
  for (const key of Object.keys(item).filter((key) => key !== "kind")) {
    for (const odd of ODD) yield { ...item, [key]: odd };
    const { [key]: _, ...rest } = item;
    yield rest;
  }
  const value = item.value as Item;
  for (const key of Object.keys(value)) {
    for (const odd of ODD) yield { ...item, value: { ...value, [key]: odd } };
  }
}

test("after a hostile item, a template has either its earlier values or well-formed channel values", async (sql) => {
  const waba = await catalogued(sql, own, [entry()], "1 hour");
  const before = await stored(sql, company_id);
  const others = await stored(sql, other.id);
  const good = [
    hint(waba),
    hint(waba, { event: "quality", value: { new_quality_score: "YELLOW" } }),
    hint(waba, {
      event: "category",
      value: { new_category: "MARKETING", correct_category: "UTILITY" },
    }),
  ];
  let done = 0;
  for (const item of good.flatMap((item) => [...hostile(item)])) {
    const telling = (sql: Sql) => tellOfTemplate(sql, [account_id], item);
    const isDone = await tried(sql, telling, async (sql) => {
      const { templates: [template], accounts } = await stored(sql, company_id);
      const { status, status_since, quality, category, upcoming_category, rejected_reason } =
        template;
      const words = { status, quality, category, upcoming_category, rejected_reason };
      for (const word of Object.values(words)) {
        if (word !== null) assert.match(word, /^[A-Z][A-Z_]{0,63}$/, JSON.stringify(item));
      }
      assert.ok(Number.isFinite(Date.parse(status_since)), status_since);
      // Only the columns with channel values have changed.
      assert.deepEqual(template, { ...before.templates[0], ...words, status_since });
      assert.deepEqual(accounts, before.accounts);
    });
    if (isDone) done++;
  }
  assert.ok(done > 50);
  assert.deepEqual(await stored(sql, other.id), others);
});

/** Asserts that users can see every notice, and that each notice is small. */
async function lookAtNotices(sql: Sql) {
  const kept = await sql`
    select company_id, event, happened_at, until, octet_length(value::text) as bytes from account_notices
    where company_id in ${sql([company_id, other.id])}
  `;
  for (const { event, happened_at, until, bytes } of kept) {
    assert.match(event, /^[A-Za-z0-9_.-]{1,64}$/);
    assert.ok(bytes <= 16_384);
    assert.ok(happened_at.getTime() <= Date.now() + 1000);
    if (until !== null) assert.ok(Number.isFinite(until.getTime()), String(until));
  }
  for (const { id } of [own, other]) {
    assert.ok(kept.filter(({ company_id }) => company_id === id).length <= 50);
  }
  const [{ notices }] = await sql`select current_account_notices() as notices`;
  for (const { happened_at, until } of notices) {
    for (const time of [happened_at, until ?? happened_at]) {
      assert.ok(Number.isFinite(Date.parse(time)), time);
    }
  }
}

test("a hostile item about an account leaves only short notices that can be shown", async (sql) => {
  const item: Item = {
    ...{ kind: "account", waba: "42", phone_number_id: null, at: ago() },
    event: "ACCOUNT_RESTRICTION",
    value: { event: "ACCOUNT_RESTRICTION", restriction_info: [] },
    ...{ stops_sending: true, until: ago(-3600) },
  };
  const ids = [account_id, other.account_id];
  for (const each of hostile(item)) {
    await tried(sql, (sql) => tellOfAccount(sql, ids, each), lookAtNotices);
  }
  const error = { code: 130429, message: "Rate limit hit", details: "Slow down" };
  const tell = (changes: Item) =>
    tried(
      sql,
      (sql) => tellOfTrouble(sql, account_id, { kind: "trouble", at: null, ...changes }),
      lookAtNotices,
    );
  for (const odd of ODD) {
    for (const key of Object.keys(error)) await tell({ errors: [{ ...error, [key]: odd }] });
    for (const changes of [{ errors: odd }, { errors: [odd] }, { errors: [error], at: odd }]) {
      await tell(changes);
    }
  }
  const many = Array.from({ length: 10_000 }, (_, code) => ({ ...error, code }));
  assert.equal(await tell({ errors: many }), true);
});

test("an item without a known account changes nothing, and an account that is named twice is changed once", async (sql) => {
  const waba = await catalogued(sql, own, [entry()], "1 hour");
  const others = await stored(sql, other.id);
  const item = { kind: "account", event: "DISABLED_UPDATE", value: {}, stops_sending: true };
  const stranger = crypto.randomUUID();
  for (const ids of [[], [stranger]]) {
    await tellOfTemplate(sql, ids, hint(waba));
    await tellOfAccount(sql, ids, item);
  }
  const [{ count }] = await sql`
    select (select count(*) from template_hints where company_id = ${company_id})
      + (select count(*) from account_notices where company_id = ${company_id}) as count
  `;
  assert.equal(Number(count), 0);
  await tellOfTemplate(sql, [account_id, account_id, stranger], hint(waba));
  await tellOfAccount(sql, [account_id, account_id, stranger], item);
  const [counts] = await sql`
    select (select count(*)::int from template_hints where company_id = ${company_id}) as hints,
      (select count(*)::int from account_notices where company_id = ${company_id}) as notices
  `;
  assert.deepEqual({ ...counts }, { hints: 1, notices: 1 });
  assert.deepEqual(await stored(sql, other.id), others);
});
