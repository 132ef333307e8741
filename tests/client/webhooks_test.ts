// Tests verifyWebhook with deliveries that are signed by the reference implementation of Standard
// Webhooks.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import {
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from "../../client/src/webhooks.ts";
import { newSecret, sign } from "../../supabase/functions/_shared/webhooks/signature.ts";
import { BUN, CLIENT, folderWithClient, ran } from "../support/built_client.ts";

/**
 * The maximum size of the entry point `webhooks` in bytes, minified and compressed with gzip. This
 * size does not count towards the size of the main entry point.
 */
const MAX_SIZE = 1700;

const SECRET = newSecret();
const EVENT = {
  id: "evt_0193b7c2f00070008000000000000001",
  type: "deal.won",
  data: { id: "5f0e0f0a-52f5-4f2c-9a3e-6d1f7b0f7c11", title: "Ação 🎉" },
};
const BODY = JSON.stringify(EVENT);

function headersAt(secondsFromNow = 0, secret = SECRET): Record<string, string> {
  const at = new Date(Date.now() + secondsFromNow * 1000);
  return {
    "content-type": "application/json",
    "webhook-id": EVENT.id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(EVENT.id, at, BODY),
  };
}

/** Stops the clock at a whole second. `using` starts the clock again. */
function fixedTime(): Disposable {
  const { now } = Date;
  const fixed = Math.floor(now() / 1000) * 1000;
  Date.now = () => fixed;
  return { [Symbol.dispose]: () => void (Date.now = now) };
}

async function refusal(
  headers: WebhookHeaders,
  body: string = BODY,
  secret: string | string[] = SECRET,
): Promise<[string, string]> {
  const error = await verifyWebhook(headers, body, secret).then(() => null, (thrown) => thrown);
  assert.ok(error instanceof WebhookVerificationError, String(error));
  assert.ok(![secret].flat().some((each) => error.message.includes(each)));
  return [error.code, error.message];
}

Deno.test("`verifyWebhook` returns the event of a delivery, from every supported form of headers and body", async () => {
  const headers = headersAt();
  const bytes = new TextEncoder().encode(BODY);
  for (const each of [headers, new Headers(headers), { ...headers, cookie: ["a", "b"] }]) {
    for (const body of [BODY, bytes, bytes.buffer]) {
      assert.deepEqual(await verifyWebhook(each, body, SECRET), EVENT);
    }
  }
});

Deno.test("a delivery with two signatures can be verified with either secret, or with a list of secrets", async () => {
  const previous = newSecret();
  const [at, other] = [Math.floor(Date.now() / 1000), newSecret()];
  const headers = {
    ...headersAt(),
    "webhook-timestamp": String(at),
    "webhook-signature": `v1a,x ${await sign([SECRET, previous], EVENT.id, at, BODY)}`,
  };
  for (const secret of [SECRET, previous, [other, previous]]) {
    assert.deepEqual(await verifyWebhook(headers, BODY, secret), EVENT);
  }
  assert.deepEqual((await refusal(headers, BODY, other))[0], "wrong_signature");
});

Deno.test("a delivery with a different body, id, time or secret is refused as `wrong_signature`", async () => {
  const headers = headersAt();
  const earlier = String(Number(headers["webhook-timestamp"]) - 1);
  const refused = [
    await refusal(headers, `${BODY} `),
    await refusal(headers, JSON.stringify(EVENT, null, 2)),
    await refusal({ ...headers, "webhook-id": "evt_1" }),
    await refusal({ ...headers, "webhook-timestamp": earlier }),
    await refusal(headers, BODY, newSecret()),
    await refusal(headersAt(-10_000), `${BODY} `),
    await refusal({ ...headers, "webhook-signature": `v1,${btoa("x".repeat(32))}` }),
    await refusal({
      ...headers,
      "webhook-signature": "v1,eA== ".repeat(10) + headers["webhook-signature"],
    }),
  ];
  for (const [code, message] of refused) {
    assert.equal(code, "wrong_signature");
    assert.match(message, /check that the secret belongs to this webhook/);
  }
});

Deno.test("a delivery is refused if its time differs from the current time by more than five minutes", async () => {
  using _time = fixedTime();
  assert.deepEqual(await verifyWebhook(headersAt(-300), BODY, SECRET), EVENT);
  assert.deepEqual(await verifyWebhook(headersAt(300), BODY, SECRET), EVENT);
  assert.match((await refusal(headersAt(-301))).join(" "), /^too_old .* signed 301 s ago/);
  assert.match((await refusal(headersAt(301))).join(" "), /^too_new .* signed 301 s in the future/);
  const hour = { tolerance: 3600 };
  assert.deepEqual(await verifyWebhook(headersAt(-3600), BODY, SECRET, hour), EVENT);
});

Deno.test("if a header is missing or malformed, the error names the header", async () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    for (const value of [undefined, "", []]) {
      const [code, message] = await refusal({ ...headersAt(), [name]: value });
      assert.equal(code, "missing_header");
      assert.match(message, new RegExp(name));
    }
  }
  const malformed = { "webhook-timestamp": "now", "webhook-signature": "v1,%" };
  for (const [name, value] of Object.entries(malformed)) {
    const [code, message] = await refusal({ ...headersAt(), [name]: value });
    assert.equal(code, "malformed_header");
    assert.match(message, new RegExp(name));
  }
  const onlyOthers = { ...headersAt(), "webhook-signature": "v1a,eA== v2,eA== v1 v1," };
  assert.equal((await refusal(onlyOthers))[0], "malformed_header");
});

Deno.test("a signed body that is not an event is refused", async () => {
  for (const body of ["", "[]", "null", "1", "{}", "not JSON"]) {
    const at = new Date();
    const signature = new Webhook(SECRET).sign(EVENT.id, at, body);
    const headers = {
      ...headersAt(),
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signature,
    };
    assert.equal((await refusal(headers, body))[0], "not_an_event");
  }
});

Deno.test("an invalid call throws a `TypeError` that describes the expected argument", async () => {
  const use = (body: unknown, secret: unknown) =>
    verifyWebhook(headersAt(), body as string, secret as string);
  await assert.rejects(use(EVENT, SECRET), /.*before anything parsed it.*express\.raw/);
  await assert.rejects(use(undefined, SECRET), TypeError);
  for (const secret of ["", "sk_live_0123", "whsec_", "whsec_%", undefined, null, 5]) {
    await assert.rejects(use(BODY, secret), /TypeError: The secret is not a webhook secret/);
  }
  await assert.rejects(use(BODY, []), /TypeError: No secret/);
  for (const tolerance of [NaN, -1, "300", null]) {
    const old = verifyWebhook(headersAt(-10_000), BODY, SECRET, { tolerance: tolerance as number });
    await assert.rejects(old, /TypeError: tolerance must be a number of seconds, 0 or more/);
  }
});

Deno.test("Node and Bun verify a delivery with the published package", async () => {
  const folder = await folderWithClient();
  const program = `
    import { verifyWebhook } from "${CLIENT}/webhooks";
    const event = await verifyWebhook(${JSON.stringify(headersAt())}, ${
    JSON.stringify(BODY)
  }, "${SECRET}");
    console.log(event.data.title);
  `;
  const file = `${folder}/verify_${crypto.randomUUID()}.mjs`;
  await Deno.writeTextFile(file, program);
  for (const runtime of ["node", BUN]) assert.equal((await ran(runtime, [file])).trim(), "Ação 🎉");
});

Deno.test("`verifyWebhook` is a separate entry point of the package, smaller than 1.7 kB when it is minified and compressed", async () => {
  const built = (entry: string) =>
    ran(BUN, ["build", "--minify", "--format=esm", `client/src/${entry}.ts`]);
  const [main, minified] = await Promise.all(["main", "webhooks"].map(built));
  const gzipped = new Blob([minified]).stream().pipeThrough(new CompressionStream("gzip"));
  const { byteLength } = await new Response(gzipped).arrayBuffer();
  assert.ok(byteLength < MAX_SIZE, `${byteLength} bytes`);
  assert.deepEqual([main, minified].map((text) => text.includes("whsec_")), [false, true]);
});
