// Tests the channel's error messages in responses, the log and the database. They are short,
// readable and never contain the account's access token.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { passedOn } from "../../supabase/functions/_shared/channel/channel_words.ts";
import type { SendOutcome } from "../../supabase/functions/_shared/channel/outcome.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { anyCharacter } from "../support/nasty_text.ts";
import { ownSender } from "../support/own_functions.ts";
import { runs } from "../support/runs.ts";
import { ledgerOf, ownChannel, setToken, storedMessage, template } from "../support/sending.ts";
import { snapshot } from "../support/snapshot.ts";

/**
 * A token that is as long as a real token. No other string in these tests contains a part of this
 * token.
 */
const TOKEN = "EAAG" + Array.from({ length: 28 }, (_, n) => `q${n}/Zx+${n * 7}_`).join("");

/**
 * Sends a message while the channel responds with this body. Returns the service's response, the
 * log lines and the stored rows.
 */
async function sendTo(text: string, status = 400) {
  const company = await newCompany();
  await setToken(company, TOKEN);
  await using channel = ownChannel(() => new Response(text, { status }));
  const send = await ownSender(channel.url);
  let answer!: Awaited<ReturnType<typeof send>>;
  const [line] = await later(20, () =>
    logged(async () => {
      answer = await send(company.keys.messaging, template(anyPhone()));
    }));
  assert.equal(channel.calls[0].headers.get("Authorization"), `Bearer ${TOKEN}`);
  const stored = JSON.stringify(await snapshot(company.id));
  return { ...answer, line, everything: JSON.stringify(answer.body) + line + stored };
}

const refusal = (message: string, details?: string, fbtrace_id?: string) =>
  JSON.stringify({ error: { code: 132001, message, error_data: { details }, fbtrace_id } });

function assertWithoutToken(text: string) {
  for (let at = 0; at + 8 <= TOKEN.length; at++) {
    const piece = TOKEN.slice(at, at + 8);
    assert.ok(!text.includes(piece), `${piece} in ${text}`);
  }
}

Deno.test("the message and the details of a channel error are cut to 1,000 characters each, and the trace id to 128", async () => {
  const [message, details] = ["Too long. ".repeat(2000), "🚚".repeat(2000)];
  const { status, body, line } = await sendTo(refusal(message, details, "T".repeat(5000)));
  assert.deepEqual([status, body.channel], [422, {
    code: 132001,
    message: `${message.slice(0, 999)}…`,
    details: `${"🚚".repeat(999)}…`,
  }]);
  assert.equal(JSON.parse(line).channel_trace_id, `${"T".repeat(127)}…`);

  const fitting = ["x".repeat(1000), "🚚".repeat(1000)];
  const whole = await sendTo(refusal(fitting[0], fitting[1], "T".repeat(128)));
  assert.deepEqual([whole.body.channel.message, whole.body.channel.details], fitting);
  assert.equal(JSON.parse(whole.line).channel_trace_id, "T".repeat(128));
});

Deno.test("a 2 MB error message of the channel is not passed to the caller, and the channel's HTTP status decides the outcome", async () => {
  const text = refusal("x".repeat(2e6));
  const refused = await sendTo(text);
  assert.deepEqual([refused.status, refused.body.outcome], [502, "not_sent"]);
  const failed = await sendTo(text, 500);
  assert.deepEqual([failed.status, failed.body.outcome], [502, "unknown"]);
  for (const { everything } of [refused, failed]) assert.ok(!everything.includes("xxxx"));
});

Deno.test("if the channel refuses a send, the stored failure contains the channel's message, unless the error is about the account", async () => {
  const { code, message } = { code: 132001, message: "(#132001) No\u0000 template \ud83d" };
  const told: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      { code, message, error_data: { details: "welcome\u0000 in pt_BR" } },
      {
        reason: "template_rejected",
        code,
        message: "(#132001) No  template \ufffd",
        details: "welcome  in pt_BR",
      },
    ],
    [{ code, message: "" }, { reason: "template_rejected", code, message: null, details: null }],
    [
      { code: 130429, message: "(#130429) Too many" },
      { reason: "channel_unavailable", code: 130429, message: "(#130429) Too many", details: null },
    ],
    [
      { code: 190, message: "(#190) Malformed token EAA", error_data: { details: "EAA" } },
      { reason: "channel_account_error", code: 190, message: null, details: null },
    ],
  ];
  for (const [error, failure] of told) {
    const company = await newCompany();
    await using channel = ownChannel(() => Response.json({ error }, { status: 400 }));
    const send = await ownSender(channel.url);
    await send(company.keys.messaging, template(anyPhone()));
    const [{ message_id }] = await ledgerOf(company);
    const stored = await storedMessage(message_id);
    assert.deepEqual([stored.status, stored.failure], ["failed", failure]);
    assert.ok(stored.failed_at);
  }
});

Deno.test("channel messages keep line breaks, but control characters and lone surrogates are replaced", async () => {
  const half = "\ud83d";
  const { body, line } = await sendTo(
    refusal(`a\0b\x1b[31mc\r\nd\te\x7f\x85f${half}g🚚`, `${half}`, `t\0${half}\u0007`),
  );
  assert.deepEqual(
    body.channel,
    { code: 132001, message: "a b [31mc \nd\te  f\ufffdg🚚", details: "\ufffd" },
  );
  assert.equal(JSON.parse(line).channel_trace_id, "t \ufffd ");
});

const QUOTATIONS: Record<string, [said: string, told: string]> = {
  "the whole token": [`Malformed access token ${TOKEN}.`, "Malformed access token [access token]."],
  "the token twice": [`${TOKEN} is not ${TOKEN}`, "[access token] is not [access token]"],
  "the beginning of the token": [
    `Token ${TOKEN.slice(0, 20)}… is old`,
    "Token [access token]… is old",
  ],
  "the end of the token": [`Token …${TOKEN.slice(-8)}`, "Token …[access token]"],
  "a part of the token": [`(${TOKEN.slice(90, 130)})`, "([access token])"],
  "two consecutive parts of the token": [
    TOKEN.slice(0, 30) + TOKEN.slice(60, 90),
    "[access token][access token]",
  ],
  "a token across the place where the message is cut": [
    "-".repeat(980) + TOKEN,
    `${"-".repeat(980)}[access token]`,
  ],
  "a token before the place where the message is cut": [
    "-".repeat(990) + TOKEN + "-",
    `${"-".repeat(990)}[access t…`,
  ],
};

for (const [what, [said, told]] of Object.entries(QUOTATIONS)) {
  Deno.test(`a placeholder replaces the access token in a channel message: ${what}`, async () => {
    // In JSON, a character can be written in several ways.
    const escaped = refusal(said, said, said).replaceAll("/", "\\/").replaceAll("Z", "\\u005a");
    for (const text of [refusal(said, said, said), escaped]) {
      const { body, everything } = await sendTo(text);
      assert.deepEqual(body.channel, { code: 132001, message: told, details: told });
      assertWithoutToken(everything);
    }
  });
}

Deno.test("seven consecutive characters of the token may remain in a channel message", async () => {
  const said = `It begins with ${TOKEN.slice(0, 7)}`;
  assert.equal((await sendTo(refusal(said))).body.channel.message, said);
});

Deno.test("a message id that contains the token is ignored, so the outcome is unknown", async () => {
  for (const id of [TOKEN, `wamid.${TOKEN.slice(4, 30)}`]) {
    const { status, body, everything } = await sendTo(JSON.stringify({ messages: [{ id }] }), 200);
    assert.deepEqual([status, body.outcome], [502, "unknown"]);
    assertWithoutToken(everything);
  }
});

Deno.test("shortened channel messages are well-formed and never contain the token", () => {
  const token = fc.string({ unit: fc.constantFrom(..."Eab/"), minLength: 8, maxLength: 60 });
  const said = (token: string) => {
    const [at, length] = [fc.nat(token.length), fc.nat(token.length)];
    const piece = fc.tuple(at, length).map(([at, length]) => token.slice(at, at + length));
    const noise = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("\ud83d", "🚚", "\n"),
    );
    const texts = fc.array(fc.oneof(piece, noise), { maxLength: 300, size: "max" });
    return texts.map((texts) => texts.join(""));
  };
  const cases = token.chain((token) => fc.tuple(fc.constant(token), said(token), said(token)));
  const property = fc.property(cases, ([token, message, details]) => {
    const outcome: SendOutcome = {
      kind: "not_taken",
      error: "channel_unavailable",
      channel: { code: 4, message, details, traceId: message },
      cause: details,
    };
    const { channel, cause } = passedOn(outcome, token) as typeof outcome;
    const told: [string, number][] = [
      [channel!.message, 1000],
      [channel!.details!, 1000],
      [channel!.traceId!, 128],
      [cause, 500],
    ];
    for (const [text, max] of told) {
      assert.ok([...text].length <= max && text.isWellFormed());
      assert.doesNotMatch(text, /[^\P{Cc}\t\n]/u);
      // The parts between placeholders are checked separately, because a placeholder and the text
      // next to it may by chance match a part of the token.
      for (const part of text.split("[access token]")) {
        for (let at = 0; at + 8 <= token.length; at++) {
          assert.ok(!part.includes(token.slice(at, at + 8)));
        }
      }
    }
  });
  fc.assert(property, { numRuns: runs(100) });
});
