// Tests the stack and the operator's command where the environment names a proxy, as in many
// companies.
import assert from "node:assert/strict";
import { adminAlone } from "../admin/command.ts";
import { ask, startOn, withFolder } from "../support/started.ts";

Deno.test("requests within this machine do not go through the proxy of HTTP_PROXY", async () => {
  const proxied: string[] = [];
  await using proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    proxied.push(url);
    return new Response("The proxy cannot reach this host", { status: 502 });
  });
  const HTTP_PROXY = `http://127.0.0.1:${proxy.addr.port}`;
  const env = { HTTP_PROXY, http_proxy: HTTP_PROXY, NO_PROXY: "", no_proxy: "example.com" };
  await withFolder(async (folder) => {
    const { started, stack } = await startOn(`${folder}/.local`, [], { env });
    assert.equal((await ask(stack, "/contacts?limit=1")).body.data?.length, 1);
    const STACK_FILE = `${folder}/.local/stack.json`;
    const { code, stderr } = await adminAlone(["company", "list"], { env: { ...env, STACK_FILE } });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(await started.end(), [0, ""]);
  });
  assert.deepEqual(proxied, []);
});
