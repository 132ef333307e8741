// Tests the outcome of a send for every kind of channel response. The table has the same rows in
// the same order as the channel's documentation.

import assert from "node:assert/strict";
import {
  type ChannelAnswer,
  outcomeOf,
  type SendOutcome,
} from "../../supabase/functions/_shared/channel/outcome.ts";

type Meaning = [kind: SendOutcome["kind"], error?: string, retryAfter?: number];

const TEMPLATE: Meaning = ["refused", "template_rejected"];
const RECIPIENT: Meaning = ["refused", "recipient_unreachable"];
const DOWN: Meaning = ["not_taken", "channel_unavailable"];
const ACCOUNT: Meaning = ["not_taken", "channel_account_error"];
const UNKNOWN: Meaning = ["unknown"];

const TABLE: [what: string, codes: number[], meaning: Meaning][] = [
  ["parameter count does not match", [132000], TEMPLATE],
  ["template does not exist", [132001], TEMPLATE],
  ["text too long", [132005], TEMPLATE],
  ["policy violated", [132007], TEMPLATE],
  ["parameter format does not match", [132012], TEMPLATE],
  ["parameters invalid", [132018], TEMPLATE],
  ["flow blocked, flow throttled", [132068, 132069], TEMPLATE],
  ["template paused, template disabled", [132015, 132016], TEMPLATE],
  ["bad parameter", [100, 131008, 131009, 135000], TEMPLATE],
  ["type, media", [131051, 131052, 131053, 131055, 131063, 134100, 134102], TEMPLATE],
  ["recipient cannot be reached", [131021, 131026, 131030, 131062], RECIPIENT],
  ["recipient not allowed", [130403, 130472, 130497, 131049], RECIPIENT],
  ["opted out of marketing", [131050], ["refused", "recipient_opted_out"]],
  ["outside the 24-hour window", [131047], ["refused", "window_closed"]],
  ["throttled", [4, 17, 32, 613, 80007, 80008, 130429], DOWN],
  ["throttled for this sender and recipient", [131056], ["not_taken", "channel_unavailable", 6]],
  ["the channel is down", [2, 131000, 131016, 131057, 133004], DOWN],
  ["template still syncing", [134101], ["not_taken", "channel_unavailable", 600]],
  ["token", [0, 190], ACCOUNT],
  ["permission", [3, 10, 131005], ACCOUNT],
  ["permission codes, the whole range", Array.from({ length: 100 }, (_, i) => i + 200), ACCOUNT],
  ["account deleted, locked, unpaid", [33, 368, 131031, 131037, 131042, 131045], ACCOUNT],
  ["account restricted, not registered", [131048, 131064, 133010], ACCOUNT],
  ["possibly temporary", [1], UNKNOWN],
];

const STATUSES = [200, 302, 400, 401, 403, 404, 429, 500, 503];

function answer(changes: Partial<ChannelAnswer>): ChannelAnswer {
  return { status: 400, body: undefined, retryAfter: null, ...changes };
}

function refusal(code: unknown) {
  return { error: { message: "(#1) No", type: "OAuthException", code, fbtrace_id: "AbC" } };
}

function assertMeaning(given: ChannelAnswer, [kind, error, retryAfter]: Meaning, about?: string) {
  const outcome = outcomeOf(given);
  const { error: told, retryAfter: after } = outcome as { error?: string; retryAfter?: number };
  assert.deepEqual(
    [outcome.kind, told, after],
    [kind, error, retryAfter],
    about ?? JSON.stringify(given),
  );
}

for (const [what, codes, meaning] of TABLE) {
  const shown = codes.length < 9 ? codes.join(", ") : `${codes[0]} to ${codes.at(-1)}`;
  Deno.test(`error code ${shown} (${what}) leads to the same outcome with any HTTP status`, () => {
    for (const code of codes) {
      for (const status of STATUSES) {
        for (const spelled of [code, String(code)]) {
          const given = answer({ status, body: refusal(spelled) });
          assertMeaning(given, meaning);
          const { channel } = outcomeOf(given) as { channel: unknown };
          assert.deepEqual(
            channel,
            { code, message: "(#1) No", details: undefined, traceId: "AbC" },
          );
        }
      }
    }
  });
}

Deno.test("an unknown error code does not get the meaning of the known code before or after it", () => {
  const known = new Set(TABLE.flatMap(([_what, codes]) => codes));
  const beside = [...known].flatMap((code) => [code - 1, code + 1]).filter((code) =>
    !known.has(code)
  );
  for (const code of [...beside, 199, 300, 999999, 2147483647, -1]) {
    assertMeaning(answer({ status: 400, body: refusal(code) }), TEMPLATE);
  }
});

Deno.test("error code 100 with the subcode 33 means that the account cannot use its phone number", () => {
  const body = (code: unknown, error_subcode: unknown) => ({
    error: { ...refusal(code).error, error_subcode },
  });
  for (const status of STATUSES) {
    for (const code of [100, "100"]) {
      const given = answer({ status, body: body(code, 33) });
      assertMeaning(given, ACCOUNT);
      const { channel } = outcomeOf(given) as { channel: { code: number; subcode: number } };
      assert.deepEqual([channel.code, channel.subcode], [100, 33]);
    }
    for (const other of [32, 34, "33", 33.5, null, [33]]) {
      assertMeaning(answer({ status, body: body(100, other) }), TEMPLATE);
    }
    assertMeaning(answer({ status, body: body(131008, 33) }), TEMPLATE);
  }
});

Deno.test("if the error code is unknown, a 429 means not sent, any other 4xx means refused, and any other status means an unknown outcome", () => {
  for (const code of [5, 131999, "131999"]) {
    const body = refusal(code);
    assertMeaning(answer({ status: 429, body, retryAfter: "7" }), [
      "not_taken",
      "channel_unavailable",
      7,
    ]);
    for (const status of [400, 401, 404, 499]) {
      assertMeaning(answer({ status, body }), TEMPLATE);
      const { channel } = outcomeOf(answer({ status, body })) as { channel: { code: number } };
      assert.equal(channel.code, Number(code));
    }
    for (const status of [200, 204, 299, 300, 302, 399, 500, 502, 503, 504, 599]) {
      assertMeaning(answer({ status, body }), UNKNOWN);
    }
  }
});

Deno.test("without an error code, a 4xx or a 503 means not sent, and any other status means an unknown outcome", () => {
  for (const body of [undefined, null, "", "Bad Request", {}, { error: "no" }, []]) {
    for (const status of [400, 401, 404, 408, 413, 429, 431, 499, 503]) {
      assertMeaning(answer({ status, body }), DOWN);
    }
    for (const status of [200, 201, 204, 300, 301, 302, 304, 307, 308, 500, 501, 502, 504, 599]) {
      assertMeaning(answer({ status, body }), UNKNOWN);
    }
  }
});

Deno.test("a value that cannot be a channel error code is ignored", () => {
  const none = [
    ...[null, NaN, Infinity, 1.5, 1e20, 2 ** 31, "", "x", "132001x", " 132001", "-1", "1e5"],
  ];
  for (const code of [...none, "9".repeat(10), "٣", true, [132001], { code: 132001 }, undefined]) {
    assertMeaning(answer({ status: 500, body: refusal(code) }), UNKNOWN, String(code));
    assertMeaning(answer({ status: 400, body: refusal(code) }), DOWN, String(code));
  }
  for (const body of [{ code: 132001 }, { errors: [{ code: 132001 }] }, [refusal(132001)]]) {
    assertMeaning(answer({ status: 500, body }), UNKNOWN);
  }
});

Deno.test("the outcome contains a property of the channel's error only if the property has the expected type", () => {
  const said = (error: Record<string, unknown>) =>
    (outcomeOf(answer({ body: { error: { code: 132012, ...error } } })) as { channel: unknown })
      .channel;
  const whole = { message: "No", error_data: { details: "body: 3" }, fbtrace_id: "T" };
  assert.deepEqual(said(whole), { code: 132012, message: "No", details: "body: 3", traceId: "T" });
  const bare = { code: 132012, message: "", details: undefined, traceId: undefined };
  assert.deepEqual(said({}), bare);
  for (const odd of [null, 1, [], {}, true]) {
    assert.deepEqual(said({ message: odd, error_data: odd, fbtrace_id: odd }), bare);
    assert.deepEqual(said({ error_data: { details: odd } }), bare);
  }
});

Deno.test("a 2xx with a readable message id means accepted, even with other unexpected content", () => {
  const ids = ["wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjdBQjQ=", "a", "x".repeat(255), "!~"];
  for (const id of ids) {
    const bodies = [
      { messages: [{ id }] },
      { messages: [{ id, message_status: "accepted" }], contacts: [{ wa_id: "5511" }] },
      { messages: [{ id, message_status: "held_for_quality_assessment" }] },
      { messages: [{ id, message_status: "paused" }] },
      { messages: [{ id, message_status: null }], error: null },
    ];
    for (const body of bodies) {
      for (const status of [200, 201, 202, 299]) {
        assert.deepEqual(outcomeOf(answer({ status, body, retryAfter: "5" })), {
          kind: "accepted",
          whatsappMessageId: id,
        });
      }
    }
  }
});

Deno.test("a 2xx without a message id, or with an id that cannot be stored, means an unknown outcome", () => {
  const ids = [
    ...["", " ", "x".repeat(256), "a b", " a", "a ", "a\n", "a\tb", "a\0", "ä", "🚚"],
    ...[null, undefined, 1, true, [], ["a"], { id: "a" }],
  ];
  const bodies = [
    ...ids.map((id) => ({ messages: [{ id, message_status: "accepted" }] })),
    ...[{ messages: [] }, { messages: null }, { messages: "wamid.x" }, { messages: ["wamid.x"] }],
    ...[{ messages: { id: "wamid.x" } }, { id: "wamid.x" }, { message: [{ id: "wamid.x" }] }],
    ...[{ messages: [null] }, { messages: [[{ id: "wamid.x" }]] }, [{ id: "wamid.x" }], "wamid.x"],
  ];
  for (const body of bodies) assertMeaning(answer({ status: 200, body }), UNKNOWN);
});

Deno.test("a message id is ignored unless the response status is 2xx", () => {
  const body = { messages: [{ id: "wamid.x" }] };
  for (const status of [300, 304, 500, 502]) assertMeaning(answer({ status, body }), UNKNOWN);
  for (const status of [400, 404, 503]) assertMeaning(answer({ status, body }), DOWN);
});

Deno.test("if a 2xx contains an error code instead of a message id, the code decides the outcome", () => {
  assertMeaning(answer({ status: 200, body: { messages: [], ...refusal(190) } }), ACCOUNT);
});
