// Tests `npm start` with a data folder whose previous stack was killed, crashed or was interrupted.
import assert from "node:assert/strict";
import { anyPhone } from "../support/company.ts";
import {
  ask,
  killProcessesOn,
  postgresOf,
  processesOn,
  READY,
  Started,
  startOn,
  until,
  withFolder,
} from "../support/started.ts";

/**
 * Waits until only two processes have the folder in their command line: the stack and its database
 * server. For a moment, the server's process for a new connection has the same command line as the
 * server.
 */
async function untilTwoProcesses(folder: string) {
  await until(async () => (await processesOn(folder)).length === 2);
}

/**
 * Repeats an attempt to end a start at an early moment. On a busy machine, the signal may come too
 * late.
 * @param attempt returns whether the signal came in time.
 */
async function untilInTime(attempt: () => Promise<boolean>) {
  for (let late = 0; !await attempt();) assert.ok(++late < 5, `too late ${late} times`);
}

Deno.test("npm start works, however the previous stack ended", async (t) => {
  await withFolder(async (folder) => {
    const args = ["--data", folder, "--port", "0"];
    const has = (name: string) =>
      Array.from(Deno.readDirSync(folder)).some((entry) => entry.name.startsWith(name));
    /** Removes the database of an earlier attempt. */
    const removeDatabase = async () => {
      if (!has("data")) return;
      await killProcessesOn(folder);
      await Deno.remove(`${folder}/data`, { recursive: true });
    };

    await t.step("npm start works after a kill before the database was created", async () => {
      await untilInTime(async () => {
        await removeDatabase();
        const started = new Started(args);
        await until(() => has(".crm-unfinished-cluster-"));
        await started.crash();
        return !has("data");
      });
    });

    await t.step("if npm start ends before it is ready, no process remains", async () => {
      await untilInTime(async () => {
        await removeDatabase();
        await Deno.writeTextFile(`${folder}/stack.json`, "{}"); // a crash leaves this file behind
        const started = new Started(args);
        await until(() => has("data"));
        assert.deepEqual(await started.end("SIGTERM"), [0, ""]);
        assert.ok(!has("stack.json"));
        assert.ok(!(await processesOn(folder)).some((line) => line.includes("/bin/postgres")));
        return !started.out.includes(READY);
      });
    });

    let { started, stack, postgres } = await startOn(folder);
    const contacts = async () => (await ask(stack, "/contacts?limit=200")).body.data;
    const phone = anyPhone();
    const body = JSON.stringify({ phone });
    const headers = { "Content-Type": "application/json" };
    assert.equal((await contacts()).length, 40);
    assert.equal((await ask(stack, "/contacts", { method: "POST", body, headers })).status, 201);

    await t.step("after a kill, npm start keeps the data and adds no demo data", async () => {
      await started.crash();
      assert.ok((await processesOn(folder)).some((line) => parseInt(line) === postgres));

      ({ started, stack, postgres } = await startOn(folder));
      const found = await contacts();
      assert.deepEqual([found.length, found[0].phone], [41, phone]);
      assert.doesNotMatch(started.out, /^· (applied|wrote)/m);
      // The orphaned server has been stopped.
      await untilTwoProcesses(folder);
    });

    await t.step(
      "npm start works after both the previous stack and its database server were killed",
      async () => {
        Deno.kill(postgres, "SIGKILL");
        await started.crash();
        ({ started, stack, postgres } = await startOn(folder));
        assert.equal((await contacts()).length, 41);
      },
    );

    await t.step(
      "npm start does not stop another program that now has the killed server's process ID",
      async () => {
        await started.crash();
        Deno.kill(postgres, "SIGKILL");
        const other = new Deno.Command("sleep", { args: ["60"] }).spawn();
        const path = `${folder}/data/postmaster.pid`;
        const text = await Deno.readTextFile(path);
        await Deno.writeTextFile(path, text.replace(/^\d+/, String(other.pid)));
        ({ started, stack, postgres } = await startOn(folder));
        assert.equal((await contacts()).length, 41);
        other.kill("SIGTERM");
        assert.equal((await other.status).signal, "SIGTERM");
      },
    );

    await t.step("npm start with an empty database works after the stack was killed", async () => {
      await started.crash();
      ({ started, stack, postgres } = await startOn(folder, ["--fresh"]));
      assert.equal((await contacts()).length, 40);
      await untilTwoProcesses(folder);
      assert.ok(!has(".crm-unfinished-cluster-"));
    });

    await t.step("npm start ends with a one-line error if the database crashes", async () => {
      Deno.kill(postgres, "SIGKILL");
      const [code, printed] = await started.ended();
      assert.equal(code, 1);
      const sentence = `Postgres ended unexpectedly; ${folder}/postgres.log says why.\n`;
      // A request in progress also fails, and its error may be printed first.
      assert.ok(printed.endsWith(sentence), printed);
      assert.deepEqual(await processesOn(folder), []);
      assert.ok(!has("stack.json"));
    });

    await t.step("the stack stops when the npm process that started it is killed", async () => {
      const npm = new Started(args, {
        // Like npm, this shell starts the stack as a child process, and waits for it to end.
        prefix: ["sh", "-c", '"$@" & wait', "sh"],
        env: { npm_lifecycle_event: "start" },
      });
      await npm.says(READY);
      postgres = await postgresOf(folder);
      await npm.crash();
      // A job that ends at the same time may print one more line.
      assert.match(npm.out, /^Ending …$/m);
      assert.ok(!(await processesOn(folder)).some((line) => parseInt(line) === postgres));
    });
  });
});
