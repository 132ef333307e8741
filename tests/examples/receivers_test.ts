// Tests the webhook receivers in examples/ with signed deliveries.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { root } from "../../local/checkout.ts";
import { newSecret, sign } from "../../supabase/functions/_shared/webhooks/signature.ts";
import { folderWithClient } from "../support/built_client.ts";
import { freePort } from "../support/free_port.ts";
import { until, withFolder } from "../support/started.ts";
import { N8nRunner } from "./n8n_runner.ts";
import { readWorkflow } from "./n8n_workflow.ts";

const SECRET = newSecret();

/** A signed webhook delivery of an event. */
async function delivery(number: number, { secret = SECRET, ago = 0, padding = "" } = {}) {
  const body = JSON.stringify({
    id: `evt_${String(number).padStart(32, "0")}`,
    type: number % 2 === 0 ? "deal.won" : "contact.created",
    record_id: `record ${number}`,
    data: { title: `Ação ${number}`, padding },
  });
  const id = `evt_${String(number).padStart(32, "0")}`;
  const at = Math.floor(Date.now() / 1000) - ago;
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": await sign([newSecret(), secret], id, at, body),
  };
  return { body, headers };
}

/** How to start each receiver in a folder. */
const RECEIVERS: Record<string, (port: string) => Promise<[program: string, args: string[]]>> = {
  Deno: (port) =>
    Promise.resolve([Deno.execPath(), [
      ...["run", "--no-prompt", "--no-config", "--no-check", `--allow-net=127.0.0.1:${port}`],
      ...["--allow-read=.", "--allow-write=.", "--allow-env=WEBHOOK_SECRET"],
      ...[`${root}examples/webhooks/receive.ts`, port],
    ]]),
  Node: async (port) => {
    const file = `${await folderWithClient()}/receive-${port}.mjs`;
    await Deno.copyFile(`${root}examples/webhooks/receive.mjs`, file);
    return ["node", [file, port]];
  },
};

for (const [name, commandOf] of Object.entries(RECEIVERS)) {
  Deno.test(`the receiver for ${name} stores an event once, even if the event arrives many times at once or again after a restart, and refuses unsigned requests`, async () => {
    await withFolder(async (folder) => {
      const port = String(freePort());
      const [program, args] = await commandOf(port);
      const url = `http://127.0.0.1:${port}/`;
      const started = async () => {
        const child = new Deno.Command(program, {
          args,
          cwd: folder,
          env: { WEBHOOK_SECRET: SECRET },
          stdout: "null",
          stderr: "null",
        }).spawn();
        await until(() =>
          fetch(url).then(async (answer) => !(await answer.body?.cancel()), () => false)
        );
        return {
          async [Symbol.asyncDispose]() {
            child.kill("SIGKILL");
            await child.status;
          },
        };
      };
      const post = async ({ body, headers }: Awaited<ReturnType<typeof delivery>>) => {
        const answer = await fetch(url, { method: "POST", headers, body });
        return [answer.status, await answer.text()] as const;
      };
      const stored = async () =>
        (await Deno.readTextFile(`${folder}/events.jsonl`)).trimEnd().split("\n")
          .map((line) => JSON.parse(line).data.title);
      {
        await using _receiver = await started();
        assert.equal(
          (await fetch(url).then(async (each) => (await each.text(), each))).status,
          405,
        );
        assert.deepEqual(await post(await delivery(1)), [204, ""]);
        assert.deepEqual(await post(await delivery(2)), [204, ""]);
        assert.deepEqual(await post(await delivery(1)), [204, ""]);
        const [foreign, problem] = await post(await delivery(3, { secret: newSecret() }));
        assert.equal(foreign, 400);
        assert.match(problem, /No signature was made with this secret/);
        const [old, reason] = await post(await delivery(3, { ago: 600 }));
        assert.equal(old, 400);
        assert.match(reason, /was signed 6\d\d s ago/);
        const large = await delivery(3, { padding: "x".repeat(1_000_000) });
        assert.equal((await post(large))[0], 413);
        // A stream is sent without the header Content-Length.
        const body = new Blob([large.body]).stream();
        const chunked = await fetch(url, { method: "POST", headers: large.headers, body });
        assert.deepEqual([chunked.status, await chunked.text()], [413, "The body is too large\n"]);
        assert.deepEqual(await stored(), ["Ação 1", "Ação 2"]);
        const third = await delivery(3);
        const answers = await Promise.all(Array.from({ length: 20 }, () => post(third)));
        assert.ok(answers.every(([status]) => status === 204));
        assert.deepEqual(await stored(), ["Ação 1", "Ação 2", "Ação 3"]);

        await Deno.rename(`${folder}/events.jsonl`, `${folder}/moved.jsonl`);
        await Deno.mkdir(`${folder}/events.jsonl`);
        assert.equal((await post(await delivery(5)))[0], 500);
        await Deno.remove(`${folder}/events.jsonl`);
        await Deno.rename(`${folder}/moved.jsonl`, `${folder}/events.jsonl`);
        assert.deepEqual(await post(await delivery(5)), [204, ""]);
      }
      // A receiver that is killed while it writes leaves a part of a line.
      const torn = new TextEncoder().encode('{"id":"evt_6","data":{"title":"Aç').slice(0, -1);
      await Deno.writeFile(`${folder}/events.jsonl`, torn, { append: true });
      {
        await using _receiver = await started();
        assert.deepEqual(await post(await delivery(2)), [204, ""]);
        assert.deepEqual(await post(await delivery(4)), [204, ""]);
      }
      const whole = [1, 2, 3, 5, 4].map((number) => `Ação ${number}`);
      assert.deepEqual(await stored(), whole);
      assert.equal((await Deno.stat(`${folder}/events.jsonl`)).mode! & 0o777, 0o600);
    });
  });
}

Deno.test("n8n: the workflow verifies each delivery and passes each event on once", async () => {
  const workflow = await readWorkflow("receive-events");
  const verify = workflow.nodes.find(({ name }) => name === "Verify")!;
  const code = String(verify.parameters.jsCode);
  assert.ok(code.includes("'whsec_…'"), "the file contains no secret");
  verify.parameters.jsCode = code.replace("whsec_…", SECRET);
  const runner = new N8nRunner(workflow, {}, "");
  const run = async (
    { headers, body }: Awaited<ReturnType<typeof delivery>>,
    changed: Record<string, string> = {},
  ) => {
    const bytes = new TextEncoder().encode(body);
    return await runner.run({ json: { headers: { ...headers, ...changed } }, body: bytes });
  };
  const won = await run(await delivery(2));
  assert.equal(won["A deal was won"][0].json.event.data.title, "Ação 2");
  assert.ok(won.Accept && !won.Refuse);
  const repeated = await run(await delivery(2));
  assert.ok(repeated.Accept && !repeated["The event"]);
  const other = await run(await delivery(1));
  assert.ok(other["The event"] && !other["A deal was won"]);
  for (
    const refused of [
      await run(await delivery(4, { secret: newSecret() })),
      await run(await delivery(4, { ago: 600 })),
      await run(await delivery(4), { "webhook-id": "evt_1" }),
      await run(await delivery(4), { "webhook-signature": "v1" }),
      await run(await delivery(4), { "webhook-timestamp": "x" }),
    ]
  ) {
    assert.ok(refused.Refuse && !refused.Accept);
  }
});

Deno.test("n8n: the workflow refuses every delivery until its secret is filled in", async () => {
  const runner = new N8nRunner(await readWorkflow("receive-events"), {}, "");
  const { headers, body } = await delivery(2);
  const at = headers["webhook-timestamp"];
  const mac = createHmac("sha256", "").update(`${headers["webhook-id"]}.${at}.${body}`);
  const forged = { ...headers, "webhook-signature": `v1,${mac.digest("base64")}` };
  await assert.rejects(
    runner.run({ json: { headers: forged }, body: new TextEncoder().encode(body) }),
    /The node Verify has no secret/,
  );
});
