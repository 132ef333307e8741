// changes_restart_test.ts tests how a restart of the changes feeds affects callers.
import assert from "node:assert/strict";
import { type ChangesStatus, changesStatusText } from "../../admin/changes.ts";
import { newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";
import { admin, json, printed } from "./command.ts";

Deno.test("`changes status` shows how long the oldest transaction has been writing", async () => {
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
      const words =
        /^The changes are in generation \d+, since .* UTC\.\nA transaction has been writing for \d+ s\. /;
      assert.match(await printed(["changes", "status"]), words);
    })
  );
});

Deno.test("`changes status` says what delays the changes", () => {
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
  const first = "The changes are in generation 1795339936, since 2026-11-22 09:32 UTC.\n";
  assert.equal(text({}), `${first}Nothing delays the changes.`);
  const writing_since = "2026-11-22T10:00:00+00:00";
  assert.equal(
    text({ writing_since, waiting_transactions: 7 }),
    `${first}A transaction has been writing for 30 s. The changes of 7 later transactions wait until it ends.`,
  );
  const waits =
    "The changes of 3 transactions wait for an earlier transaction that is still writing.";
  assert.equal(text({ waiting_transactions: 3 }), first + waits);
  assert.equal(
    text({ waiting_transactions: 3, sees_other_sessions: false }),
    `${first}${waits} The database does not show when it began.`,
  );
});

Deno.test("`changes restart` fails if the tables are busy, and tells the operator to repeat the command", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ code: "55P03", message: "lock timeout" }, { status: 500 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const env = { SUPABASE_URL: url, SUPABASE_SECRET_KEY: "sb_secret_x" };
  const stderr =
    "There are too many writes at the moment, so nothing was restarted: repeat the command.\n";
  assert.deepEqual(await admin(["changes", "restart"], { env }), { code: 1, stdout: "", stderr });
});
