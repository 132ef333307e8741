// Tests the locale of the local database. The locale decides which characters count as letters, and
// therefore which searches can use an index.
import assert from "node:assert/strict";
import postgres from "postgres";
import { command, findPrograms, giveTo } from "../../local/postgres/programs.ts";
import { loadSecrets } from "../../local/secrets.ts";
import { ask, startOn, withFolder } from "../support/started.ts";
import { withDatabase } from "../support/test_stack.ts";

const TRIGRAMS = "select extensions.show_trgm('Щербаков') as trigrams, datctype from pg_database " +
  "where datname = current_database()";

Deno.test("the database finds the parts of words in every script", async () => {
  const [{ trigrams, datctype }] = await withDatabase((sql) => sql.unsafe(TRIGRAMS));
  assert.notEqual(datctype, "C");
  assert.equal(trigrams.length, "Щербаков".length + 1);
});

Deno.test("if the data folder has the locale C, the stack starts and finds words in every script", async () => {
  await withFolder(async (folder) => {
    const { database_password } = await loadSecrets(`${folder}/secrets.json`);
    const programs = await findPrograms();
    const [data, password] = [`${folder}/data`, `${folder}/password`];
    await Deno.mkdir(data, { mode: 0o700 });
    await giveTo(programs, data);
    await Deno.writeTextFile(password, database_password);
    const made = await command(programs, "initdb", [
      ...["-D", data, "-U", "supabase_admin", "--pwfile", password, "-A", "scram-sha-256"],
      ...["--encoding=UTF8", "--locale=C", "--no-sync"],
    ]).output();
    assert.ok(made.success, new TextDecoder().decode(made.stderr));

    const { started, stack } = await startOn(folder);
    const sql = postgres(stack.database_url, { max: 1 });
    const [{ trigrams, datctype }] = await sql.unsafe(TRIGRAMS);
    await sql.end();
    assert.deepEqual([trigrams, datctype], [[], "C"]);

    const name = "Щербаков João";
    const body = JSON.stringify({ phone: "+15550109999", name });
    const headers = { "Content-Type": "application/json" };
    assert.equal((await ask(stack, "/contacts", { method: "POST", body, headers })).status, 201);
    for (const query of ["q=ербак", "q=JOAO щер", "name[contains]=щербаков+jo", "q=що"]) {
      const { status, body } = await ask(stack, `/contacts?${query.replaceAll(" ", "+")}`);
      const found = body.data.some((contact: { name: string }) => contact.name === name);
      assert.deepEqual([status, found], [200, query !== "q=що"], query);
    }
    await started.end();
  });
});
