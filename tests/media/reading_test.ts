// Tests GET /messages/{id}/media, which returns the file that a person sent. Each test starts a
// server that simulates the channel.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { mediumOf, newCompany, newCompanyWithTemplate } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { backgroundWork, ownGateway, watchedStack } from "../support/own_functions.ts";
import { addMedium, hex, mediaChannel, mediaGateway, patternOf } from "../support/media.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { addMessage } from "../support/company.ts";

const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, ...Array.from({ length: 500 }, (_, n) => n)]);
const company = await newCompany();
const { read: key } = company.keys;

/** Reads a whole media file. */
async function readFrom(
  channel: { url: string },
  id: string,
  options: Parameters<Awaited<ReturnType<typeof mediaGateway>>["ask"]>[2] = {},
) {
  await using own = await mediaGateway(channel.url);
  const response = await own.ask(key, `/messages/${id}/media`, options);
  const bytes = await response.bytes();
  const isJson = bytes.length > 0 &&
    response.headers.get("Content-Type") === "application/json";
  const body = isJson ? JSON.parse(new TextDecoder().decode(bytes)) : null;
  return { status: response.status, headers: response.headers, bytes, body };
}

Deno.test("the response has exactly the bytes that the person sent, and needs one round trip and two requests to the channel", async () => {
  const bytes = patternOf(300_000);
  await using channel = mediaChannel(bytes, { type: "application/pdf" });
  const id = await addMedium(company, bytes, {
    ...{ type: "document", mime_type: "application/pdf", filename: 'Prüfung "1".pdf' },
  });
  await using database = watchedStack();
  await using own = await mediaGateway(channel.url, { supabaseUrl: database.url });
  await (await own.ask(key, "/pipelines")).body?.cancel(); // records the key's use
  database.seen.length = 0;
  const response = await own.ask(key, `/messages/${id}/media`);
  const { status, headers } = response;
  assert.deepEqual([status, hex(await response.bytes())], [200, hex(bytes)]);
  assert.deepEqual(
    Object.fromEntries(
      ["content-type", "content-length", "content-disposition", "etag", "cache-control"].concat(
        ["x-content-type-options", "content-security-policy", "accept-ranges"],
      ).map((name) => [name, headers.get(name)]),
    ),
    {
      "content-type": "application/pdf",
      "content-length": "300000",
      "content-disposition":
        "attachment; filename=\"Pr_fung 1.pdf\"; filename*=UTF-8''Pr%C3%BCfung%201.pdf",
      etag: `"${hex(bytes)}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox",
      "accept-ranges": "none",
    },
  );
  assert.deepEqual(
    database.seen.filter(({ path }) => !path.endsWith("/authenticate")),
    [{ method: "GET", path: "/rest/v1/rpc/media_of_message" }],
  );
  assert.deepEqual(channel.paths, ["/v26.0/1234567890", "/files/1"]);
  assert.deepEqual(channel.seen.map(({ token }) => token), [
    "Bearer sandbox-token",
    "Bearer sandbox-token",
  ]);
  assert.equal(
    new URL(channel.seen[0].url).searchParams.get("phone_number_id"),
    company.phone_number_id,
  );
});

Deno.test("if the caller already has the file, the response is a 304, and the channel is not called", async () => {
  await using channel = mediaChannel(JPEG);
  const id = await addMedium(company, JPEG);
  for (const tag of [`"${hex(JPEG)}"`, `W/"${hex(JPEG)}"`, "*"]) {
    const { status, headers, bytes } = await readFrom(channel, id, {
      headers: { "If-None-Match": tag },
    });
    assert.deepEqual([status, bytes.length, headers.get("ETag")], [304, 0, `"${hex(JPEG)}"`]);
  }
  assert.deepEqual(channel.seen, []);
  const other = await readFrom(channel, id, { headers: { "If-None-Match": '"374810"' } });
  assert.equal(other.status, 200);
});

Deno.test("for a HEAD request, the service asks the channel for the size and does not download the file", async () => {
  await using channel = mediaChannel(JPEG);
  const id = await addMedium(company, JPEG);
  const { status, headers, bytes } = await readFrom(channel, id, { method: "HEAD" });
  assert.deepEqual([status, bytes.length, headers.get("Content-Length")], [
    200,
    0,
    String(JPEG.length),
  ]);
  assert.equal(headers.get("ETag"), `"${hex(JPEG)}"`);
  assert.equal(headers.get("Content-Type"), "image/jpeg");
  assert.deepEqual(channel.paths, ["/v26.0/1234567890"]);
});

Deno.test("the `Range` header is ignored", async () => {
  await using channel = mediaChannel(JPEG);
  const id = await addMedium(company, JPEG);
  const { status, bytes } = await readFrom(channel, id, { headers: { Range: "bytes=0-3" } });
  assert.deepEqual([status, bytes.length], [200, JPEG.length]);
});

Deno.test("a message without a media file, an outbound message and another company's message return a 404", async () => {
  await using channel = mediaChannel(JPEG);
  const other = await newCompany();
  const text = await withDatabase((sql) => addMessage(sql, company));
  const outbound = await withDatabase((sql) =>
    addMessage(sql, company, {
      ...{ direction: "outbound", outcome: "accepted", type: "image" },
      media: mediumOf("picture"),
    })
  );
  const foreign = await addMedium(other, JPEG);
  for (
    const [id, error] of [
      [text, "The message has no medium"],
      [outbound, "The message has no medium"],
      [foreign, "Message not found"],
      [crypto.randomUUID(), "Message not found"],
    ]
  ) {
    const { status, body } = await readFrom(channel, id);
    assert.deepEqual([status, body.code, body.error], [404, "not_found", error]);
  }
  assert.deepEqual(channel.seen, []);
});

Deno.test("an erased contact's media file returns a 404, and no data about the file remains", async () => {
  await using channel = mediaChannel(JPEG);
  const own = await newCompany();
  const id = await addMedium(own, JPEG, { filename: "secret.jpg" });
  const json = { confirm: own.contact_id };
  const erased = await call(own.keys.write, "POST", `/contacts/${own.contact_id}/erase`, { json });
  assert.equal(erased.status, 200);
  await using app = await mediaGateway(channel.url);
  const { status } = await app.ask(own.keys.read, `/messages/${id}/media`);
  assert.equal(status, 404);
  const [{ media }] = await statement`select media from messages where id = ${id}`;
  assert.deepEqual([media, channel.seen], [null, []]);
});

Deno.test("an expired media file returns a 410, and the channel is not called", async () => {
  await using channel = mediaChannel(JPEG);
  const expires_at = new Date(Date.now() - 1000).toISOString();
  const id = await addMedium(company, JPEG, { expires_at });
  const { status, body } = await readFrom(channel, id, {
    headers: { "If-None-Match": `"${hex(JPEG)}"` },
  });
  assert.deepEqual([status, body.code], [410, "media_expired"]);
  assert.ok(body.error.includes(expires_at), body.error);
  assert.deepEqual(channel.seen, []);
});

Deno.test("a media file without an expiry time is requested from the channel", async () => {
  await using channel = mediaChannel(JPEG);
  const id = await addMedium(company, JPEG, { expires_at: null });
  assert.equal((await readFrom(channel, id)).status, 200);
});

Deno.test("a message from a disconnected account returns a 404 account_not_connected", async () => {
  await using channel = mediaChannel(JPEG);
  const own = await newCompany();
  const id = await addMedium(own, JPEG);
  await statement`
    update messaging_accounts set disconnected_at = now(), encrypted_token = null where id = ${own.account_id}
  `;
  await using app = await mediaGateway(channel.url);
  const response = await app.ask(own.keys.read, `/messages/${id}/media`);
  assert.deepEqual([response.status, (await response.json()).code], [404, "account_not_connected"]);
  assert.deepEqual(channel.seen, []);
});

/** Channel failures, and the gateway's response to each failure. */
const FAILURES: [name: string, answer: () => Response, status: number, code: string][] = [
  [
    "an invalid token",
    () => Response.json({ error: { code: 190, message: "EAAB" } }, { status: 401 }),
    ...[500, "channel_account_error"] as const,
  ],
  [
    "a missing permission",
    () => Response.json({ error: { code: 10, message: "no" } }, { status: 403 }),
    ...[500, "channel_account_error"] as const,
  ],
  [
    "too many calls",
    () =>
      Response.json({ error: { code: 130429, message: "slow" } }, {
        ...{ status: 429, headers: { "Retry-After": "7" } },
      }),
    ...[502, "channel_unavailable"] as const,
  ],
  ["a channel that is down", () => new Response("no", { status: 503 }), 502, "channel_unavailable"],
  ["a response that is not JSON", () => new Response("<html>"), 502, "channel_unavailable"],
  ["a response without a url field", () => Response.json({ id: "1" }), 502, "channel_unavailable"],
  [
    "a url field that is not a valid URL",
    () => Response.json({ url: "::", id: "1" }),
    ...[502, "channel_unavailable"] as const,
  ],
  [
    "a declared size of more than 100 MB",
    () => Response.json({ url: "https://lookaside.fbsbx.com/1", file_size: 104_857_601 }),
    ...[502, "channel_unavailable"] as const,
  ],
];

for (const [name, answer, status, code] of FAILURES) {
  Deno.test(`${name} causes a ${status} ${code}`, async () => {
    await using channel = mediaChannel(JPEG, { answer });
    const id = await addMedium(company, JPEG);
    for (const method of ["GET", "HEAD"]) {
      if (method === "HEAD" && name.includes("URL")) continue; // HEAD never uses the URL
      const read = await readFrom(channel, id, { method });
      assert.equal(read.status, status);
      if (method === "GET") {
        assert.equal(read.body.code, code);
        assert.doesNotMatch(JSON.stringify(read.body), /sandbox-token|127\.0\.0\.1|fbsbx/);
        assert.equal("outcome" in read.body, false);
      }
      assert.equal(read.headers.get("Retry-After"), name === "too many calls" ? "7" : null);
    }
  });
}

Deno.test("an account token that cannot be decrypted causes a 500 channel_account_error", async () => {
  await using channel = mediaChannel(JPEG);
  const own = await newCompany();
  const id = await addMedium(own, JPEG);
  await statement`
    update messaging_accounts set encrypted_token = 'e30..AAAA.AAAA.AAAA' where id = ${own.account_id}
  `;
  await using app = await mediaGateway(channel.url);
  let response!: Response;
  const lines = await later(20, () =>
    logged(async () => {
      response = await app.ask(own.keys.read, `/messages/${id}/media`);
    }));
  assert.deepEqual([response.status, (await response.json()).code], [500, "channel_account_error"]);
  assert.deepEqual(channel.seen, []);
  assert.match(lines[0], /"event":"account_token_unusable"/);
});

Deno.test("the log has a line for each of at most 10 downloads in ten seconds", async () => {
  await using channel = mediaChannel(JPEG);
  const id = await addMedium(company, JPEG);
  await using own = await mediaGateway(channel.url);
  const lines = await later(20, () =>
    logged(async () => {
      for (let count = 0; count < 15; count++) {
        const response = await own.ask(key, `/messages/${id}/media`);
        assert.equal((await response.bytes()).length, JPEG.length);
      }
      await backgroundWork();
    }));
  const events = lines.map((line) => JSON.parse(line).event);
  assert.deepEqual(events, Array(10).fill("media_read"));
});

Deno.test("an operation that returns a file returns every error as JSON", async () => {
  const request = await ownGateway(stack.url);
  const { media_message_id, keys } = await newCompanyWithTemplate();
  const path = `/messages/${media_message_id}/media`;
  for (
    const [who, method, given, status] of [
      [keys.write, "GET", path, 403],
      [keys.read, "POST", path, 403],
      [keys.all, "POST", path, 405],
      [keys.read, "GET", `${path}?x=1`, 422],
      [keys.read, "GET", "/messages/x/media", 422],
    ] as const
  ) {
    const answer = await request(who, method, given);
    assert.equal(answer.status, status);
    assert.equal(answer.body.request_id, answer.headers.get("X-Request-Id"));
  }
});
