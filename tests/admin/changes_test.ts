// What a restart does to callers is in changes_restart_test.ts.
import assert from "node:assert/strict";
import { type ChangesStatus, changesStatusText } from "../../admin/changes.ts";
import { newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";
import { admin, json, printed } from "./command.ts";

Deno.test("changes status shows since when the oldest transaction is writing", async () => {
  const { id } = await newCompany();
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      const [{ began }] = await sql`select now() as began`;
      await sql`update companies set name = name where id = ${id}`;
      const status: ChangesStatus = await json(["changes", "status"]);
      assert.ok(Math.abs(Date.now() / 1000 - status.generation) < 24 * 3600);
      assert.equal(Date.parse(status.restarted_at), status.generation * 1000);
      assert.ok(status.sees_other_sessions);
      assert.ok(Date.parse(status.writing_since!) <= began.getTime() + 1);
      assert.match(
        await printed(["changes", "status"]),
        /^The changes are of generation \d+, since .* UTC\.\nA transaction has been writing for \d+ s\. /,
      );
    })
  );
});

Deno.test("the status for people says what delays the changes, if anything does", () => {
  const idle: ChangesStatus = {
    generation: 1795339936,
    restarted_at: "2026-11-22T09:32:16+00:00",
    horizon: 800,
    waiting_transactions: 0,
    writing_since: null,
    sees_other_sessions: true,
  };
  const text = (status: Partial<ChangesStatus>) =>
    changesStatusText({ ...idle, ...status }, Date.parse("2026-11-22T10:00:30Z"));
  const first = "The changes are of generation 1795339936, since 2026-11-22 09:32 UTC.\n";
  assert.equal(text({}), `${first}Nothing delays them.`);
  const writing_since = "2026-11-22T10:00:00+00:00";
  assert.equal(
    text({ writing_since, waiting_transactions: 7 }),
    `${first}A transaction has been writing for 30 s. The changes of 7 later ones wait until it ends.`,
  );
  const waits = "The changes of 3 transactions wait for an earlier one that is still writing.";
  assert.equal(text({ waiting_transactions: 3 }), first + waits);
  assert.equal(
    text({ waiting_transactions: 3, sees_other_sessions: false }),
    `${first}${waits} The database does not show since when it runs.`,
  );
});

Deno.test("changes restart says when the tables were busy, and to repeat it", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ code: "55P03", message: "lock timeout" }, { status: 500 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const env = { SUPABASE_URL: url, SUPABASE_SECRET_KEY: "sb_secret_x" };
  assert.deepEqual(await admin(["changes", "restart"], { env }), {
    code: 1,
    stdout: "",
    stderr: "Too much is written at the moment, so nothing was restarted: repeat the command.\n",
  });
});
