// app.claim_idempotency_key() and app.keep_outcome(), by which the functions that write do a request once for its key.

import assert from "node:assert/strict";
import postgres from "postgres";
import type { Idempotency } from "../../supabase/functions/_shared/database/idempotency.ts";
import { actAs, actAsSuperuser, rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";

type Sql = postgres.Sql | postgres.TransactionSql;

const [own, other] = [await newCompany(), await newCompany()];
const outcome = [{ status: 201, id: own.contact_id }];

/** A key that no other test uses. */
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

/** A request that is done: its claim and its outcome are committed. */
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

const IN_PROGRESS = "PT409 idempotency_in_progress";

Deno.test("a request without a key goes on, and nothing is kept of it", async () => {
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

Deno.test("the first request with a key goes on, and a repeat is told what the first one kept", async () => {
  const key = await done();
  assert.deepEqual(await withDatabase((sql) => claim(sql, key)), outcome);
  assert.deepEqual(await withDatabase((sql) => claim(sql, key)), outcome);
});

Deno.test("a request that asks for something else is refused, and changes nothing of the first", async () => {
  const key = await done();
  await withDatabase(async (sql) => {
    assert.equal(
      await refused(claim(sql, { ...key, fingerprint: "other" })),
      "PT422 idempotency_key_reused",
    );
    assert.deepEqual(await claim(sql, key), outcome);
  });
});

Deno.test("a key belongs to its company and its path", async () => {
  const key = await done();
  await rolledBack(async (sql) => {
    assert.equal(await claim(sql, { ...key, fingerprint: "other" }, other), null);
    assert.equal(await claim(sql, { ...key, path: "/deals", fingerprint: "other" }), null);
    assert.equal(await claim(sql, { ...key, key: key.key.toUpperCase() }), null);
    assert.deepEqual(await claim(sql, key), outcome);
  });
});

Deno.test("while the first request is at work, a repeat is refused at once; then it is told, or is the first itself", async () => {
  for (const ending of ["commit", "rollback"]) {
    const key = anyKey();
    await withDatabase(async (first) => {
      await first`begin`;
      await claim(first, key);
      await keep(first, key);
      await withDatabase(async (second) => {
        // A request that waited would be ended by this with another code.
        await second`set statement_timeout = '500ms'`;
        assert.equal(await refused(claim(second, key)), IN_PROGRESS);
        const other = { ...key, fingerprint: "other" };
        assert.equal(await refused(claim(second, other)), IN_PROGRESS);
      });
      await first.unsafe(ending);
      await rolledBack(async (sql) => {
        assert.deepEqual(await claim(sql, key), ending === "commit" ? outcome : null);
      });
    });
  }
});

Deno.test("repeats of a request that is done are told at once, also while another one reads", async () => {
  const key = await done();
  await rolledBack(async (sql) => {
    assert.deepEqual(await claim(sql, key), outcome);
    await withDatabase(async (second) => {
      assert.deepEqual(await claim(second, key), outcome);
      assert.equal(
        await refused(claim(second, { ...key, fingerprint: "other" })),
        "PT422 idempotency_key_reused",
      );
    });
  });
});

Deno.test("a savepoint that is rolled back frees the key again", async () => {
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

Deno.test("a key that was used 24 hours ago is free, and then belongs to the new request", async () => {
  const key = await done();
  await rolledBack(async (sql) => {
    const age = (interval: string) =>
      sql`update idempotency_keys set made_at = now() - ${interval}::interval where key = ${key.key}`;
    const anew = { ...key, fingerprint: "other" };
    await age("23:59:59");
    assert.deepEqual(await claim(sql, key), outcome);
    await age("24:00:01");
    assert.equal(await claim(sql, anew), null);
    await keep(sql, anew);
    assert.deepEqual(await claim(sql, anew), outcome);
    assert.match(
      await refused(sql.savepoint((sql) => claim(sql, key))),
      /^PT422 idempotency_key_reused/,
    );
    const [{ is_new }] = await sql`
      select made_at = now() as is_new from idempotency_keys where key = ${key.key}
    `;
    assert.ok(is_new);
  });
});

Deno.test("a request that kept no outcome is not done a second time", async () => {
  const key = anyKey();
  await withDatabase(async (sql) => {
    await sql.begin((sql) => claim(sql, key));
    assert.match(await refused(claim(sql, key)), /^P0001 .*kept no outcome/);
  });
});

Deno.test("the job of each minute deletes keys of more than 24 hours ago, whatever their company", async () => {
  const [old, young] = [await done(anyKey(), other), await done()];
  await rolledBack(async (sql) => {
    await sql`update idempotency_keys set made_at = now() - interval '23:59' where key = ${young.key}`;
    await sql`update idempotency_keys set made_at = now() - interval '24:01' where key = ${old.key}`;
    await actAs(sql, "channel_client");
    const [{ tended }] = await sql`select tend_channel() as tended`;
    await actAsSuperuser(sql);
    assert.deepEqual(tended.failures, []);
    assert.ok(tended.keys_removed >= 1, JSON.stringify(tended));
    const left = await sql`
      select key from idempotency_keys where key = any (${[old.key, young.key]})
    `;
    assert.deepEqual(left.map(({ key }) => key), [young.key]);
  });
});

Deno.test("keys of erased people are found among many outcomes, however many records a person has", async () => {
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
