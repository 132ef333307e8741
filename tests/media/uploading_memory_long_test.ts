// Tests that the function `whatsapp` passes on the largest document and never has all of it in
// memory. A hosted function has only 256 MB. The test runs on the installed Deno version and on the
// hosted runtime's version.
import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { startFunction } from "../support/function_process.ts";
import { DENOS, MIB, usageOf } from "../support/function_usage.ts";
import { streamOf } from "../support/media.ts";
import { statement } from "../support/test_stack.ts";

/** The maximum size of a document in bytes. */
const SIZE = 100 * MIB;

/** A channel that accepts every file that arrives completely, and counts the bytes. */
function countingChannel() {
  const got: number[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, onError: () => new Response() },
    async ({ body }) => {
      let count = 0;
      for await (const piece of body!) count += piece.length;
      got.push(count);
      return Response.json({ id: `media-${got.length}` });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v26.0`,
    got,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * A request body from a stream. Deno sends this body with its length, but sends other streams in
 * chunks.
 */
function withLength(stream: ReadableStream<Uint8Array<ArrayBuffer>>, size: number): Blob {
  const blob = new Blob();
  Object.defineProperties(blob, { size: { value: size }, stream: { value: () => stream } });
  return blob;
}

for (const [version, deno] of DENOS) {
  Deno.test(
    `on ${version}, uploading a document of 100 MiB uses at most 80 MiB of memory, and one byte more returns a 413`,
    { ignore: Deno.build.os !== "linux" },
    async () => {
      await using channel = countingChannel();
      await using whatsapp = await startFunction("whatsapp", { channelUrl: channel.url, deno });
      const company = await newCompany();
      const upload = async (size: number, { hasLength }: { hasLength: boolean }) => {
        const response = await fetch(`${whatsapp.url}/media?filename=plans.pdf`, {
          method: "POST",
          headers: {
            Authorization: `Bearer ${company.keys.messaging}`,
            "Content-Type": "application/pdf",
          },
          body: hasLength ? withLength(streamOf(size).body, size) : streamOf(size).body,
        });
        return { status: response.status, body: await response.json() };
      };
      // The first upload also loads the code, so its memory is not measured.
      assert.equal((await upload(100, { hasLength: true })).status, 201);
      const before = usageOf(whatsapp.pid);
      const { status, body } = await upload(SIZE, { hasLength: true });
      assert.deepEqual([status, body.data?.bytes], [201, SIZE], JSON.stringify(body));
      const after = usageOf(whatsapp.pid);
      const grown = (after.memory - before.memory) / MIB;
      const cpu = after.cpu - before.cpu;
      console.log(`${version}: ${Math.round(grown)} MiB more, ${cpu.toFixed(2)} s of CPU`);
      // On an idle machine, the upload uses 18 to 24 MiB. On a busy machine, garbage is collected
      // later.
      assert.ok(grown <= 80, `${grown} MiB`);
      // The multipart body is a little longer than the file.
      assert.ok(channel.got[1] > SIZE && channel.got[1] < SIZE + 2_000, `${channel.got[1]}`);

      const over = await upload(SIZE + 1, { hasLength: false });
      assert.deepEqual([over.status, over.body.code], [413, "payload_too_large"]);
      assert.match(over.body.error, /larger than the 100 MB/);
      assert.equal(channel.got.length, 2, "the channel did not receive the whole file");
      const stored = await statement`
        select from media_uploads where company_id = ${company.id}
      `;
      assert.equal(stored.length, 2);
    },
  );
}
