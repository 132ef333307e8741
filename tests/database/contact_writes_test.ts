// Tests how the functions that write contacts respond to a faulty or hostile caller with a key's
// token.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { keyToken, rest } from "../support/rest.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

type Sql = postgres.TransactionSql;

const own = await newCompany();
const other = await newCompany();
const token = await keyToken(own.keys.all, "write");

const write = (json: Record<string, unknown>, name = "write_contacts") =>
  rest(token, "POST", `/rpc/${name}`, { json });

/** Values for columns that an item cannot write. */
const HIDDEN = {
  id: other.contact_id,
  company_id: other.id,
  phone_key: "+15550100",
  version: 1,
  created_at: "2001-01-01T00:00:00Z",
  do_not_contact_source: "word",
  stop_word_at: "2001-01-01T00:00:00Z",
  has_identity: true,
  profile_name_at: "2001-01-01T00:00:00Z",
};

async function stored(id: string) {
  return (await statement`select * from contacts where id = ${id}`)[0];
}

Deno.test("an item cannot write another company's rows or a column that the API does not have", async () => {
  const item = { ...HIDDEN, phone: anyPhone() };
  const theirs = await stored(other.contact_id);
  for (const on_conflict of ["fail", "update", "keep"]) {
    const { status, body } = await write({ items: [item], on_conflict });
    assert.equal(status, 200);
    const { existing_id, id = existing_id } = body.results[0];
    const row = await stored(id);
    assert.equal(row.company_id, own.id);
    assert.notEqual(row.phone_key, HIDDEN.phone_key);
    assert.deepEqual(
      [row.has_identity, row.stop_word_at, row.do_not_contact_source, row.profile_name_at],
      [false, null, null, null],
    );
    assert.ok(row.created_at.getFullYear() > 2025 && row.version > 1);
  }
  const { id: _, ...hidden } = HIDDEN;
  const patched = await write({ items: [{ ...hidden, id: own.contact_id }] }, "patch_contacts");
  assert.deepEqual(patched.body.results[0].status, 304);
  assert.equal((await stored(own.contact_id)).has_identity, false);
  const foreign = await write({ items: [{ id: other.contact_id, name: "x" }] }, "patch_contacts");
  assert.deepEqual(foreign.body.results, [{ status: 404 }]);
  assert.deepEqual(await stored(other.contact_id), theirs);
});

Deno.test("if an item violates a check constraint, only that item fails, and its error names the constraint", async () => {
  const good = { phone: anyPhone() };
  const items = [
    { name: "Nobody" },
    { phone: "5511" },
    { phone: anyPhone(), temperature: "boiling" },
    good,
    { phone: anyPhone(), tags: Array(51).fill("x") },
    { phone: anyPhone(), custom_fields: [] },
  ];
  const { body } = await write({ items });
  const outcomes = body.results.map((each: { status: number; constraint?: string }) =>
    each.constraint ?? each.status
  );
  assert.deepEqual(outcomes, [
    ...["contacts_reachable", "contacts_phone_check", "contacts_temperature_check", 201],
    ...["contacts_tags_check", "contacts_custom_fields_check"],
  ]);
  const undone = await write({ items: [{ phone: anyPhone() }, items[1]], atomic: true });
  assert.deepEqual([undone.status, undone.body.undone], [200, true]);
  assert.equal(await stored(undone.body.results[0].id), undefined);
});

Deno.test("a call without items writes nothing, and a call with an unknown on_conflict rule fails", async () => {
  assert.deepEqual((await write({ items: [] })).body.results, []);
  assert.deepEqual((await write({ items: [] }, "patch_contacts")).body.results, []);
  const wrong = await write({ items: [{ phone: anyPhone() }], on_conflict: "replace" });
  assert.ok(wrong.status >= 400);
});

Deno.test("simultaneous batches with the same people all succeed, and each contact is created once", async () => {
  const spellings = () => {
    const digits = anyPhone().slice(-7);
    return [`+55116${digits}`, `+551196${digits}`];
  };
  const known = Array.from({ length: 40 }, anyPhone);
  await write({ items: known.map((phone) => ({ phone })) });
  const fresh = Array.from({ length: 40 }, spellings);
  const shuffled = (phones: string[]) =>
    phones.map((phone) => [Math.random(), phone] as const).sort(([a], [b]) => a - b)
      .map(([, phone]) => phone);
  const batches = Array.from(
    { length: 32 },
    (_, n) =>
      shuffled([...known, ...fresh.map((spelled) => spelled[n % 2])])
        .map((phone) => ({ phone, name: `${n}` })),
  );
  const created: string[] = [];
  const worker = async () => {
    for (let items = batches.pop(); items; items = batches.pop()) {
      const { status, body } = await write({ items, on_conflict: "update" });
      assert.equal(status, 200, JSON.stringify(body));
      for (const { status, id, data } of body.results) {
        assert.equal(data.name, items[0].name);
        if (status === 201) created.push(id);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  assert.equal(created.length, fresh.length);
  assert.equal(new Set(created).size, fresh.length);
});

/**
 * Replaces a function that writes a batch, in a transaction that is rolled back. At the first two
 * calls, the new function waits only briefly for locks. The name of the session's application shows
 * how often the function has been called.
 */
async function countAttempts(sql: Sql, name: string, types: string) {
  const args = types.split(",").map((_, index) => `$${index + 1}`);
  await sql.unsafe(`
    create temporary sequence attempts;
    alter function app.${name} rename to counted_${name};
    create function app.${name}(${types}) returns jsonb language plpgsql as $$
    declare
      attempt constant bigint := nextval('pg_temp.attempts');
    begin
      perform set_config('application_name', 'attempt ' || attempt, true),
        set_config('lock_timeout', case when attempt < 3 then '50ms' else '1min' end, true);
      return app.counted_${name}(${args});
    end $$;
  `);
}

Deno.test("if an item violates a constraint, only that item fails, even if another transaction locks a record for a while", async () => {
  const [held, free] = [{ phone: anyPhone() }, { phone: anyPhone() }];
  const { body } = await write({ items: [held, free] });
  const [held_id, free_id] = body.results.map(({ id }: { id: string }) => id);
  const huge = { custom_fields: { numbers: Array(120).fill(1e300) } };
  const too_large = { status: 422, constraint: "contacts_custom_fields_check" };
  const calls: [string, string, (sql: Sql) => postgres.PendingQuery<postgres.Row[]>][] = [
    ["put_contacts_at_once", "uuid, jsonb[], text, text", (sql) =>
      sql`
      select app.put_contacts(
        ${own.id}, array[${sql.json({ ...held, name: "y" })}, ${
        sql.json({ ...free, ...huge })
      }]::jsonb[], 'update'
      ) as results
    `],
    ["patch_contacts_at_once", "uuid, jsonb[]", (sql) =>
      sql`
      select app.patch_contacts(
        ${own.id},
        array[${sql.json({ id: held_id, name: "x" })},
        ${sql.json({ id: free_id, ...huge })}]::jsonb[]
      ) as results
    `],
  ];
  // Only a request that adds contacts may have an idempotency key, which an erasure finds by `about`.
  const refusals = [{ ...too_large, about: free_id }, too_large];
  for (const [index, [name, types, call]] of calls.entries()) {
    await withDatabase(async (holder) => {
      await holder`begin`;
      await holder`select from contacts where id = ${held_id} for update`;
      await rolledBack(async (sql) => {
        await countAttempts(sql, name, types);
        const [{ pid }] = await sql`select pg_backend_pid() as pid`;
        const answer = call(sql).execute();
        // The batch's first two attempts time out. The third and last attempt waits until the
        // record is no longer locked.
        await until(async () => {
          const [waiting] = await statement`
            select from pg_stat_activity
            where pid = ${pid} and application_name = 'attempt 3' and pg_blocking_pids(pid) <> '{}'
          `;
          return waiting !== undefined;
        });
        await holder`commit`;
        const [{ results }] = await answer;
        assert.deepEqual(results, [{ status: 200, id: held_id }, refusals[index]]);
      });
    });
  }
});

Deno.test("a batch that waits for a transaction that adds deals locks no contact that this transaction still needs", async () => {
  const { body } = await write({
    items: Array.from({ length: 10 }, () => ({ phone: anyPhone() })),
  });
  const [first, ...others] = body.results.map(({ id }: { id: string }) => id).sort();
  for (const ids of [[first, ...others], [...others, first], [...others.toReversed(), first]]) {
    const items = ids.map((id) => ({ id, phone: anyPhone() }));
    // This transaction locks the contacts as inserts of deals do: in id order, `for key share`.
    await withDatabase(async (deals) => {
      await deals`begin`;
      await deals`select from contacts where id = ${first} for key share`;
      await withDatabase(async (sql) => {
        const [{ pid }] = await sql`select pg_backend_pid() as pid`;
        const patch = sql`
          select app.patch_contacts(
            ${own.id}, array(select jsonb_array_elements(${sql.json(items)}))
          ) as results
        `.execute();
        await until(async () => {
          const waits = await deals`select from pg_locks where pid = ${pid} and not granted`;
          return waits.length > 0;
        });
        await deals`select from contacts where id = any (${others}) for key share nowait`;
        await deals`commit`;
        const [{ results }] = await patch;
        assert.deepEqual(results, ids.map((id) => ({ status: 200, id })));
      });
    });
  }
});

/** The number of contact updates that a batch makes, and the contact after the batch. */
async function updatesOf(
  sql: postgres.TransactionSql,
  id: string,
  writing: () => Promise<unknown>,
) {
  const count = async () => {
    const [{ updates }] = await sql`
      select n_tup_upd::integer as updates from pg_stat_xact_user_tables where relid = 'contacts'::regclass
    `;
    return updates as number;
  };
  const before = await count();
  await writing();
  const [contact] = await sql`select * from contacts where id = ${id}`;
  return { updates: await count() - before, contact };
}

Deno.test("a batch that contains one contact 500 times and changes its phone number once writes the contact at most three times, with the last value", async () => {
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  await rolledBack(async (sql) => {
    const phone = anyPhone();
    const row = {
      company_id: own.id,
      phone,
      custom_fields: sql.json({ kept: true, plan: { a: 1 } }),
    };
    const [{ id }] = await sql`insert into contacts ${sql(row)} returning id`;
    const items = (of: (number: number) => postgres.JSONValue) =>
      sql`array(select jsonb_array_elements(${sql.json(numbers.map(of))}))`;
    const last = anyPhone();
    const patched = await updatesOf(
      sql,
      id,
      () =>
        sql`select app.patch_contacts(${own.id}, ${
          items((n) => ({
            id,
            name: `Ada ${n}`,
            do_not_contact: n % 2 === 0,
            ...(n > 0 && n < 499 && { phone: n > 250 ? last : phone }),
            custom_fields: { [`k${n % 9}`]: n, plan: n === 7 ? "none" : { b: n, a: null } },
          }))
        })`,
    );
    assert.ok(patched.updates <= 3, String(patched.updates));
    const { contact } = patched;
    assert.deepEqual(
      [contact.phone, contact.name, contact.do_not_contact, contact.do_not_contact_source],
      [last, "Ada 499", false, "manual"],
    );
    assert.deepEqual(contact.custom_fields, {
      ...{ kept: true, plan: { b: 499 } },
      ...Object.fromEntries(
        [495, 496, 497, 498, 499, 491, 492, 493, 494].map((n) => [`k${n % 9}`, n]),
      ),
    });
    await sql`select app.find_or_add_contact(${own.id}, ${phone}, null)`;
    const [left] = await sql`
      select do_not_contact from contacts where company_id = ${own.id} and phone = ${phone}
    `;
    assert.equal(
      left.do_not_contact,
      true,
      "the opt-out before the change stays with the first phone number",
    );

    // With `keep`, the contact has the first email address that an item gives.
    for (const [rule, email] of [["update", "499@example.com"], ["keep", "1@example.com"]]) {
      const given = items((n) => ({ phone: last, email: n === 0 ? "" : `${n}@example.com` }));
      await sql`update contacts set email = null where id = ${id}`;
      const put = await updatesOf(
        sql,
        id,
        () => sql`select app.put_contacts(${own.id}, ${given}, ${rule})`,
      );
      assert.deepEqual([put.updates, put.contact.email], [1, email], rule);
    }
  });
});

Deno.test("a batch merges the custom fields of each item with one call, however many fields the item has", async () => {
  const fieldsFrom = (first: number, count: number, value: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [(first + at) % 1_900, value]));
  const items = Array.from({ length: 50 }, (_, at) => ({
    id: own.contact_id,
    custom_fields: fieldsFrom(at * 7, 180, at % 10),
  }));
  const known = fieldsFrom(0, 1_900, 5);
  await rolledBack(async (sql) => {
    // In the API's compact form, these custom fields have less than 16 KiB.
    await sql`
      update contacts set custom_fields = ${sql.json(known)} where id = ${own.contact_id}
    `;
    await sql`set local track_functions = 'all'`;
    const [{ results }] = await sql`
      select app.patch_contacts(${own.id}, array(select jsonb_array_elements(${
      sql.json(items)
    }))) as results
    `;
    assert.deepEqual(
      [...new Set(results.map(({ status }: { status: number }) => status))],
      [200],
    );
    const [{ custom_fields }] = await sql`
      select custom_fields from contacts where id = ${own.contact_id}
    `;
    const merged = items.map((item) => item.custom_fields);
    assert.deepEqual(custom_fields, Object.assign(known, ...merged));
    const calls = await sql`
      select funcname as name, calls::int from pg_stat_xact_user_functions
      where funcname in ('merge_json', 'compact_json_bytes')
    `;
    assert.deepEqual(calls.map(({ name, calls }) => [name, calls]), [["merge_json", 50]]);
  });
});
