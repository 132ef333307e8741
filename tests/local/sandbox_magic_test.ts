// Tests the recipients for which the sandbox simulates errors and failures of the channel.
import assert from "node:assert/strict";
import { MAGIC } from "../../sandbox/magic.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { takenFrom } from "../support/sending.ts";
import { stack } from "../support/test_stack.ts";
import { root } from "../../local/checkout.ts";

function post(phoneNumberId: string, to: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${stack.url}/sandbox/v26.0/${phoneNumberId}/messages`, {
    method: "POST",
    headers: { Authorization: `Bearer ${SANDBOX_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      messaging_product: "whatsapp",
      to,
      type: "template",
      template: { name: "hello_world", language: { code: "en_US" }, components: [] },
    }),
    ...init,
  });
}

/** Asserts that no response arrives within a short time. */
async function assertSilent(from: string, to: string) {
  const leave = new AbortController();
  const answer = post(from, to, { signal: leave.signal });
  answer.catch(() => {});
  const moment = new Promise((resolve) => setTimeout(resolve, 300, "silence"));
  assert.equal(await Promise.race([answer, moment]), "silence");
  leave.abort();
}

/** For each recipient, a function that checks the responses and counts the stored messages. */
const ANSWERS: Record<string, (from: string, to: string) => Promise<number>> = {
  "+15551000001": async (from, to) => {
    for (const sender of [from, anyPhoneNumberId()]) {
      for (const [status, code] of [[429, 130429], [429, 130429], [200], [200]]) {
        const answer = await post(sender, to);
        assert.equal(answer.status, status);
        assert.equal((await answer.json()).error?.code, code);
      }
    }
    return 2;
  },
  "+15551000002": async (from, to) => {
    const answer = await post(from, to);
    assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "30"]);
    assert.doesNotMatch(await answer.text(), /^\s*[{[]/);
    return 0;
  },
  "+15551000003": async (from, to) => {
    await assertSilent(from, to);
    return 1;
  },
  "+15551000004": async (from, to) => {
    await assertSilent(from, to);
    return 1;
  },
  "+15551000005": async (from, to) => {
    await assert.rejects(post(from, to).then((answer) => answer.text()));
    return 1;
  },
  "+15551000006": async (from, to) => {
    const answer = await post(from, to);
    assert.equal(answer.status, 500);
    assert.doesNotMatch(await answer.text(), /^\s*[{[]/);
    return 1;
  },
  "+15551000007": async (from, to) => {
    const answer = await post(from, to);
    assert.equal(answer.status, 200);
    assert.equal((await answer.json()).messages, undefined);
    return 1;
  },
};

for (const [to, { does }] of Object.entries(MAGIC)) {
  Deno.test(`the recipient ${to} ${does}`, async () => {
    const from = anyPhoneNumberId();
    const kept = await ANSWERS[to](from, to);
    const taken = await takenFrom({ phone_number_id: from });
    assert.deepEqual(taken.map(({ message }) => message.to), Array(kept).fill(to));
  });
}

Deno.test("docs/sandbox.md lists exactly these recipients", async () => {
  const page = await Deno.readTextFile(`${root}docs/sandbox.md`);
  const listed = page.matchAll(/^\| `(\+1555100\d{4})` \| (.+) \|$/gm);
  assert.deepEqual(
    Array.from(listed, ([, to, does]) => [to, does]),
    Object.entries(MAGIC).map(([to, { does }]) => [to, does]),
  );
});
