// A statement of a read that takes longer than its role may: the database itself ends it, on a stack of this test's own.
import assert from "node:assert/strict";
import postgres from "postgres";
import { ask, startOn, withFolder } from "../support/started.ts";

Deno.test("the database ends a read in time: a query that the caller chose is a 422, any other a 503", async () => {
  await withFolder(async (folder) => {
    const { started, stack } = await startOn(folder);
    const sql = postgres(stack.database_url, { onnotice: () => {} });
    const answerTo = async (path: string) => {
      const { status, body } = await ask(stack, path);
      return [status, body.code];
    };
    try {
      const [{ settings }] = await sql`
        select rolconfig as settings from pg_roles where rolname = 'api_reader'
      `;
      assert.ok(settings.includes("statement_timeout=3s"));
      // The Data API reads the catalogue before its first answer.
      assert.deepEqual(await answerTo("/contacts?q=ana"), [200, undefined]);
      // Shorter than the wait for a lock may be, so that a locked table makes every statement a slow one.
      await sql`alter role api_reader set statement_timeout = '100ms'`;
      await sql.begin(async (sql) => {
        await sql`lock table contacts, deals in access exclusive mode`;
        for (const chosen of ["q=ana", "tags=vip", "sort=name", "include_total=true"]) {
          const answer = await answerTo(`/contacts?${chosen}`);
          assert.deepEqual(answer, [422, "query_too_expensive"], chosen);
        }
        assert.deepEqual(await answerTo("/search?q=ana"), [422, "query_too_expensive"]);
        assert.deepEqual(await answerTo("/contacts"), [503, "database_unavailable"]);
        assert.deepEqual(await answerTo("/deals?include=contact"), [503, "database_unavailable"]);
      });
      assert.deepEqual(await answerTo("/contacts?q=ana"), [200, undefined]);
    } finally {
      await sql.end({ timeout: 1 });
    }
    await started.end();
  });
});
