// Tests `npm start` in a copy of the checkout: at a path with spaces, as another user, and with
// other migrations.
import assert from "node:assert/strict";
import { succeeds } from "../../local/postgres/programs.ts";
import { root } from "../../local/checkout.ts";
import { ask, processesOn, Started, startOn, withFolder } from "../support/started.ts";

const NOBODY = 65534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/**
 * Whether these tests run as root and the user `nobody` can also run Deno and read the packages.
 */
const nobodyCanRun = Deno.uid() === 0 &&
  await succeeds([...AS_NOBODY, Deno.execPath(), "--version"]) &&
  await succeeds([...AS_NOBODY, "test", "-r", `${root}node_modules/postgres/package.json`]);

Deno.test({
  name: "an ordinary user can run the stack from a checkout whose path has spaces",
  // If the tests do not run as root, every other start test already runs as an ordinary user.
  ignore: Deno.uid() === 0 && !nobodyCanRun,
  async fn() {
    await withFolder(async (folder) => {
      const checkout = await copyCheckout(`${folder}/mine/Ünser CRM`);
      const prefix = Deno.uid() === 0 ? AS_NOBODY : [];
      if (prefix.length > 0) {
        await Deno.chmod(folder, 0o755);
        await succeeds(["chown", "-R", `${NOBODY}:${NOBODY}`, `${folder}/mine`]);
      }
      // Without `--data`, the data folder is in the checkout.
      const started = new Started(["--port", "0"], {
        checkout,
        prefix,
        env: { HOME: `${folder}/mine` },
      });
      await started.says("Ctrl-C ends everything.");
      const stack = JSON.parse(await Deno.readTextFile(`${checkout}/.local/stack.json`));
      assert.equal((await ask(stack, "/contacts?limit=200")).body.data.length, 40);
      assert.equal((await Deno.stat(`${checkout}/.local`)).mode! & 0o777, 0o700);
      assert.equal((await Deno.stat(`${checkout}/.local/data`)).mode! & 0o777, 0o700);
      const { uid } = await Deno.stat(`${checkout}/.local/data/PG_VERSION`);
      assert.equal(uid, prefix.length > 0 ? NOBODY : Deno.uid());
      assert.deepEqual(await started.end(), [0, ""]);
    });
  },
});

Deno.test({
  name: "root can run the stack where namespaces are forbidden, as in many containers",
  ignore: Deno.uid() !== 0 || Deno.build.os !== "linux",
  async fn() {
    await withFolder(async (folder) => {
      const programs = `${folder}/programs`;
      await Deno.mkdir(programs);
      await Deno.writeTextFile(`${programs}/unshare`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      const env = { PATH: `${programs}:${Deno.env.get("PATH")}` };
      // Only root may enter the folder that contains the checkout and the data, like `/root`.
      assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
      const checkout = await copyCheckout(`${folder}/checkout`);
      const forbidden = await startOn(`${folder}/data`, [], { env, checkout });
      assert.equal((await ask(forbidden.stack, "/contacts?limit=200")).body.data.length, 40);
      assert.deepEqual(await forbidden.started.end(), [0, ""]);
      assert.equal((await Deno.stat(`${folder}/data/data`)).uid, NOBODY);

      // The same data folder also works where namespaces are allowed.
      const { started, stack } = await startOn(`${folder}/data`);
      assert.equal((await ask(stack, "/contacts?limit=200")).body.data.length, 40);
      assert.deepEqual(await started.end(), [0, ""]);
    });
  },
});

const migrations = Array.from(
  Deno.readDirSync(`${root}supabase/migrations`),
  ({ name }) => name,
).sort();

Deno.test("npm start applies a new migration, or says why it cannot be applied", async (t) => {
  await withFolder(async (folder) => {
    const checkout = await copyCheckout(`${folder}/checkout`);
    const file = `${checkout}/supabase/migrations/30000101000000_ours.sql`;
    const args = ["--data", `${folder}/data`, "--port", "0", "--no-seed"];

    await t.step("stopping npm start cancels a migration that waits for a lock", async () => {
      await Deno.writeTextFile(file, "create table ours (id int);\nselect pg_sleep(600);\n");
      const started = new Started(args, { checkout });
      // npm start cancels the migration, whether or not it has begun.
      const [before] = migrations.slice(-1);
      await started.says(`applied ${before}`);
      assert.deepEqual(await started.end("SIGTERM"), [0, ""]);
      assert.deepEqual(await processesOn(`${folder}/data`), []);
    });

    await t.step("the error names the failed migration and, if known, the line", async () => {
      const failures = {
        "create table ours (id int);\n\n-- 🎈🎈🎈\nselect nothing;\n":
          'column "nothing" does not exist (line 4)',
        "create table ours (id int);\ninsert into ours values (1), (2);\nalter table ours\n add unique (id), add check (id < 2);":
          'check constraint "ours_id_check" of relation "ours" is violated by some row',
      };
      for (const [text, sentence] of Object.entries(failures)) {
        await Deno.writeTextFile(file, text);
        const started = new Started(args, { checkout });
        assert.deepEqual(await started.ended(), [
          1,
          `The migration 30000101000000_ours.sql failed: ${sentence}\n`,
        ]);
        assert.equal(started.out, "");
        assert.deepEqual(await processesOn(`${folder}/data`), []);
      }
    });

    await t.step("a corrected migration is applied", async () => {
      await Deno.writeTextFile(file, "create table ours (id int);\n");
      const started = new Started(args, { checkout });
      await started.says("Ready");
      assert.match(started.out, /^· applied 30000101000000_ours\.sql\n\nReady/);
      assert.deepEqual(await started.end(), [0, ""]);
    });

    await t.step(
      "without --fresh, npm start refuses a database that other migrations created",
      async () => {
        const folder = `${checkout}/supabase/migrations`;
        const baseline = `${folder}/${migrations[0]}`;
        const sentence =
          "This database was made by migrations that differ from the migrations in " +
          "supabase/migrations. Start with --fresh for an empty database, or with --data <folder> to keep this one.\n";
        await Deno.rename(baseline, `${folder}/20000101000000_before.sql`);
        assert.deepEqual(await new Started(args, { checkout }).ended(), [1, sentence]);

        await Deno.rename(`${folder}/20000101000000_before.sql`, baseline);
        await Deno.writeTextFile(baseline, "-- It says something else.\n", { append: true });
        assert.deepEqual(await new Started(args, { checkout }).ended(), [1, sentence]);

        const started = new Started([...args, "--fresh"], { checkout });
        await started.says("Ready");
        assert.deepEqual(await started.end(), [0, ""]);
      },
    );
  });
});

/** Copies the part of the checkout that `npm start` needs, and links the installed packages. */
async function copyCheckout(target: string): Promise<string> {
  await Deno.mkdir(target, { recursive: true });
  const folders = ["local", "sandbox", "supabase"];
  for (const part of [...folders, "deno.json", "import_map.json", "package.json"]) {
    await succeeds(["cp", "-R", `${root}${part}`, target]);
  }
  await Deno.symlink(`${root}node_modules`, `${target}/node_modules`);
  return target;
}
