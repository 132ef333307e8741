// Tests that the gateway streams the largest media file and never has all of it in memory. A hosted
// gateway has only 256 MB. The test runs on the installed Deno version and on the hosted runtime's
// version.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { newCompany } from "../support/company.ts";
import { startFunction } from "../support/function_process.ts";
import { DENOS, MIB, usageOf } from "../support/function_usage.ts";
import { addMedium, facts, streamOf } from "../support/media.ts";

const SIZE = 100 * MIB;

const digest = createHash("sha256");
for await (const piece of streamOf(SIZE).body) digest.update(piece);
const sha256 = digest.digest("hex");

/** A channel that serves a PDF of 100 MiB. */
function largeChannel() {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    if (new URL(url).pathname.startsWith("/files/")) {
      return new Response(streamOf(SIZE).body, { headers: { "Content-Length": String(SIZE) } });
    }
    const told = { mime_type: "application/pdf", sha256, file_size: SIZE };
    return Response.json(facts(new URL(url).origin, new Uint8Array(), told));
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v26.0`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

for (const [version, deno] of DENOS) {
  Deno.test(
    `on ${version}, streaming 100 MiB uses at most 80 MiB of memory, and three simultaneous streams use at most 160 MiB`,
    {
      ignore: Deno.build.os !== "linux",
    },
    async () => {
      await using channel = largeChannel();
      await using gateway = await startFunction("gateway", { channelUrl: channel.url, deno });
      const company = await newCompany();
      const id = await addMedium(company, new Uint8Array(), {
        ...{ type: "document", mime_type: "application/pdf", sha256 },
      });
      const small = await addMedium(company, new Uint8Array(), { sha256: "0".repeat(64) });
      const ask = async (message: string) =>
        await fetch(`${gateway.url}/messages/${message}/media`, {
          headers: { Authorization: `Bearer ${company.keys.read}` },
        });
      const readWhole = async () => {
        const hash = createHash("sha256");
        let size = 0;
        const answer = await ask(id);
        assert.equal(answer.status, 200, answer.ok ? "" : await answer.text());
        for await (const piece of answer.body!) {
          hash.update(piece);
          size += piece.length;
        }
        assert.deepEqual([size, hash.digest("hex")], [SIZE, sha256]);
      };
      // The first read also loads the code, so its memory is not measured.
      const first = await ask(small);
      await first.body!.getReader().read();
      await first.body!.cancel().catch(() => {});
      const before = usageOf(gateway.pid);
      await readWhole();
      const after = usageOf(gateway.pid);
      const grown = (after.memory - before.memory) / MIB;
      const cpu = after.cpu - before.cpu;
      console.log(`${version}: ${Math.round(grown)} MiB more, ${cpu.toFixed(2)} s of CPU`);
      // On an idle machine, streaming uses 22 to 26 MiB. On a busy machine, garbage is collected
      // later.
      assert.ok(grown <= 80, `${grown} MiB`);
      await Promise.all([readWhole(), readWhole(), readWhole()]);
      const three = (usageOf(gateway.pid).memory - before.memory) / MIB;
      console.log(`${version}: three at once, ${Math.round(three)} MiB more`);
      assert.ok(three <= 160, `${three} MiB`);
    },
  );
}
