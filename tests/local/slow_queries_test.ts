// Tests that the database cancels a read at its role's statement timeout. This test has its own
// stack.
import assert from "node:assert/strict";
import postgres from "postgres";
import { ask, startOn, until, withFolder } from "../support/started.ts";

Deno.test("the database cancels slow reads: a slow filter returns a 422, and any other slow read returns a 503", async () => {
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
      // The Data API loads the catalogue before its first response.
      assert.deepEqual(await answerTo("/contacts?q=ana"), [200, undefined]);
      // The statement timeout is shorter than the lock timeout, so every statement on a locked
      // table is cancelled as too slow.
      await sql`alter role api_reader set statement_timeout = '100ms'`;
      await sql`notify pgrst, 'reload config'`;
      await sql.begin(async (sql) => {
        await sql`lock table contacts, deals in access exclusive mode`;
        await until(async () => (await answerTo("/contacts?q=ana"))[0] === 422);
        for (const chosen of ["q=ana", "tags=vip", "sort=name", "include_total=true"]) {
          const answer = await answerTo(`/contacts?${chosen}`);
          assert.deepEqual(answer, [422, "query_too_expensive"], chosen);
        }
        assert.deepEqual(await answerTo("/search?q=ana"), [422, "query_too_expensive"]);
        assert.deepEqual(await answerTo("/contacts"), [503, "database_unavailable"]);
        assert.deepEqual(await answerTo("/deals?include=contact"), [503, "database_unavailable"]);
      });
      // On a busy machine, even a quick statement may take longer than 100 ms.
      await until(async () => (await answerTo("/contacts?q=ana"))[0] === 200);
    } finally {
      await sql.end({ timeout: 1 });
    }
    await started.end();
  });
});
