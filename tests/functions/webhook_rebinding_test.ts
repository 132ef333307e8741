// Tests protection against DNS rebinding. If the IP address of a host name changes between the
// lookup and the connection, the new machine has no certificate for the name. The TLS handshake
// fails before any HTTP data is sent.
import assert from "node:assert/strict";
import { checkAddress } from "../../supabase/functions/_shared/webhooks/address.ts";
import type { Try } from "../../supabase/functions/webhooks/deliver/delivery.ts";
import { post } from "../../supabase/functions/webhooks/deliver/post.ts";
import { certificateFor } from "../support/certificate.ts";
import { reboundTo } from "../support/rebound_name.ts";

const ADDRESS = "https://hooks.example.com/in?token=of-the-receiver";
const [own, foreign] = await Promise.all(
  ["hooks.example.com", "metadata.example.net"].map(certificateFor),
);

/** Makes a delivery through this client after a DNS lookup that found a public IP address. */
async function delivered(client: Deno.HttpClient): Promise<Try> {
  const resolve = (_host: string, type: string) =>
    Promise.resolve(type === "A" ? ["93.184.215.14"] : []);
  assert.equal(await checkAddress(ADDRESS, { resolve }), null);
  const usual = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const options = { ...init, client };
    return usual(input, options);
  };
  try {
    return (await post(ADDRESS, {}, new TextEncoder().encode("a body"), 10_000)).try;
  } finally {
    globalThis.fetch = usual;
  }
}

Deno.test("if a host's IP address changes after the DNS lookup, no HTTP data reaches the new machine", async () => {
  // Both certificates are trusted: only the name is wrong.
  await using machine = reboundTo(foreign, [own, foreign]);
  for (let times = 0; times < 20; times++) {
    const { status, failure } = await delivered(machine.client);
    assert.deepEqual([status, failure], [null, "tls"]);
  }
  assert.deepEqual(machine.seen, { connections: 20, bytes: 0 });
});

Deno.test("a machine with a certificate for the host name receives the request, whatever its IP address is", async () => {
  await using machine = reboundTo(own, [own, foreign]);
  assert.equal((await delivered(machine.client)).status, 204);
  assert.equal(machine.seen.connections, 1);
  assert.ok(machine.seen.bytes > 0);
});

Deno.test("a redirect is not followed", async () => {
  const away =
    "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://169.254.169.254/\r\nContent-Length: 0\r\n\r\n";
  await using machine = reboundTo(own, [own], away);
  assert.equal((await delivered(machine.client)).status, 307);
  assert.equal(machine.seen.connections, 1);
});
