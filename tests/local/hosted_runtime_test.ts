// The functions on their own, as the platform runs them: an entry that exports fetch, mounted under
// its own name, on the Deno that the hosted runtime is compatible with.
import assert from "node:assert/strict";
import { functionEnvironment } from "../../local/environment.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { send } from "../support/gateway.ts";
import { secrets, stack } from "../support/stack.ts";
import { root } from "./started.ts";

// The program itself: .bin/deno may be a script that starts it, and a signal would end just that.
const HOSTED = `${root}tests/tools/node_modules/deno/deno`;

const environment = functionEnvironment(stack.url, secrets);

Deno.test("both functions serve requests on the hosted runtime's Deno", async (t) => {
  const version = await new Deno.Command(HOSTED, { args: ["--version"] }).output();
  assert.match(new TextDecoder().decode(version.stdout), /^deno 2\.1\.4 /);
  const company = await newCompany();
  const headers = { Authorization: `Bearer ${company.keys.all}` };

  await t.step("the gateway", async () => {
    await serving("gateway", async (url) => {
      const { status, body } = await send(`${url}/gateway/pipelines`, "GET", headers);
      assert.deepEqual([status, body.data[0].id], [200, company.pipeline_id]);

      const phone = anyPhone();
      const json = { "Content-Type": "application/json", ...headers };
      const made = await send(`${url}/gateway/contacts`, "POST", json, JSON.stringify({ phone }));
      assert.deepEqual([made.status, made.body.data.phone], [201, phone]);

      const wrong = await send(`${url}/gateway/contacts`, "GET", { "X-Api-Key": "sk_live_wrong" });
      assert.deepEqual([wrong.status, wrong.body.code], [401, "invalid_api_key"]);
    });
  });

  await t.step("the template endpoint", async () => {
    await serving("send-external-template", async (url) => {
      const { status } = await send(`${url}/send-external-template`, "POST", {});
      assert.equal(status, 401);
    });
  });
});

Deno.test("a function without its configuration does not start, and says what belongs there", async () => {
  const key = JSON.parse(environment.JWT_SIGNING_KEY).k;
  const cases: [Record<string, string>, string][] = [
    [{ SUPABASE_URL: "" }, "SUPABASE_URL must be the URL of the Supabase project."],
    [
      { SUPABASE_PUBLISHABLE_KEYS: "" },
      "SUPABASE_PUBLISHABLE_KEYS (or SUPABASE_ANON_KEY) is missing",
    ],
    [{ JWT_SIGNING_KEY: key }, "JWT_SIGNING_KEY must be a private JWK as JSON"],
  ];
  await Promise.all(cases.map(async ([broken, sentence]) => {
    const entry = `${root}supabase/functions/gateway/index.ts`;
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["serve", "--port", "0", "--allow-env", entry],
      env: { ...environment, ...broken, NO_COLOR: "1" },
      cwd: root,
      stdout: "null",
    }).output();
    const printed = new TextDecoder().decode(stderr);
    assert.equal(code, 1);
    assert.ok(printed.includes(`ConfigError: ${sentence}`), printed);
    assert.ok(!printed.includes(key), "no part of a key is printed");
  }));
});

/** Serves a function as a process of its own while some work is done. */
async function serving(name: string, work: (url: string) => Promise<void>) {
  const entry = `${root}supabase/functions/${name}/index.ts`;
  const server = new Deno.Command(HOSTED, {
    args: ["serve", "--host", "127.0.0.1", "--port", "0", "--allow-net", "--allow-env", entry],
    env: { ...environment, NO_COLOR: "1" },
    cwd: root,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  try {
    let printed = "";
    const reading = server.stderr.pipeThrough(new TextDecoderStream()).values();
    while (!/http:\S+/.test(printed)) {
      const { value, done } = await reading.next();
      if (done) throw new Error(`${name} did not start: ${printed}`);
      printed += value;
    }
    await reading.return?.();
    const [address] = /http:\/\/[\w.:]+/.exec(printed)!;
    await work(address);
  } finally {
    server.kill("SIGTERM");
    await server.status;
  }
}
