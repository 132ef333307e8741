// Tests the check before an account is connected: the channel must confirm that the token and the
// phone number belong together.

import assert from "node:assert/strict";
import {
  type AccountCheck,
  checkAccount,
} from "../../supabase/functions/_shared/channel/account_check.ts";
import { channelAt, refusal, type Seen, served, TOKEN } from "./served.ts";

type Answers = Record<string, Response | ((request: Seen) => Response)>;

const NUMBER = { id: "1", display_phone_number: "+55 11 4002-8922", verified_name: "Lojinha" };
const NAMES = { displayPhone: "+55 11 4002-8922", verifiedName: "Lojinha" };
const numbers = (...ids: string[]) => () => Response.json({ data: ids.map((id) => ({ id })) });
const scopes = (...granular_scopes: unknown[]) => () =>
  Response.json({ data: { granular_scopes } });
const management = (...target_ids: string[]) => ({
  scope: "whatsapp_business_management",
  target_ids,
});

/**
 * Checks phone number 1 with a channel that returns these responses by path. For all other paths,
 * the channel returns the error for an unknown object.
 */
async function check(answers: Answers, businessAccountId?: string) {
  await using server = served((request) => {
    const answer = answers[request.path.replace("/v26.0/", "")];
    if (!answer) return refusal(100, "Unsupported get request", { error_subcode: 33 });
    return typeof answer === "function" ? answer(request) : answer.clone();
  });
  const account = { token: TOKEN, phoneNumberId: "1", businessAccountId };
  const result = await checkAccount(server.channel, account);
  assert.ok(
    !JSON.stringify(result).includes(TOKEN.slice(0, 12)),
    "the error does not quote the token",
  );
  return { result, seen: server.seen };
}

const number = () => Response.json(NUMBER);
const asked = (seen: Seen[]) => seen.map(({ path }) => path.replace("/v26.0/", ""));

function assertSaid(result: AccountCheck, verdict: AccountCheck["verdict"], words: RegExp) {
  assert.equal(result.verdict, verdict, result.sentence);
  assert.match(result.sentence, words);
}

Deno.test("the check accepts a phone number that belongs to the business account", async () => {
  const { result, seen } = await check(
    { "1": number, "77/phone_numbers": numbers("2", "1") },
    "77",
  );
  assert.deepEqual(result, {
    verdict: "fits",
    sentence: "The access token can use phone number 1 of business account 77",
    businessAccountId: "77",
    ...NAMES,
  });
  assert.deepEqual(asked(seen), ["1", "debug_token", "77/phone_numbers"]);
  assert.equal(seen[0].query.get("fields"), "id,display_phone_number,verified_name,quality_rating");
  assert.equal(seen[2].query.get("fields"), "id");
  assert.equal(seen[2].query.get("limit"), "100");
});

Deno.test("the check also finds a phone number on a later page of the list of phone numbers", async () => {
  const pages = ({ query }: Seen) =>
    query.has("after")
      ? Response.json({ data: [{ id: "1" }] })
      : Response.json({ data: [{ id: "2" }], paging: { cursors: { after: "x" }, next: "y" } });
  assert.equal(
    (await check({ "1": number, "77/phone_numbers": pages }, "77")).result.verdict,
    "fits",
  );
});

Deno.test("a connection is refused if the channel clearly refuses the token or the phone number", async () => {
  const noes: [Response, RegExp][] = [
    [
      refusal(190, "Expired", {}, 401),
      /^The channel refuses the access token: .*\(190: Expired\)$/,
    ],
    ...[0, 3, 10, 200, 299].map((code): [Response, RegExp] => [
      refusal(code, "No", {}, 403),
      /^The access token may not use phone number 1 /,
    ]),
    [
      refusal(100, "Unsupported get request", { error_subcode: 33 }),
      /^The channel has no phone number 1 that this access token may use; /,
    ],
    [refusal(100, "Object with ID '1' does not exist"), /^The channel has no phone number 1 /],
    [
      refusal(100, "(#100) Tried accessing nonexisting field (display_phone_number)"),
      /differs from the number and the business account's id/,
    ],
  ];
  for (const [answer, words] of noes) {
    const { result, seen } = await check({ "1": answer }, "77");
    assertSaid(result, "refused", words);
    assert.deepEqual(asked(seen), ["1"]);
  }
});

Deno.test("if the channel neither confirms nor clearly refuses the phone number, the result of the check is unclear", async () => {
  const unclear: [Response, RegExp][] = [
    [new Response("Bad gateway", { status: 502 }), /\(HTTP 502\)$/],
    [new Response("Forbidden", { status: 403 }), /\(HTTP 403\)$/],
    [refusal(4, "Too many calls"), /code 4: Too many calls/],
    [refusal(131031, "Locked"), /\(131031: Locked\)$/],
    [refusal(100, "Invalid parameter"), /\(100: Invalid parameter\)$/],
    [Response.json({ id: "2" }), /without the phone number 1$/],
    [Response.json([]), /without the phone number 1$/],
    [Response.json(null), /without the phone number 1$/],
  ];
  for (const [answer, words] of unclear) {
    assertSaid((await check({ "1": answer }, "77")).result, "unclear", words);
  }
  const away = await checkAccount(channelAt("http://127.0.0.1:1"), {
    token: TOKEN,
    phoneNumberId: "1",
  });
  assertSaid(away, "unclear", /could not be asked about phone number 1 /);
});

Deno.test("the check returns the token's expiry and the phone number's quality", async () => {
  const ending = (expires_at: unknown) => () => Response.json({ data: { expires_at } });
  const green = () => Response.json({ ...NUMBER, quality_rating: "GREEN" });
  const until = async (expires_at: unknown) => {
    const answers = {
      "1": green,
      debug_token: ending(expires_at),
      "77/phone_numbers": numbers("1"),
    };
    const { result } = await check(answers, "77");
    assert.deepEqual([result.verdict, result.qualityRating], ["fits", "GREEN"]);
    return result.tokenExpiresAt;
  };
  assert.equal(await until(1_790_000_000), "2026-09-21T14:13:20.000Z");
  for (const never of [0, null, "soon", -1, 1e15]) assert.equal(await until(never), undefined);
});

Deno.test("a phone number is refused if the business account's complete list does not contain it", async () => {
  const { result } = await check({ "1": number, "77/phone_numbers": numbers("2", "3") }, "77");
  assertSaid(result, "refused", /^The phone number 1 does not belong to business account 77$/);
  assert.equal(result.businessAccountId, undefined);
});

Deno.test("if the business account cannot be read, the result is unclear and names a missing permission", async () => {
  const without = (answer: Response) => check({ "1": number, "77/phone_numbers": answer }, "77");
  const unclear = [
    refusal(10, "No"),
    refusal(200, "No"),
    refusal(100, "x", { error_subcode: 33 }),
  ];
  for (const answer of unclear) {
    const { result } = await without(answer);
    assertSaid(result, "unclear", /lacks the permission whatsapp_business_management \(/);
    assert.equal(result.displayPhone, NAMES.displayPhone);
  }
  const { result } = await without(new Response(null, { status: 500 }));
  const words = /^The channel did not list the phone numbers of business account 77 \(HTTP 500\)$/;
  assertSaid(result, "unclear", words);
  assertSaid((await without(refusal(190, "Expired"))).result, "refused", /190: Expired/);
});

Deno.test("if the caller names no business account, the check finds the business account through the token's permissions", async () => {
  const messaging = { scope: "whatsapp_business_messaging", target_ids: ["9", "8"] };
  const { result, seen } = await check({
    "1": number,
    debug_token: scopes(messaging, { scope: "email" }, null, management("7", "8")),
    "7/phone_numbers": refusal(10, "No"),
    "8/phone_numbers": numbers("2"),
    "9/phone_numbers": numbers("1"),
  });
  assert.equal(result.verdict, "fits");
  assert.equal(result.businessAccountId, "9");
  assert.deepEqual(asked(seen), [
    ...["1", "debug_token", "7/phone_numbers", "8/phone_numbers", "9/phone_numbers"],
  ]);
  assert.equal(seen[1].query.get("input_token"), TOKEN);
});

Deno.test("if the token's first 20 business accounts do not list the phone number, the check asks for the business account", async () => {
  const many = Array.from({ length: 50 }, (_, n) => `${100 + n}`);
  const tokens: Answers[string][] = [
    ...[scopes(), scopes(management()), Response.json({ data: null })],
    ...[refusal(100, "No"), new Response(null, { status: 500 }), scopes(management("../1", "x"))],
  ];
  for (const debug_token of tokens) {
    const { result, seen } = await check({ "1": number, debug_token });
    assertSaid(result, "fits", /give it with --business-account-id$/);
    assert.equal(result.businessAccountId, undefined);
    assert.deepEqual(asked(seen), ["1", "debug_token"]);
  }
  const { result, seen } = await check({ "1": number, debug_token: scopes(management(...many)) });
  assertSaid(result, "fits", /give it with --business-account-id$/);
  assert.equal(seen.length, 22);
});

Deno.test("the channel's texts about the phone number are returned without control characters", async () => {
  const odd = Response.json({
    ...NUMBER,
    verified_name: "Loja\u001b[2J\u0000",
    display_phone_number: 7,
  });
  const { result } = await check({ "1": odd, "77/phone_numbers": numbers("1") }, "77");
  assert.equal(result.verifiedName, "Loja [2J ");
  assert.equal(result.displayPhone, undefined);
});
