// Tests that the reference implementation of Standard Webhooks verifies the signatures of
// deliveries.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { newSecret, sign } from "../../supabase/functions/_shared/webhooks/signature.ts";

const id = "evt_0193b7c2f00070008000000000000001";
const body = JSON.stringify({ type: "deal.won", data: { title: "Olá, Ação 🎉" } });
const now = () => Math.floor(Date.now() / 1000);

async function headersOf(secrets: string[], at = now(), content: string | Uint8Array = body) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": await sign(secrets, id, at, content),
  };
}

Deno.test("the reference implementation verifies a delivery whose body was signed as text or as bytes", async () => {
  const secret = newSecret();
  const receiver = new Webhook(secret);
  assert.deepEqual(receiver.verify(body, await headersOf([secret])), JSON.parse(body));
  const bytes = new TextEncoder().encode(body);
  receiver.verify(body, await headersOf([secret], now(), bytes));
  const at = new Date();
  assert.equal(
    await sign([secret], id, Math.floor(at.getTime() / 1000), body),
    receiver.sign(id, at, body),
  );
});

Deno.test("while a webhook has two secrets, each of them verifies a delivery; afterwards, only the new secret does", async () => {
  const [current, previous] = [newSecret(), newSecret()];
  const overlap = await headersOf([current, previous]);
  assert.match(overlap["webhook-signature"], /^v1,[A-Za-z\d+/]{43}= v1,[A-Za-z\d+/]{43}=$/);
  new Webhook(current).verify(body, overlap);
  new Webhook(previous).verify(body, overlap);
  const afterwards = await headersOf([current]);
  new Webhook(current).verify(body, afterwards);
  assert.throws(() => new Webhook(previous).verify(body, afterwards), /No matching signature/);
});

Deno.test("a different body, id or time gives a different signature", async () => {
  const secret = newSecret();
  const receiver = new Webhook(secret);
  const headers = await headersOf([secret]);
  const refuses = (text: string, changed: Record<string, string>) =>
    assert.throws(() => receiver.verify(text, { ...headers, ...changed }), /No matching signature/);
  refuses(`${body} `, {});
  refuses(body, { "webhook-id": `${id}0` });
  refuses(body, { "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) });
});

Deno.test("a secret consists of `whsec_` and 32 random bytes, and no two secrets are equal", () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  assert.equal(new Set(secrets).size, 100);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z\d+/]{43}=$/);
    assert.equal(atob(secret.slice(6)).length, 32);
  }
});

Deno.test("the error about a malformed secret does not contain the secret", async () => {
  for (
    const secret of [
      "",
      "whsec_",
      "whsec_short",
      "sk_live_0123456789012345678901234567890123",
      "whsec_é",
    ]
  ) {
    await assert.rejects(sign([newSecret(), secret], id, now(), body), (error: Error) => {
      assert.equal(error.message, "The secret of the webhook must be whsec_ followed by base64");
      return true;
    });
  }
});
