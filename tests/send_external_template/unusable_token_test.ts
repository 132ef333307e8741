// An account whose stored token cannot be used: the channel is not called, the send can be repeated, and the
// token reaches no answer and no log.

import assert from "node:assert/strict";
import * as jose from "jose";
import {
  credentialsKeyId,
  sealToken,
  type TokenAccount,
} from "../../supabase/functions/_shared/whatsapp/credentials.ts";
import { anyPhone, anyPhoneNumberId, newCompany } from "../support/company.ts";
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
import { credentialsKey, withDatabase } from "../support/test_stack.ts";

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

const another = ({ company_id, phone_number_id }: TokenAccount): Told => [
  `The token is sealed for another account (${company_id}/${phone_number_id}, which is ` +
  "<company id>/<phone_number_id>): the token or the ids of this account were changed in the database",
  keyId,
];

type Told = [error: string, keyId: string | undefined];

const elsewhere = { company_id: crypto.randomUUID(), phone_number_id: "4711" };

const UNUSABLE: Record<
  string,
  [seal: (own: TokenAccount) => Promise<string>, told: Told | ((own: TokenAccount) => Told)]
> = {
  "is that of another company's account": [
    (own) => sealToken(TOKEN, { ...own, company_id: elsewhere.company_id }, credentialsKey),
    (own) => another({ ...own, company_id: elsewhere.company_id }),
  ],
  "is that of the company's other number": [
    (own) => sealToken(TOKEN, { ...own, phone_number_id: "4711" }, credentialsKey),
    (own) => another({ ...own, phone_number_id: "4711" }),
  ],
  "is that of another company's other number": [
    () => sealToken(TOKEN, elsewhere, credentialsKey),
    another(elsewhere),
  ],
  "was sealed under another key": [(own) => sealToken(TOKEN, own, anotherKey), NOT_CONFIGURED],
  "was sealed under another key and does not say so": [
    () => sealedNamingNone(anotherKey),
    unnamed("JWEDecryptionFailed"),
  ],
  "was sealed in another way": [
    () => sealedNamingNone(credentialsKey, "A128CBC-HS256"),
    unnamed("JOSEAlgNotAllowed"),
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
  "has a carriage return": [
    (own) => sealToken(`${TOKEN}\r\nX-Injected: 1`, own, credentialsKey),
    configured("TypeError"),
  ],
  "has a null character": [
    (own) => sealToken(`${TOKEN}\0`, own, credentialsKey),
    configured("TypeError"),
  ],
  "is no ASCII": [(own) => sealToken(`${TOKEN}☃`, own, credentialsKey), configured("TypeError")],
};

for (const [what, [seal, told]] of Object.entries(UNUSABLE)) {
  Deno.test(`with a token that ${what}, the caller is told to connect the account again`, async () => {
    const company = await newCompany();
    const own = { company_id: company.id, phone_number_id: company.phone_number_id };
    const sealed = await seal(own);
    const expected = typeof told === "function" ? told(own) : told;
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
    assert.deepEqual([[toldError, key_id], account_id], [expected, company.account_id]);
    assert.equal(cause, expected[0]);
    const said = JSON.stringify(answer.body) + lines.join();
    for (const secret of [TOKEN, TOKEN.slice(0, 6), "Injected", sealed, sealed.split(".")[3]]) {
      assert.ok(!said.includes(secret), `${secret} in ${said}`);
    }

    await setSealedToken(company, company.sealed_token);
    const again = await send(company.keys.messaging, json);
    assert.deepEqual([again.status, again.body.message_id, again.body.idempotent_hit], [
      200,
      entry.message_id,
      false,
    ]);
    assert.equal(channel.calls.length, 1);
  });
}

Deno.test("a token that is moved to another row in the database does not open there, and still opens in its own", async () => {
  const [own, other] = [await newCompany(), await newCompany()];
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  await withDatabase((sql) =>
    sql`
      update messaging_accounts set encrypted_token = (
        select encrypted_token from messaging_accounts where id = ${other.account_id}
      ) where id = ${own.account_id}
    `
  );
  const lines = await logged(async () => {
    const { status, body } = await send(own.keys.messaging, template(anyPhone()));
    assert.deepEqual([status, body.code], [500, "channel_account_error"]);
  });
  const { event, account_id, error } = JSON.parse(lines[0]);
  assert.deepEqual([event, account_id], ["account_token_unusable", own.account_id]);
  assert.ok(error.includes(`another account (${other.id}/${other.phone_number_id},`), error);
  assert.deepEqual(channel.calls, []);

  assert.equal((await send(other.keys.messaging, template(anyPhone()))).status, 200);
  // The row keeps its token when it goes to another company or gets another number, and loses its use.
  for (const change of [{ company_id: own.id }, { phone_number_id: anyPhoneNumberId() }]) {
    const third = await newCompany();
    const added = await withDatabase(async (sql) => {
      await sql`delete from conversations where messaging_account_id = ${third.account_id}`;
      await sql`delete from account_connections where account_id = ${third.account_id}`;
      await sql`update messaging_accounts set ${sql(change)} where id = ${third.account_id}`;
      return await sql`select phone_number_id from messaging_accounts where id = ${third.account_id}`;
    });
    const { keys } = "company_id" in change ? own : third;
    const [{ phone_number_id }] = added;
    await logged(async () => {
      const { status, body } = await send(
        keys.messaging,
        template(anyPhone(), { phone_number_id }),
      );
      assert.deepEqual([status, body.code], [500, "channel_account_error"]);
    });
  }
  assert.equal(channel.calls.length, 1);
});

Deno.test("a token that an earlier version sealed for no account is still used", async () => {
  const company = await newCompany();
  for (const kid of [undefined, keyId]) {
    const sealed = await new jose.CompactEncrypt(new TextEncoder().encode(TOKEN))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", ...(kid && { kid }) })
      .encrypt(credentialsKey);
    await setSealedToken(company, sealed);
    await using channel = ownChannel(() => accepted());
    const send = await ownSender(channel.url);
    assert.equal((await send(company.keys.messaging, template(anyPhone()))).status, 200);
    assert.equal(channel.calls[0].headers.get("Authorization"), `Bearer ${TOKEN}`);
  }
});
