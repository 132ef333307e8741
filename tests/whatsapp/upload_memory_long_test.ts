// Tests that a function with 256 MB of memory for all requests can upload the largest sample.

import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { pause } from "../support/started.ts";

const MIB = 2 ** 20;
const SIZE = 100 * MIB;
/** An upload that reads the whole sample first would need more than 160 MiB. */
const LIMIT = 150 * MIB;
const PIECE = new Uint8Array(65_536).fill(7);

/**
 * A server that sends a document of 100 MiB, and a server that counts the bytes it receives. The
 * second server is slow at first.
 */
function servers(says: { length: boolean }) {
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  let left = SIZE;
  const host = Deno.serve(options, () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left <= 0) return controller.close();
        controller.enqueue(PIECE.slice(0, Math.min(left, PIECE.length)));
        left -= PIECE.length;
      },
    });
    const length = says.length ? { "Content-Length": String(SIZE) } : undefined;
    return new Response(body, { headers: { "Content-Type": "application/pdf", ...length } });
  });
  let count = 0;
  const channel = Deno.serve(options, async ({ body }) => {
    let slow = 500;
    for await (const bytes of body!) {
      count += bytes.length;
      // The pause gives the host enough time to send the whole document.
      if (slow-- > 0) await pause(1);
    }
    return Response.json({ id: "media-1" });
  });
  return {
    origins: [host, channel].map(({ addr }) => `http://127.0.0.1:${addr.port}`),
    received: () => count,
    [Symbol.asyncDispose]: async () => {
      await host.shutdown();
      await channel.shutdown();
    },
  };
}

/** The Deno version of the hosted runtime. */
const HOSTED_DENO = `${root}tools/node_modules/deno/deno`;
/**
 * The hosted runtime's Deno uploads samples with and without a declared length. The tests' own Deno
 * uploads only samples without a declared length.
 */
const CASES: [length: boolean, deno: string, version: string][] = [
  [true, HOSTED_DENO, "the hosted runtime's Deno"],
  [false, HOSTED_DENO, "the hosted runtime's Deno"],
  [false, Deno.execPath(), "the current Deno"],
];

for (const [length, deno, version] of CASES) {
  const what = length ? "a sample" : "a sample of unknown length";
  Deno.test(`on ${version}, ${what} of 100 MiB is uploaded with less than 150 MiB of memory`, {
    ignore: Deno.build.os !== "linux",
  }, async () => {
    await using both = servers({ length });
    const { code, stdout, stderr } = await new Deno.Command(deno, {
      args: [
        // In Deno, only processes with all permissions can read /proc.
        ...["run", "--no-check", "--allow-all"],
        ...[`${root}tests/whatsapp/upload_process.ts`, ...both.origins],
      ],
      cwd: root,
      env: { NO_COLOR: "1" },
    }).output();
    const [printed, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.equal(code, 0, error);
    assert.ok(both.received() > SIZE);
    const peak = Number(printed);
    assert.ok(peak > 10 * MIB && peak < LIMIT, `${Math.round(peak / MIB)} MiB`);
  });
}
