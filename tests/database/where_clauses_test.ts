// A hosted project loads the `safeupdate` extension for the Data API. With this extension, an
// update or delete without a where clause is an error, even within a function. The test database
// has no `safeupdate`, so the test checks the source of every function.

import assert from "node:assert/strict";
import postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { withoutWhere } from "./where_clauses.ts";

/**
 * Each update or delete without a where clause in our functions, preceded by the function's name.
 */
async function refusedOnHosted(sql: postgres.TransactionSql): Promise<string[]> {
  const functions = await sql`
    select oid::regprocedure::text as name, pg_get_functiondef(oid) as definition from pg_proc
    where proowner = 'postgres'::regrole and prokind <> 'a'
  `;
  assert.ok(functions.length > 200);
  return functions.flatMap(({ name, definition }) =>
    withoutWhere(definition).map((statement) => `${name}: ${statement}`)
  );
}

Deno.test("no function has an update or a delete without a where clause", async () => {
  await rolledBack(async (sql) => {
    assert.deepEqual(await refusedOnHosted(sql), []);
    await sql.unsafe(`
      set local role postgres;
      create table app.boxes (id integer);
      create function app.empty_boxes() returns void language sql begin atomic delete from app.boxes; end;
      create function public.fill_boxes() returns trigger language plpgsql as $$
        begin execute 'update app.boxes set id = 1'; return new; end $$;
    `);
    assert.deepEqual((await refusedOnHosted(sql)).sort(), [
      "app.empty_boxes(): DELETE FROM app.boxes",
      "fill_boxes(): update app.boxes set id = 1",
    ]);
  });
});

const FOUND = {
  "delete from boxes": 1,
  "Update boxes Set id = 1 returning id": 1,
  "delete from boxes; delete from boxes where id = 1": 1,
  "update boxes set id = (select max(id) from others where id > 0)": 1,
  "with gone as (delete from boxes returning id) select id from gone where id > 0": 1,
  "with gone as (delete from boxes where id = 1 returning id) delete from others": 1,
  "for box in update boxes set id = 1 returning id loop select 1 where true; end loop": 1,
  "delete from boxes -- where id = 1": 1,
  "delete from boxes /* where\n id = 1 */": 1,
  "update boxes set name = ' where '": 1,
  'update boxes set name = "where"': 1,
  "execute format($sql$delete from %I$sql$, name)": 1,
  "execute 'update boxes set name = ''it'''": 1,
  "as $body$ begin perform $$delete from boxes$$; end $body$": 1,

  "delete from boxes where id = 1": 0,
  "delete from boxes using others where true": 0,
  "update boxes as b set id = 1 from (select 1) as other (id) where b.id = other.id": 0,
  "select id from boxes for update; set local role postgres": 0,
  "select id from boxes for no key update of boxes skip locked": 0,
  "insert into boxes values (1) on conflict (id) do update set id = 2": 0,
  "merge into boxes using others on true when matched then update set id = 1": 0,
  "merge into boxes using others on true when matched then delete": 0,
  "create trigger t before update or delete on boxes for each row execute function f()": 0,
  "grant update, delete on boxes to anyone": 0,
  "if tg_op = 'DELETE' then return old; end if": 0,
};

Deno.test("the check finds an update or delete without its own where clause anywhere in a function", () => {
  for (const [text, count] of Object.entries(FOUND)) {
    assert.equal(withoutWhere(text).length, count, text);
  }
});
