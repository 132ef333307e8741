// Tests a broken or hostile channel. The service reads only a limited number of bytes for a limited
// time, and every response leads to an outcome.

import assert from "node:assert/strict";
import { constants, deflateRawSync, gzipSync } from "node:zlib";
import { root } from "../../local/checkout.ts";
import { bareChannel, readRequest, write } from "../support/bare_channel.ts";
import { send } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { startFunction } from "../support/function_process.ts";
import { later, logged } from "../support/log_lines.ts";
import { ownSender } from "../support/own_functions.ts";
import { accepted, ledgerOf, ownChannel, template } from "../support/sending.ts";
import { pause } from "../support/started.ts";

const LIMIT = 65_536;
const company = await newCompany();
const key = company.keys.messaging;

/**
 * Sends a message while the channel returns this response. Returns the outcome, and the cause from
 * the log line.
 */
async function outcomeOf(answer: () => Response, timeoutMs?: number) {
  await using channel = ownChannel(answer);
  const send = await ownSender(channel.url, { timeoutMs });
  let body: Record<string, unknown> = {};
  const [line] = await later(20, () =>
    logged(async () => {
      ({ body } = await send(key, template(anyPhone())));
    }));
  return [body.success ? "sent" : body.outcome, JSON.parse(line).cause];
}

/**
 * An endless stream that begins with these bytes, and a promise that resolves when the reader
 * cancels the stream.
 */
function endless(
  piece: () => Uint8Array | Promise<Uint8Array>,
  beginning: Uint8Array = new Uint8Array(),
) {
  const letGo = Promise.withResolvers<void>();
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(beginning),
    pull: async (controller) => controller.enqueue(await piece()),
    cancel: () => letGo.resolve(),
  });
  return { stream, letGo: letGo.promise };
}

const SPACES = new TextEncoder().encode(" ".repeat(LIMIT));
const GZIP_HEADER = Uint8Array.from([31, 139, 8, 0, 0, 0, 0, 0, 0, 255]);
/** 16 MiB of spaces, compressed to 16 KiB. The stream can continue after these bytes. */
const BOMB = deflateRawSync(new Uint8Array(16 * 2 ** 20).fill(32), {
  finishFlush: constants.Z_SYNC_FLUSH,
});

/** Functions that create responses without an end. */
const ENDLESS = {
  "has no end": (status: number) => {
    const { stream, letGo } = endless(() => SPACES);
    return { answer: () => new Response(stream, { status }), letGo };
  },
  "is a gzip bomb": (status: number) => {
    const { stream, letGo } = endless(() => BOMB, GZIP_HEADER);
    const headers = { "Content-Encoding": "gzip" };
    return { answer: () => new Response(stream, { status, headers }), letGo };
  },
};

const BY_STATUS = [[200, "unknown"], [500, "unknown"], [400, "not_sent"], [
  503,
  "not_sent",
]] as const;

for (const [what, channelOf] of Object.entries(ENDLESS)) {
  Deno.test(`a response that ${what} is not read to its end, and the HTTP status decides the outcome`, async () => {
    for (const [status, outcome] of BY_STATUS) {
      const { answer, letGo } = channelOf(status);
      assert.deepEqual(await outcomeOf(answer), [outcome, `HTTP ${status}`]);
      await letGo;
    }
  });

  Deno.test(`a response that ${what} is not read to its end on Deno 2.1.4`, async () => {
    let answer!: () => Response;
    await using channel = ownChannel(() => answer());
    await using sender = await startFunction("send-external-template", {
      channelUrl: channel.url,
      deno: `${root}tools/node_modules/deno/deno`,
    });
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    for (const [status, outcome] of BY_STATUS) {
      const hostile = channelOf(status);
      answer = hostile.answer;
      const json = JSON.stringify(template(anyPhone()));
      const { body } = await send(sender.url, "POST", headers, json);
      assert.equal(body.outcome, outcome, JSON.stringify(body));
      await hostile.letGo;
    }
  });
}

Deno.test("at most 64 KiB of a response are read, counted after decompression", async () => {
  const id = "wamid.x";
  const answerOf = (length: number) => {
    const [begin, end] = [`{"messages":[{"id":"${id}"}],"more":"`, '"}'];
    return new TextEncoder().encode(begin + "x".repeat(length - begin.length - end.length) + end);
  };
  const encodings: [Record<string, string>, (bytes: Uint8Array) => Uint8Array][] = [
    [{ "Content-Encoding": "identity" }, (bytes) => bytes],
    [{ "Content-Encoding": "gzip" }, gzipSync],
  ];
  for (const [headers, encode] of encodings) {
    const outcome = (length: number) =>
      outcomeOf(() => new Response(new Uint8Array(encode(answerOf(length))), { headers }));
    assert.deepEqual(await outcome(LIMIT), ["sent", undefined]);
    assert.deepEqual(await outcome(LIMIT + 1), ["unknown", "HTTP 200"]);
    assert.deepEqual(await outcome(40 * LIMIT), ["unknown", "HTTP 200"]);
  }
});

Deno.test("a response that is too slow is abandoned at the timeout, and its connection is closed", async () => {
  for (const [status, outcome] of [[200, "unknown"], [400, "not_sent"]] as const) {
    const abandoned = async (timeoutMs: number) => {
      const { stream, letGo } = endless(() => pause(1).then(() => SPACES.subarray(0, 1)));
      let isAsked = false;
      const [told, cause] = await outcomeOf(() => {
        isAsked = true;
        return new Response(stream, { status });
      }, timeoutMs);
      if (isAsked) await letGo;
      return { isAsked, told, cause };
    };
    let answer = await abandoned(500);
    // On a busy machine, the response may begin only after this time.
    if (!answer.isAsked || answer.told !== outcome) answer = await abandoned(10_000);
    assert.deepEqual([answer.isAsked, answer.told], [true, outcome]);
    assert.match(answer.cause, status === 200 ? /^TimeoutError: / : /^HTTP 400$/);
  }
});

const OK = "HTTP/1.1 200 OK\r\n";
const ending = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`;
const WITH_ID = ending('{"messages":[{"id":"wamid.x"}]}');

const ODD: Record<string, [answer: string, outcome: string, retryAfter?: string]> = {
  "100 interim responses before the final response": [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(50) +
    OK + WITH_ID,
    "sent",
  ],
  "a protocol switch": [
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n" + WITH_ID,
    "unknown",
  ],
  "a status that does not exist": ["HTTP/1.1 999 Odd\r\n" + WITH_ID, "unknown"],
  "a 204 with a body": ["HTTP/1.1 204 No Content\r\n" + WITH_ID, "unknown"],
  "5,000 headers": [
    OK + Array.from({ length: 5000 }, (_, n) => `X-${n}: x\r\n`).join("") + WITH_ID,
    "unknown",
  ],
  "a header of 1 MB": [OK + `X: ${"x".repeat(1e6)}\r\n` + WITH_ID, "unknown"],
  "a Retry-After of 300,000 digits": [
    `HTTP/1.1 503 Away\r\nRetry-After: ${"9".repeat(300_000)}\r\n` + ending(""),
    "not_sent",
    "86400",
  ],
  "a Retry-After of a thousand dates": [
    `HTTP/1.1 503 Away\r\nRetry-After: ${"Wed, 21 Oct 2099 07:28:00 GMT, ".repeat(1000)} GMT\r\n` +
    "Content-Length: 0\r\n\r\n",
    "not_sent",
  ],
  "a Retry-After that is not text": [
    "HTTP/1.1 503 Away\r\nRetry-After: \xff\xfe\x80\r\n" + ending(""),
    "not_sent",
  ],
  "two different lengths": [OK + "Content-Length: 4\r\n" + WITH_ID, "unknown"],
  "an encoding that the body does not have": [
    OK + "Content-Encoding: gzip\r\n" + WITH_ID,
    "unknown",
  ],
  "malformed chunks": [OK + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "unknown"],
  "a body that looks like a connection error": ["client error (Connect)\r\n\r\n", "unknown"],
  "HTML": [OK + "Content-Type: text/html\r\n" + ending("<h1>Hello</h1>"), "unknown"],
  "JSON that is 30,000 arrays deep": [
    OK + ending("[".repeat(30_000) + "]".repeat(30_000)),
    "unknown",
  ],
  "an id with a null character": [OK + ending('{"messages":[{"id":"wamid.\\u0000x"}]}'), "unknown"],
};

for (const [what, [answer, outcome, retryAfter]] of Object.entries(ODD)) {
  Deno.test(`after a response with ${what}, the outcome is ${outcome}, and the next send is not affected`, async () => {
    await using channel = bareChannel();
    const send = await ownSender(`http://${channel.address}/v26.0`);
    const company = await newCompany();
    const post = (json: unknown) => send(company.keys.messaging, json);
    const answered = (text: string) =>
      channel.become(async (connection) => {
        await readRequest(connection);
        await write(connection, text);
      });
    answered(answer);
    const { body, headers } = await post(template(anyPhone(), { idempotency_key: "once" }));
    assert.equal(body.success ? "sent" : body.outcome, outcome, JSON.stringify(body));
    assert.equal(headers.get("Retry-After"), retryAfter ?? null);
    const states: Record<string, string> = {
      sent: "sent",
      unknown: "pending",
      not_sent: "released",
    };
    assert.equal((await ledgerOf(company))[0].state, states[outcome]);

    answered(OK + WITH_ID);
    assert.equal((await post(template(anyPhone()))).body.whatsapp_message_id, "wamid.x");
  });
}

Deno.test("if a response has several message ids, the first id is used", async () => {
  const others = Array.from({ length: 20_000 }, () => 0);
  const answer = { messages: [{ id: "wamid.x" }, ...others] };
  assert.deepEqual(await outcomeOf(() => Response.json(answer)), ["sent", undefined]);
  assert.deepEqual(await outcomeOf(() => accepted("wamid.y")), ["sent", undefined]);
});
