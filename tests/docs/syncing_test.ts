// Tests that the program in docs/syncing.md does what the page says.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readIfPresent } from "../../local/files.ts";
import { call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { JQ } from "../support/programs.ts";
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

const page = (names: string[], next_cursor: string, has_more: boolean): Scripted => ({
  status: 200,
  body: { data: names.map((name) => ({ id: name, name })), pagination: { next_cursor, has_more } },
});
/** The body of a page on which a contact was deleted. */
const deletedIn = (id: string, next_cursor: string) => ({
  data: [{ id, deleted_at: "2026-11-23T01:02:03Z" }],
  pagination: { next_cursor, has_more: true },
});
const PAGE = page(["Ada"], "c", false);
const EXPIRED: Scripted = { status: 410, body: { error: "Restored", code: "cursor_expired" } };
const REFUSED: Scripted = {
  status: 401,
  body: { error: "The key is refused", code: "invalid_api_key" },
};

/** An API that gives these responses, and then refuses the key. */
async function serve(responses: Scripted[]) {
  const times: number[] = [];
  const server = createServer((request, response) => {
    const scripted = times.length < responses.length ? responses[times.length] : REFUSED;
    times.push(performance.now());
    if (!scripted) return request.socket.destroy();
    const { status, headers, body } = scripted;
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    env: { CRM_API_URL: `http://127.0.0.1:${port}`, CRM_API_KEY: "key" },
    times,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Runs the program until it ends. The API gives these responses, and then refuses the key. */
async function runAgainst(responses: Scripted[]) {
  await using api = await serve(responses);
  return await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/mirror.mjs`, program);
    const { code, stderr } = await new Deno.Command("node", {
      args: [`${folder}/mirror.mjs`],
      cwd: folder,
      env: api.env,
    }).output();
    const copy = await readIfPresent(`${folder}/contacts.json`);
    const printed = new TextDecoder().decode(stderr);
    return { code, printed, times: api.times, copy: copy && JSON.parse(copy) };
  });
}

Deno.test("the program in docs/syncing.md continues after a lost connection, a proxy's error page and a 503", async () => {
  const { copy, printed } = await runAgainst([
    null,
    { status: 502, body: "<html>Bad gateway</html>" },
    { status: 503, body: { error: "The database is down", code: "database_unavailable" } },
    PAGE,
  ]);
  assert.deepEqual(copy, { cursor: "c", contacts: { Ada: { id: "Ada", name: "Ada" } } }, printed);
  assert.match(printed, /The database is down; trying again/);
});

Deno.test("the program in docs/syncing.md ends after a 401, a 403, a 404 and a 422, and prints the reason", async () => {
  for (const status of [401, 403, 404, 422]) {
    const refused = { status, body: { error: `Refused with ${status}`, code: "any" } };
    const { code, times, printed } = await runAgainst([refused]);
    assert.deepEqual([code, times.length], [1, 1], printed);
    assert.ok(printed.includes(`Refused with ${status}`), printed);
  }
  // A server that is not the API may answer without JSON.
  for (const status of [403, 404]) {
    const { times, printed } = await runAgainst([{ status, body: "<h1>No</h1>" }]);
    assert.equal(times.length, 1);
    const reason = `/contacts/changes?limit=200&start=beginning returned a ${status}`;
    assert.ok(printed.includes(reason), printed);
  }
});

Deno.test("the program in docs/syncing.md waits as long as `Retry-After` asks", async () => {
  const busy = { status: 429, headers: { "Retry-After": "1" }, body: { error: "Busy" } };
  const { times: [first, second], printed } = await runAgainst([busy]);
  assert.ok(second - first >= 990, `${second - first} ms: ${printed}`);
});

Deno.test("the program in docs/syncing.md replaces its copy only by a complete copy, after something has changed", async () => {
  const copyAfter = async (...responses: Scripted[]) => {
    const { copy, printed } = await runAgainst(responses);
    return [copy.cursor, Object.keys(copy.contacts), printed.match(/trying again/)];
  };
  assert.deepEqual(await copyAfter(page([], "a", false)), ["a", [], null]);
  assert.deepEqual(await copyAfter(PAGE, page([], "d", false)), ["c", ["Ada"], null]);
  const [first, last] = [page(["Grace"], "e", true), page(["Katherine"], "f", false)];
  assert.deepEqual(await copyAfter(PAGE, first), ["c", ["Ada"], null]);
  assert.deepEqual(await copyAfter(PAGE, first, last), ["f", ["Ada", "Grace", "Katherine"], null]);
  assert.deepEqual(await copyAfter(PAGE, EXPIRED, first), ["c", ["Ada"], null]);
  assert.deepEqual(await copyAfter(PAGE, EXPIRED, first, last), [
    "f",
    ["Grace", "Katherine"],
    null,
  ]);
  assert.deepEqual(await copyAfter(PAGE, EXPIRED, page([], "g", false)), ["g", [], null]);
});

Deno.test({
  name: "the recipe's program for curl reads its copy three times, however many pages it requests",
  ignore: JQ === null,
  fn: async () => {
    const { blocks } = await readPage("docs/recipes/sync-contacts.md");
    const { text } = blocks.find(({ language }) => language === "bash")!;
    await using api = await serve([
      page(["Ada", "Grace"], "c", true),
      page(["Katherine"], "d", true),
      { status: 200, body: deletedIn("Ada", "e") },
      page(["Dorothy"], "f", false),
    ]);
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/sync-contacts.sh`, text);
      // Notes the arguments of each call of jq.
      const noting =
        `#!/bin/sh\necho "$*" | tr '\\n' ' ' >> calls\necho >> calls\nexec ${JQ} "$@"\n`;
      await Deno.writeTextFile(`${folder}/jq`, noting, { mode: 0o755 });
      const { success, stdout, stderr } = await new Deno.Command("bash", {
        args: ["sync-contacts.sh"],
        cwd: folder,
        env: { ...api.env, COPY: "copy.json", PATH: `${folder}:${Deno.env.get("PATH")}` },
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      assert.equal(new TextDecoder().decode(stdout), "5 changes, 3 contacts\n");
      const { cursor, contacts } = JSON.parse(await Deno.readTextFile(`${folder}/copy.json`));
      assert.equal(cursor, "f");
      assert.deepEqual(Object.keys(contacts).sort(), ["Dorothy", "Grace", "Katherine"]);
      const calls = (await Deno.readTextFile(`${folder}/calls`)).trim().split("\n");
      const ofCopy = calls.filter((call) => /copy\.json(\.new)?( |$)/.test(call));
      assert.equal(ofCopy.length, 3, calls.join("\n"));
    });
  },
});
