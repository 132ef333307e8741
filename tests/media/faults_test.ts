// Tests that a corrupt or incomplete media file never reaches the caller as a complete file. Also
// tests that the account's token is never sent to an unknown host.
import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import {
  addMedium,
  facts,
  hex,
  mediaChannel,
  mediaGateway,
  patternOf,
  streamOf,
} from "../support/media.ts";
import { until } from "../support/started.ts";

const company = await newCompany();
const { read: key } = company.keys;
const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, ...Array.from({ length: 500 }, (_, n) => n)]);
const LONG = patternOf(400_000);

interface Got {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** Whether the response was cut off. */
  isBroken: boolean;
}

/** Reads a response, or the part that arrived before the response was cut off. */
async function got(response: Response): Promise<Got> {
  const pieces: number[] = [];
  let isBroken = false;
  try {
    for await (const piece of response.body ?? []) pieces.push(...piece);
  } catch {
    isBroken = true;
  }
  const { status, headers } = response;
  return { status, headers, bytes: Uint8Array.from(pieces), isBroken };
}

async function readFrom(
  channel: { url: string },
  id: string,
  changes: Parameters<typeof mediaGateway>[1] = {},
): Promise<Got> {
  await using own = await mediaGateway(channel.url, changes);
  return await got(await own.ask(key, `/messages/${id}/media`));
}

function assertUnavailable({ status, bytes }: Got) {
  const { code } = JSON.parse(new TextDecoder().decode(bytes));
  assert.deepEqual([status, code], [502, "channel_unavailable"]);
}

Deno.test("a small media file with a wrong digest returns a 502 before the first byte", async () => {
  await using channel = mediaChannel(JPEG);
  assertUnavailable(await readFrom(channel, await addMedium(company, LONG)));
  // Without a digest in the webhook event, the gateway uses the digest that the channel returns
  // with the file's URL.
  await using lying = mediaChannel(JPEG, {
    answer: ({ path }) =>
      path.startsWith("/files/") ? undefined : Response.json(facts(lying.origin, LONG)),
  });
  assertUnavailable(await readFrom(lying, await addMedium(company, JPEG, { sha256: null })));
});

Deno.test("if a large media file has a wrong digest, the response is cut off before its last chunk", async () => {
  await using channel = mediaChannel(LONG);
  const { status, headers, bytes, isBroken } = await readFrom(
    channel,
    await addMedium(company, JPEG),
  );
  assert.deepEqual([status, isBroken, headers.get("Content-Length")], [200, true, "400000"]);
  assert.ok(bytes.length < LONG.length);
});

Deno.test("if the channel's stream is cut off, the caller never receives a complete response", async () => {
  for (const [size, endsAt] of [[400_000, 200_000], [10_000, 0]]) {
    await using channel = mediaChannel(JPEG, {
      answer: ({ path }) =>
        path.startsWith("/files/")
          ? new Response(streamOf(size, endsAt).body)
          : Response.json(facts(channel.origin, patternOf(size))),
    });
    const read = await readFrom(channel, await addMedium(company, patternOf(size)));
    if (endsAt === 0) assertUnavailable(read);
    else assert.deepEqual([read.status, read.isBroken], [200, true]);
  }
});

Deno.test("if a media file has more or fewer bytes than announced, the caller never receives a complete response", async () => {
  for (const change of [-1, 1]) {
    await using channel = mediaChannel(JPEG, {
      answer: ({ path }) =>
        path.startsWith("/files/")
          ? new Response(streamOf(LONG.length).body)
          : Response.json(facts(channel.origin, LONG, { file_size: LONG.length + change })),
    });
    const { isBroken } = await readFrom(channel, await addMedium(company, LONG));
    assert.equal(isBroken, true);
  }
});

Deno.test("an empty media file returns a 502", async () => {
  await using channel = mediaChannel(new Uint8Array(0));
  assertUnavailable(await readFrom(channel, await addMedium(company, new Uint8Array(0))));
});

Deno.test("a media file without a digest is passed on without an `ETag`", async () => {
  await using channel = mediaChannel(LONG, {
    answer: ({ path }) =>
      path.startsWith("/files/")
        ? undefined
        : Response.json(facts(channel.origin, LONG, { sha256: undefined })),
  });
  const { status, bytes, headers } = await readFrom(
    channel,
    await addMedium(company, LONG, { sha256: null }),
  );
  assert.deepEqual([status, hex(bytes), headers.get("ETag")], [200, hex(LONG), null]);
});

for (const status of [401, 403, 404]) {
  Deno.test(`if a file's URL returns ${status}, the gateway requests a new URL once`, async () => {
    let asked = 0;
    await using channel = mediaChannel(JPEG, {
      answer: ({ path }) =>
        path.startsWith("/files/") && asked++ === 0 ? new Response("ended", { status }) : undefined,
    });
    assert.equal((await readFrom(channel, await addMedium(company, JPEG))).status, 200);
    assert.deepEqual(channel.paths.filter((path) => path.startsWith("/v26.0")).length, 2);
    await using never = mediaChannel(JPEG, {
      answer: ({ path }) =>
        path.startsWith("/files/") ? new Response("ended", { status }) : undefined,
    });
    assertUnavailable(await readFrom(never, await addMedium(company, JPEG)));
    assert.equal(never.seen.length, 4);
  });
}

Deno.test("if a file no longer exists on its host, the response is a 410", async () => {
  await using channel = mediaChannel(JPEG, {
    answer: ({ path }) =>
      path.startsWith("/files/") ? new Response("gone", { status: 410 }) : undefined,
  });
  const { status } = await readFrom(channel, await addMedium(company, JPEG));
  assert.equal(status, 410);
});

const STRANGE = [
  "https://files.example.com/1",
  "http://lookaside.fbsbx.com/1",
  "https://lookaside.fbsbx.com:8443/1",
  "https://user:secret@lookaside.fbsbx.com/1",
  "https://fbsbx.com.example.com/1",
  "https://evilfbsbx.com/1",
  "http://169.254.169.254/latest/meta-data",
  "file:///etc/passwd",
  "data:image/jpeg;base64,/9j/",
];

Deno.test("the gateway fetches nothing from an unknown host and follows no redirect to an unknown host", async () => {
  for (const strange of STRANGE) {
    await using named = mediaChannel(JPEG, {
      answer: () => Response.json({ url: strange, sha256: hex(JPEG) }),
    });
    assertUnavailable(await readFrom(named, await addMedium(company, JPEG)));
    await using redirecting = mediaChannel(JPEG, {
      answer: ({ path }) =>
        path.startsWith("/files/")
          ? new Response(null, { status: 302, headers: { Location: strange } })
          : undefined,
    });
    assertUnavailable(await readFrom(redirecting, await addMedium(company, JPEG)));
  }
});

Deno.test("the gateway follows three redirects, but not a fourth", async () => {
  for (const [count, status] of [[3, 200], [4, 502]]) {
    await using channel = mediaChannel(JPEG, {
      answer({ path }) {
        const [, at] = /^\/files\/(\d)$/.exec(path) ?? [];
        if (at === undefined || Number(at) > count) return undefined;
        return new Response(null, { status: 302, headers: { Location: `/files/${+at + 1}` } });
      },
    });
    assert.equal((await readFrom(channel, await addMedium(company, JPEG))).status, status);
  }
});

Deno.test("when the caller disconnects, the gateway stops reading from the channel", async () => {
  const endless = streamOf(100 * 2 ** 20);
  await using channel = mediaChannel(JPEG, {
    answer: ({ path }) =>
      path.startsWith("/files/")
        ? new Response(endless.body)
        : Response.json(facts(channel.origin, LONG, { file_size: 100 * 2 ** 20 })),
  });
  await using own = await mediaGateway(channel.url);
  const id = await addMedium(company, LONG);
  const ending = new AbortController();
  const response = await own.ask(key, `/messages/${id}/media`, { signal: ending.signal });
  const reader = response.body!.getReader();
  await reader.read();
  ending.abort();
  await reader.read().catch(() => {});
  await endless.letGo;
});

Deno.test("the gateway gives up if the channel sends no first byte or the file does not end in time", async () => {
  const silent = Promise.withResolvers<Response>();
  await using channel = mediaChannel(JPEG, {
    answer: ({ path }) => path.startsWith("/files/") ? silent.promise : undefined,
  });
  const id = await addMedium(company, JPEG);
  const patience = { firstByteMs: 300, wholeMs: 60_000 };
  assertUnavailable(await readFrom(channel, id, { mediaPatience: patience }));
  silent.resolve(new Response());

  await using slow = mediaChannel(JPEG, {
    answer: ({ path }) =>
      path.startsWith("/files/")
        ? new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(LONG.slice(0, 100_000)),
          }),
        )
        : Response.json(facts(slow.origin, LONG)),
  });
  const ofSlow = await addMedium(company, LONG);
  const broken = (wholeMs: number) =>
    readFrom(slow, ofSlow, { mediaPatience: { firstByteMs: 20_000, wholeMs } });
  let { status, isBroken } = await broken(1_500);
  // On a busy machine, the file may begin only after this time.
  if (status === 502) ({ status, isBroken } = await broken(15_000));
  assert.deepEqual([status, isBroken], [200, true]);
});

Deno.test("if a web page is declared as an image, the page is served as application/octet-stream", async () => {
  const page = new TextEncoder().encode("<html><script>alert(1)</script>");
  await using channel = mediaChannel(page, { type: "image/png" });
  const { status, headers } = await readFrom(channel, await addMedium(company, page));
  assert.deepEqual([status, headers.get("Content-Type")], [200, "application/octet-stream"]);
  await using html = mediaChannel(page, { type: "text/html" });
  const read = await readFrom(html, await addMedium(company, page));
  assert.equal(read.headers.get("Content-Type"), "application/octet-stream");
});

const NAMES: [given: string | null, plain: string, encoded: string][] = [
  ['a"b\r\nX-Evil: 1.jpg', "abX-Evil: 1.jpg", "abX-Evil%3A%201.jpg"],
  ["../../etc/passwd.jpg", "passwd.jpg", "passwd.jpg"],
  ["C:\\users\\x.jpg", "x.jpg", "x.jpg"],
  ["図.jpg", "_.jpg", "%E5%9B%B3.jpg"],
  ["\u202egpj.exe", "gpj.exe", "gpj.exe"],
  ["it's (1)*.jpg", "its (1)*.jpg", "its%20%281%29%2A.jpg"],
];

Deno.test("no file name can break the `Content-Disposition` header", async () => {
  await using channel = mediaChannel(JPEG);
  for (const [filename, plain, encoded] of NAMES) {
    const { headers } = await readFrom(channel, await addMedium(company, JPEG, { filename }));
    assert.equal(
      headers.get("Content-Disposition"),
      `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    );
  }
  for (const filename of [null, "", '"', "/"]) {
    const id = await addMedium(company, JPEG, { filename });
    const { headers } = await readFrom(channel, id);
    const name = `image-${id}.jpg`;
    assert.equal(
      headers.get("Content-Disposition"),
      `attachment; filename="${name}"; filename*=UTF-8''${name}`,
    );
  }
});

/** A channel whose media files have 50 MiB. The body of each file that it sends goes into `bodies`. */
function longFiles(bodies: ReturnType<typeof streamOf>[]) {
  const size = 50 * 2 ** 20;
  const channel = mediaChannel(JPEG, {
    answer: ({ path }) => {
      if (!path.startsWith("/files/")) {
        return Response.json(facts(channel.origin, LONG, { file_size: size }));
      }
      bodies.push(streamOf(size));
      return new Response(bodies.at(-1)!.body);
    },
  });
  return channel;
}

Deno.test("if other companies already read the maximum number of media files, the error does not blame the caller's company", async () => {
  const bodies: ReturnType<typeof streamOf>[] = [];
  await using channel = longFiles(bodies);
  const share = { atOnce: 1, inAll: 2, waiting: 64, patienceMs: 100 };
  await using own = await mediaGateway(channel.url, { mediaShare: share });
  const ending = new AbortController();
  // The gateway cuts off a response that is not read for ten seconds, so this test creates all rows
  // before the first read.
  const reads = await Promise.all(Array.from({ length: 3 }, async () => {
    const reading = await newCompany();
    const path = `/messages/${await addMedium(reading, LONG)}/media`;
    return () => own.ask(reading.keys.read, path, { signal: ending.signal });
  }));
  // A response that nothing refers to is closed when its memory is freed.
  const open = [await reads[0](), await reads[1]()];
  const refused = await reads[2]();
  const { code, error } = await refused.json();
  assert.deepEqual([refused.status, refused.headers.get("Retry-After"), code], [
    429,
    "2",
    "too_many_requests",
  ]);
  assert.equal(
    error,
    "The service has too many requests of this kind in progress for all companies together; nothing was " +
      "done for this request, so repeat it after the seconds in Retry-After",
  );
  assert.deepEqual(open.map(({ status }) => status), [200, 200]);
  ending.abort();
  await Promise.all(bodies.map(({ letGo }) => letGo));
});

Deno.test("a company can read three media files at a time, and its further reads do not delay another company", async () => {
  const bodies: ReturnType<typeof streamOf>[] = [];
  await using channel = longFiles(bodies);
  const share = { atOnce: 3, inAll: 6, waiting: 64, patienceMs: 1_000 };
  await using own = await mediaGateway(channel.url, { mediaShare: share });
  // The gateway cuts off a response that is not read for ten seconds, so this test creates all rows
  // before the first read.
  const id = await addMedium(company, LONG);
  const other = await newCompany();
  const theirPath = `/messages/${await addMedium(other, LONG)}/media`;
  const ending = new AbortController();
  const all = Array.from(
    { length: 10 },
    () => own.ask(key, `/messages/${id}/media`, { signal: ending.signal }),
  );
  await until(() => bodies.length === 3);
  const theirs = await own.ask(other.keys.read, theirPath, { signal: ending.signal });
  assert.equal(theirs.status, 200);
  assert.equal(bodies.length, 4);
  // Reading a message without its media file does not count towards this limit.
  const row = await own.ask(key, `/messages/${id}`);
  assert.equal(row.status, 200);
  await row.body?.cancel();
  // A response that nothing refers to is closed when its memory is freed.
  const answers = [...await Promise.all(all), theirs];
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    ...[200, 200, 200, 200],
    ...Array(7).fill(429),
  ]);
  ending.abort();
  await Promise.all(bodies.map(({ letGo }) => letGo));
  const again = await own.ask(key, `/messages/${id}/media`);
  assert.equal(again.status, 200);
  await again.body?.cancel();
});
