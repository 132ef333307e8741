// Tests an account whose stored token is unusable. The service does not call the channel, and the
// caller can repeat the send. No response and no log contains the token.

import assert from "node:assert/strict";
import * as jose from "jose";
import {
  credentialsKeyId,
  sealToken,
  type TokenAccount,
} from "../../supabase/functions/_shared/credentials/credentials.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
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

/**
 * Every token in these tests begins with this string, so no response and no log may contain this
 * string.
 */
const TOKEN = "EAAGvErYsEcReTtOkEn";

/** Encrypts TOKEN with the stack's key and this header. */
const sealedAs = (header: { enc: string; kid?: string }) =>
  new jose.CompactEncrypt(new TextEncoder().encode(TOKEN))
    .setProtectedHeader({ alg: "dir", ...header }).encrypt(credentialsKey);

/**
 * The log line for the operator: the cause, and the id of the encryption key named in the token.
 */
const NOT_CONFIGURED: Told = [
  `The stored token or secret is sealed under the key ${anotherKeyId}, ` +
  "which is neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS",
  anotherKeyId,
];
const unnamed = (name: string): Told => [
  `The stored token cannot be used (${name}); check that CREDENTIALS_KEY is the key that encrypted it`,
  undefined,
];
const configured = (name: string): Told => [
  `The stored token cannot be used (${name}), although the key that it names is configured`,
  keyId,
];

const another = ({ company_id, phone_number_id }: TokenAccount): Told => [
  `The token is sealed for another account (${company_id}/${phone_number_id}, which is ` +
  "<company id>/<phone_number_id>): someone changed the token or the ids of this account in the database",
  keyId,
];

type Told = [error: string, keyId: string | undefined];

const elsewhere = crypto.randomUUID();

const UNUSABLE: Record<
  string,
  [seal: (own: TokenAccount) => Promise<string>, told: Told | ((own: TokenAccount) => Told)]
> = {
  "belongs to another company's account": [
    (own) => sealToken(TOKEN, { ...own, company_id: elsewhere }, credentialsKey),
    (own) => another({ ...own, company_id: elsewhere }),
  ],
  "belongs to another phone number of the company": [
    (own) => sealToken(TOKEN, { ...own, phone_number_id: "4711" }, credentialsKey),
    (own) => another({ ...own, phone_number_id: "4711" }),
  ],
  "was sealed under another key": [(own) => sealToken(TOKEN, own, anotherKey), NOT_CONFIGURED],
  "names no key": [() => sealedAs({ enc: "A256GCM" }), unnamed("JWEInvalid")],
  "was sealed with another algorithm": [
    () => sealedAs({ enc: "A128CBC-HS256", kid: keyId }),
    configured("JOSEAlgNotAllowed"),
  ],
  "was altered": [async (own) => {
    const sealed = await sealToken(TOKEN, own, credentialsKey);
    const [header, none, iv, text, tag] = sealed.split(".");
    return [header, none, iv, text.split("").toReversed().join(""), tag].join(".");
  }, configured("JWEDecryptionFailed")],
  "has a line break": [
    (own) => sealToken(`${TOKEN}\nX-Injected: 1`, own, credentialsKey),
    configured("TypeError"),
  ],
  "is not ASCII": [(own) => sealToken(`${TOKEN}☃`, own, credentialsKey), configured("TypeError")],
};

for (const [what, [seal, told]] of Object.entries(UNUSABLE)) {
  Deno.test(`if the stored token ${what}, the error asks the caller to connect the account again`, async () => {
    const company = await newCompany();
    const own = { company_id: company.id, phone_number_id: company.phone_number_id };
    const sealed = await seal(own);
    const expected = typeof told === "function" ? told(own) : told;
    await setSealedToken(company, sealed);
    await using channel = ownChannel(() => accepted());
    const send = await ownSender(channel.url);
    const json = template(anyPhone(), { idempotency_key: "once" });

    let answer!: Awaited<ReturnType<typeof send>>;
    const lines = await later(20, () =>
      logged(async () => {
        answer = await send(company.keys.messaging, json);
      }));
    const { error, ...body } = answer.body;
    assert.deepEqual([answer.status, body], [500, {
      success: false,
      code: "channel_account_error",
      request_id: answer.headers.get("X-Request-Id"),
    }]);
    assert.match(
      error,
      new RegExp(`stored access token .* ${company.phone_number_id} .+connect the account again`),
    );
    assert.deepEqual(channel.calls, []);

    const [entry] = await ledgerOf(company);
    assert.deepEqual(
      [entry.state, entry.reason, entry.channel_code],
      ["released", "channel_account_error", null],
    );
    assert.equal((await storedMessage(entry.message_id)).status, "failed");

    const events = lines.map((line) => JSON.parse(line));
    assert.deepEqual(events.map(({ event }) => event), ["account_token_unusable", "template_send"]);
    for (const event of events) assert.equal(event.request_id, body.request_id);
    const [{ error: toldError, account_id, key_id }, { cause }] = events;
    assert.deepEqual([[toldError, key_id], account_id], [expected, company.account_id]);
    assert.equal(cause, expected[0]);
    const said = JSON.stringify(answer.body) + lines.join();
    for (const secret of [TOKEN, TOKEN.slice(0, 6), "Injected", sealed, sealed.split(".")[3]]) {
      assert.ok(!said.includes(secret), `${secret} in ${said}`);
    }

    await setSealedToken(company, company.sealed_token);
    const again = await send(company.keys.messaging, json);
    assert.deepEqual(
      [again.status, again.body.message_id, again.body.idempotent_hit],
      [200, entry.message_id, false],
    );
    assert.equal(channel.calls.length, 1);
  });
}
