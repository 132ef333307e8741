// With app.claim_idempotency_key() and app.keep_outcome(), a writing function carries out a request
// only once for each idempotency key.

import assert from "node:assert/strict";
import postgres from "postgres";
import type { Idempotency } from "../../supabase/functions/_shared/database/idempotency.ts";
import { actAs, actAsPerson, actAsSuperuser, rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";
import { overlapping } from "./connections.ts";

type Sql = postgres.Sql | postgres.TransactionSql;

const [own, other] = [await newCompany(), await newCompany()];
const outcome = [{ status: 201, id: own.contact_id }];

/** An idempotency key that no other test uses. */
function anyKey(): Idempotency {
  return { path: "/contacts", key: crypto.randomUUID(), fingerprint: "same" };
}

type Key = Idempotency | null;

async function claim(sql: Sql, key: Key, { id } = own): Promise<unknown> {
  const [{ kept }] = await sql`
    select app.claim_idempotency_key(${id}, ${key && sql.json(key)}) as kept
  `;
  return kept;
}

async function keep(sql: Sql, key: Key, { id } = own) {
  await sql`select app.keep_outcome(${id}, ${key && sql.json(key)}, ${sql.json(outcome)})`;
}

/** Commits the claim and the outcome of a request, and returns the idempotency key. */
async function done(key = anyKey(), company = own) {
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      assert.equal(await claim(sql, key, company), null);
      await keep(sql, key, company);
    })
  );
  return key;
}

async function refused(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => assert.fail("was not refused"), (error) => error);
  assert.ok(error instanceof postgres.PostgresError, error);
  return `${error.code} ${error.message}`;
}

Deno.test("a request without an idempotency key proceeds, and nothing about the request is stored", async () => {
  await rolledBack(async (sql) => {
    assert.equal(await claim(sql, null), null);
    await keep(sql, null);
    const [{ kept }] = await sql`select app.claim_idempotency_key(${own.id}, 'null') as kept`;
    assert.equal(kept, null);
    const [{ count }] =
      await sql`select count(*)::int from idempotency_keys where company_id = ${own.id}`;
    assert.equal(count, 0);
  });
});

Deno.test("a repeat of a finished request returns the stored outcome without waiting for another repeat", async () => {
  const key = await done();
  await rolledBack(async (sql) => {
    assert.deepEqual(await claim(sql, key), outcome);
    await withDatabase(async (second) => {
      assert.deepEqual(await claim(second, key), outcome);
      const other = await refused(claim(second, { ...key, fingerprint: "other" }));
      assert.equal(other, "PT422 idempotency_key_reused");
    });
  });
});

Deno.test("an idempotency key that was claimed within a savepoint is free again after the savepoint is rolled back", async () => {
  const key = anyKey();
  await rolledBack(async (sql) => {
    await sql.savepoint(async (sql) => {
      await claim(sql, key);
      throw new Error("undone");
    }).catch(() => {});
    await withDatabase(async (second) => {
      assert.equal(await second.begin((sql) => claim(sql, key)), null);
    });
  });
});

Deno.test("a request whose idempotency key was claimed but has no stored outcome is not carried out again", async () => {
  const key = anyKey();
  await withDatabase(async (sql) => {
    await sql.begin((sql) => claim(sql, key));
    assert.match(await refused(claim(sql, key)), /^P0001 .*stored no outcome/);
  });
});

Deno.test("the job that runs every minute deletes the idempotency keys of all companies after 24 hours", async () => {
  const [old, young] = [await done(anyKey(), other), await done()];
  await rolledBack(async (sql) => {
    await sql`update idempotency_keys set made_at = now() - interval '23:59' where key = ${young.key}`;
    await sql`update idempotency_keys set made_at = now() - interval '24:01' where key = ${old.key}`;
    await actAs(sql, "channel_client");
    const [{ tended }] = await sql`select tend_channel() as tended`;
    await actAsSuperuser(sql);
    // Other tasks of the job may fail, because they wait too long for rows that other tests have
    // locked.
    const failures = tended.failures.filter((each: string) => each.startsWith("keys_removed"));
    assert.deepEqual(failures, []);
    assert.ok(tended.keys_removed >= 1, JSON.stringify(tended));
    const left = await sql`
      select key from idempotency_keys where key = any (${[old.key, young.key]})
    `;
    assert.deepEqual(left.map(({ key }) => key), [young.key]);
  });
});

Deno.test("an erasure quickly finds the person's idempotency keys among thousands of stored outcomes", async () => {
  await rolledBack(async (sql) => {
    const { id: company_id } = await newCompany();
    const deal = crypto.randomUUID();
    await sql`
      insert into idempotency_keys (company_id, path, key, fingerprint, outcome)
      select ${company_id}, '/deals/batch', 'batch ' || n, 'digest', (
        select jsonb_agg(jsonb_build_object('status', 201, 'id', gen_random_uuid()) order by place)
          || case n when 7 then ${sql.json([{ status: 201, id: deal }])} else '[]' end
        from generate_series(1, 500) as place where n > 0
      )
      from generate_series(1, 50) as n
    `;
    await sql`set local statement_timeout = '4s'`;
    await sql`
      select app.erase_idempotency_keys(
        ${company_id}, ${deal}::uuid || array(select gen_random_uuid() from generate_series(1, 3000)), '{}'
      )
    `;
    const left = await sql`
      select key from idempotency_keys where company_id = ${company_id} and key not like 'erased.%' order by made_at
    `;
    assert.equal(left.length, 49);
    assert.ok(!left.some(({ key }) => key === "batch 7"));
  });
});

Deno.test("an erasure replaces the idempotency keys that contain the person's name, id or phone number in any format", async () => {
  await rolledBack(async (sql) => {
    const names = ["5511987654321", "5550107", "50%_Ada\\", "zoe@example.com", "BR.81"];
    const erased = [
      ...["to-+5511987654321", "11 98765-4321", "(11) 8765.4321", "x5550107", "555-0107"],
      ...["for 50%_ada\\!", "Zoe@Example.com", "br.81", "id-BR.810"],
    ];
    const kept = [
      "8765 and 4322",
      "123476543218",
      "500_Ada\\",
      "50%xAda\\",
      "zoe@example-com",
      "BR81",
    ];
    for (const key of [...erased, ...kept]) {
      const claimed = { ...anyKey(), key };
      await claim(sql, claimed);
      await sql`select app.keep_outcome(${own.id}, ${sql.json(claimed)}, '{}')`;
    }
    await sql`select app.erase_idempotency_keys(${own.id}, '{}', ${names})`;
    const left = await sql`
      select key from idempotency_keys where company_id = ${own.id} and key = any (${[
      ...erased,
      ...kept,
    ]})
    `;
    assert.deepEqual(left.map(({ key }) => key).sort(), kept.sort());
  });
});

Deno.test("a repeat that waits for an erasure of its idempotency key is not carried out again", async () => {
  const key = await done();
  const [, repeat] = await overlapping(
    (sql) =>
      sql`select app.erase_idempotency_keys(${own.id}, array[${own.contact_id}]::uuid[], '{}')`,
    (sql) => claim(sql, key),
  );
  assert.deepEqual(repeat, outcome);
  await withDatabase(async (sql) => {
    assert.deepEqual(await claim(sql, key), outcome);
    const other = await refused(claim(sql, { ...key, fingerprint: "other" }));
    assert.equal(other, "PT422 idempotency_key_reused");
    const left = await sql`select from idempotency_keys where key = ${key.key}`;
    assert.equal(left.length, 0, "the erased key is not stored again");
  });
});

Deno.test("after 24 hours, an erased idempotency key can be used and erased again, even if the job has not deleted its hash", async () => {
  await rolledBack(async (sql) => {
    const { id: company_id, contact_id, member_id } = await newCompany();
    const path = `/contacts/${contact_id}/erase`;
    const added = anyKey();
    const forgotten = { path, key: "forget-1", fingerprint: "same" };
    for (const isFirst of [true, false]) {
      assert.equal(await claim(sql, added, { ...own, id: company_id }), null);
      await keep(sql, added, { ...own, id: company_id });
      await sql`select app.erase_idempotency_keys(${company_id}, array[${own.contact_id}]::uuid[], '{}')`;
      await actAsPerson(sql, member_id);
      const [{ answer }] = await sql`
        select erase_contact(${contact_id}, ${sql.json(forgotten)}) as answer
      `;
      await actAsSuperuser(sql);
      assert.deepEqual([answer.replayed, answer.erased !== null], [false, isFirst]);
      const keys = await sql`
        select key like 'erased.%' as is_erased from idempotency_keys
        where company_id = ${company_id} and made_at >= now() - interval '24 hours'
      `;
      assert.deepEqual(keys.map(({ is_erased }) => is_erased), [true, true]);
      await sql`
        update idempotency_keys set made_at = now() - interval '25 hours' where company_id = ${company_id}
      `;
    }
  });
});

Deno.test("an idempotency key in the form of a hash works like any other key, before and after an erasure", async () => {
  await rolledBack(async (sql) => {
    const key = { ...anyKey(), key: `erased.${"0123456789abcdef".repeat(4)}` };
    assert.equal(await claim(sql, key), null);
    await keep(sql, key);
    for (const names of [[], [key.key]]) {
      await sql`select app.erase_idempotency_keys(${own.id}, '{}', ${names})`;
      assert.deepEqual(await claim(sql, key), outcome);
      const reused = sql.savepoint((sql) => claim(sql, { ...key, fingerprint: "other" }));
      assert.equal(await refused(reused), "PT422 idempotency_key_reused");
    }
  });
});
