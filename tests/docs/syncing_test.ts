// Tests that the program in docs/syncing.md does what the page says.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readIfPresent } from "../../local/files.ts";
import { call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { until, withFolder } from "../support/started.ts";
import { stack, statement } from "../support/test_stack.ts";
import { readPage } from "./pages.ts";

const { text } = await readPage("docs/syncing.md");
const [, shown = ""] = /^```js\n([\s\S]*?)^```$/m.exec(text) ?? [];
const program = shown.replace("|| 5;", "|| 0.02;");
assert.notEqual(program, shown, "the program waits 5 seconds");

Deno.test("the program in docs/syncing.md keeps a copy up to date, even after a restart", async () => {
  const company = await newCompany();
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/mirror.mjs`, program);
    const start = () =>
      new Deno.Command("node", {
        args: [`${folder}/mirror.mjs`], // because of this path, `withFolder` kills the process if the test fails
        cwd: folder,
        env: {
          CRM_API_URL: stack.gateway_url.replace(/\/gateway$/, ""),
          CRM_API_KEY: company.keys.read,
        },
      }).spawn();
    const names = async () => {
      const copy = JSON.parse(await readIfPresent(`${folder}/contacts.json`) ?? "{}");
      return Object.values<{ name: string }>(copy.contacts ?? {}).map(({ name }) => name).sort();
    };
    const shows = (...expected: string[]) =>
      until(async () => JSON.stringify(await names()) === JSON.stringify(expected));
    const change = async (method: string, path: string, name: string) => {
      const json = { phone: anyPhone(), name };
      const { status, body } = await call(company.keys.write, method, path, { json });
      assert.ok(status < 300);
      return body.data.id as string;
    };

    let running = start();
    await shows("Ada");
    const grace = await change("POST", "/contacts", "Grace");
    await change("PATCH", `/contacts/${company.contact_id}`, "Ada Lovelace");
    await shows("Ada Lovelace", "Grace");
    running.kill("SIGKILL");
    await running.status;

    await statement`delete from contacts where id = ${grace}`;
    await change("POST", "/contacts", "Katherine");
    running = start();
    await shows("Ada Lovelace", "Katherine");
    running.kill("SIGKILL");
    await running.status;
  });
});

/** A response in a script; null if the connection is lost. */
type Scripted = { status: number; headers?: Record<string, string>; body: unknown } | null;

const PAGE = {
  status: 200,
  body: { data: [{ id: "1", name: "Ada" }], pagination: { next_cursor: "c", has_more: false } },
};
const REFUSED: Scripted = {
  status: 401,
  body: { error: "The key is refused", code: "invalid_api_key" },
};

/** Runs the program until it ends. The API gives these responses, and then refuses the key. */
async function runAgainst(responses: Scripted[]) {
  const times: number[] = [];
  const server = createServer((request, response) => {
    const scripted = times.length < responses.length ? responses[times.length] : REFUSED;
    times.push(performance.now());
    if (!scripted) return request.socket.destroy();
    const { status, headers, body } = scripted;
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/mirror.mjs`, program);
      const { port } = server.address() as AddressInfo;
      const { code, stderr } = await new Deno.Command("node", {
        args: [`${folder}/mirror.mjs`],
        cwd: folder,
        env: { CRM_API_URL: `http://127.0.0.1:${port}`, CRM_API_KEY: "key" },
      }).output();
      const copy = await readIfPresent(`${folder}/contacts.json`);
      const printed = new TextDecoder().decode(stderr);
      return { code, printed, times, copy: copy && JSON.parse(copy) };
    });
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

Deno.test("the program in docs/syncing.md continues after a lost connection, a proxy's error page and a 503", async () => {
  const { copy, printed } = await runAgainst([
    null,
    { status: 502, body: "<html>Bad gateway</html>" },
    { status: 503, body: { error: "The database is down", code: "database_unavailable" } },
    PAGE,
  ]);
  assert.deepEqual(copy, { cursor: "c", contacts: { 1: { id: "1", name: "Ada" } } }, printed);
  assert.match(printed, /The database is down; trying again/);
});

Deno.test("the program in docs/syncing.md ends after a 401, a 403 and a 422, and prints the reason", async () => {
  for (const status of [401, 403, 422]) {
    const refused = { status, body: { error: `Refused with ${status}`, code: "any" } };
    const { code, times, printed } = await runAgainst([refused]);
    assert.deepEqual([code, times.length], [1, 1], printed);
    assert.ok(printed.includes(`Refused with ${status}`), printed);
  }
});

Deno.test("the program in docs/syncing.md waits as long as `Retry-After` asks", async () => {
  const busy = { status: 429, headers: { "Retry-After": "1" }, body: { error: "Busy" } };
  const { times: [first, second], printed } = await runAgainst([busy]);
  assert.ok(second - first >= 990, `${second - first} ms: ${printed}`);
});
