// An account whose stored token cannot be used: the channel is not called, the send can be repeated, and the
// token reaches no answer and no log.

import assert from "node:assert/strict";
import * as jose from "jose";
import {
  credentialsKeyId,
  sealToken,
} from "../../supabase/functions/_shared/whatsapp/credentials.ts";
import { anyPhone, newCompany, sealedToken } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownSender } from "../support/own_functions.ts";
import {
  accepted,
  ledgerOf,
  ownChannel,
  setSealedToken,
  storedMessage,
  template,
} from "../support/sending.ts";
import { credentialsKey } from "../support/test_stack.ts";

const anotherKey = crypto.getRandomValues(new Uint8Array(32));
const [keyId, anotherKeyId] = await Promise.all([credentialsKey, anotherKey].map(credentialsKeyId));

/** Every token of these tests begins with this, so nothing may show it. */
const TOKEN = "EAAGvErYsEcReTtOkEn";

/** Seals TOKEN without the id of the key, as earlier versions did. */
const sealedNamingNone = (key: Uint8Array, enc = "A256GCM") =>
  new jose.CompactEncrypt(new TextEncoder().encode(TOKEN))
    .setProtectedHeader({ alg: "dir", enc }).encrypt(key);

/** What the log tells the operator: the cause, and the id of the key that the token names. */
const NOT_CONFIGURED: Told = [
  `The token is sealed under the key ${anotherKeyId}, ` +
  "which is neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS",
  anotherKeyId,
];
const unnamed = (name: string): Told => [
  `The stored token cannot be used (${name}); is CREDENTIALS_KEY the one that it was stored under?`,
  undefined,
];
const configured = (name: string): Told => [
  `The stored token cannot be used (${name}), although the key that it names is configured`,
  keyId,
];

type Told = [error: string, keyId: string | undefined];

const UNUSABLE: Record<string, [seal: () => Promise<string>, told: Told]> = {
  "was sealed under another key": [() => sealToken(TOKEN, anotherKey), NOT_CONFIGURED],
  "was sealed under another key and does not say so": [
    () => sealedNamingNone(anotherKey),
    unnamed("JWEDecryptionFailed"),
  ],
  "was sealed in another way": [
    () => sealedNamingNone(credentialsKey, "A128CBC-HS256"),
    unnamed("JOSEAlgNotAllowed"),
  ],
  "was altered": [async () => {
    const [header, none, iv, text, tag] = (await sealToken(TOKEN, credentialsKey)).split(".");
    return [header, none, iv, text.split("").toReversed().join(""), tag].join(".");
  }, configured("JWEDecryptionFailed")],
  "has a line break": [
    () => sealToken(`${TOKEN}\nX-Injected: 1`, credentialsKey),
    configured("TypeError"),
  ],
  "has a carriage return": [
    () => sealToken(`${TOKEN}\r\nX-Injected: 1`, credentialsKey),
    configured("TypeError"),
  ],
  "has a null character": [
    () => sealToken(`${TOKEN}\0`, credentialsKey),
    configured("TypeError"),
  ],
  "is no ASCII": [() => sealToken(`${TOKEN}☃`, credentialsKey), configured("TypeError")],
};

for (const [what, [seal, told]] of Object.entries(UNUSABLE)) {
  Deno.test(`with a token that ${what}, the caller is told to connect the account again`, async () => {
    const company = await newCompany();
    const sealed = await seal();
    await setSealedToken(company, sealed);
    await using channel = ownChannel(() => accepted());
    const send = await ownSender(channel.url);
    const json = template(anyPhone(), { idempotency_key: "once" });

    let answer!: Awaited<ReturnType<typeof send>>;
    const lines = await logged(async () => {
      answer = await send(company.keys.messaging, json);
    });
    const { error, ...body } = answer.body;
    assert.deepEqual([answer.status, body], [500, {
      success: false,
      code: "channel_account_error",
      request_id: answer.headers.get("X-Request-Id"),
    }]);
    assert.match(
      error,
      new RegExp(`stored access token .* ${company.phone_number_id} .+connected again`),
    );
    assert.deepEqual(channel.calls, []);

    const [entry] = await ledgerOf(company);
    assert.deepEqual([entry.state, entry.reason, entry.channel_code], [
      "released",
      "channel_account_error",
      null,
    ]);
    assert.equal((await storedMessage(entry.message_id)).status, "failed");

    const events = lines.map((line) => JSON.parse(line));
    assert.deepEqual(events.map(({ event }) => event), ["account_token_unusable", "template_send"]);
    for (const event of events) assert.equal(event.request_id, body.request_id);
    const [{ error: toldError, account_id, key_id }, { cause }] = events;
    assert.deepEqual([[toldError, key_id], account_id], [told, company.account_id]);
    assert.equal(cause, told[0]);
    const said = JSON.stringify(answer.body) + lines.join();
    for (const secret of [TOKEN, TOKEN.slice(0, 6), "Injected", sealed, sealed.split(".")[3]]) {
      assert.ok(!said.includes(secret), `${secret} in ${said}`);
    }

    await setSealedToken(company, sealedToken);
    const again = await send(company.keys.messaging, json);
    assert.deepEqual([again.status, again.body.message_id, again.body.idempotent_hit], [
      200,
      entry.message_id,
      false,
    ]);
    assert.equal(channel.calls.length, 1);
  });
}
