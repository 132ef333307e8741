import assert from "node:assert/strict";
import { encodeBase64 } from "deno-std/encoding/base64.js";
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import * as jose from "jose";
import {
  credentialsKeyId,
  keyIdOf,
  openToken,
  sealToken,
  TokenOfAnotherAccount,
  UnknownCredentialsKey,
} from "../../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";

const BYTES = new Uint8Array(32).fill(0xfb); // its base64 form contains + and /, which base64url replaces
const OTHER = new Uint8Array(32);
const ACCOUNT = {
  company_id: "5b0d9c3e-6c1f-4a55-9a59-0d6a4f0f7c11",
  phone_number_id: "106540352242922",
};
const ACCOUNT_NAME = "5b0d9c3e-6c1f-4a55-9a59-0d6a4f0f7c11/106540352242922";

/** Encrypts a token, with this header. */
async function sealedAs(header: jose.CompactJWEHeaderParameters, key = BYTES): Promise<string> {
  return await new jose.CompactEncrypt(new TextEncoder().encode("EAAB"))
    .setProtectedHeader(header).encrypt(key);
}

Deno.test("a credentials key is 32 bytes in base64 or base64url, with or without padding", () => {
  const base64 = encodeBase64(BYTES);
  const base64url = encodeBase64Url(BYTES);
  assert.match(base64, /\+.*\/.*=$/);
  for (const text of [base64, base64.slice(0, -1), base64url, `${base64url}=`]) {
    assert.deepEqual(readCredentialsKey(text), BYTES);
  }
});

Deno.test("an invalid credentials key is refused, and the error does not contain the key", () => {
  const right = encodeBase64Url(BYTES);
  const wrong = [
    ...[undefined, "", right.slice(1), `${right}A`, `${right}==`, `${right}\n`, `+${right}`],
    ` ${right}`,
  ];
  wrong.push("f".repeat(64), "+-" + right.slice(2));
  for (const text of wrong) {
    assert.throws(() => readCredentialsKey(text), ({ name, message }) => {
      assert.equal(name, "ConfigError");
      assert.match(message, /openssl rand -base64 32/);
      return !text || !message.includes(text);
    });
  }
});

Deno.test("an encrypted token passes the database's check, and can be decrypted unless it was altered", async () => {
  const sealed = await sealToken("EAAB", ACCOUNT, BYTES);
  assert.match(sealed, /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
  const kid = await credentialsKeyId(BYTES);
  assert.deepEqual(
    jose.decodeProtectedHeader(sealed),
    { alg: "dir", enc: "A256GCM", kid, account: ACCOUNT_NAME },
  );
  assert.notEqual(sealed, await sealToken("EAAB", ACCOUNT, BYTES));
  assert.equal(await openToken(sealed, ACCOUNT, [BYTES]), "EAAB");

  const last = sealed.at(-2) === "A" ? "B" : "A";
  const altered = sealed.slice(0, -2) + last + sealed.slice(-1);
  const unsealed = [altered, "EAAB", "", "....", `bm90IGpzb24${sealed.slice(sealed.indexOf("."))}`];
  for (const text of unsealed) {
    await assert.rejects(() => openToken(text, ACCOUNT, [BYTES, OTHER]), jose.errors.JOSEError);
  }
});

Deno.test("a key's id is its JWK thumbprint", async () => {
  const jwk = `{"k":"${encodeBase64Url(BYTES)}","kty":"oct"}`; // the form that RFC 7638 requires
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(jwk));
  assert.equal(await credentialsKeyId(BYTES), encodeBase64Url(digest));
  assert.notEqual(await credentialsKeyId(OTHER), await credentialsKeyId(BYTES));
});

Deno.test("a token is decrypted with the key that it names, whether that is the current or the previous key", async () => {
  const sealed = await sealToken("EAAB", ACCOUNT, BYTES);
  assert.equal(keyIdOf(sealed), await credentialsKeyId(BYTES));
  assert.equal(await openToken(sealed, ACCOUNT, [BYTES, OTHER]), "EAAB");
  assert.equal(await openToken(sealed, ACCOUNT, [OTHER, BYTES]), "EAAB");
});

Deno.test("if a token names a key that is not configured, the token cannot be decrypted, and the error names the key", async () => {
  const keyId = await credentialsKeyId(BYTES);
  const isUnknown = (error: unknown) => {
    assert.ok(error instanceof UnknownCredentialsKey);
    assert.equal(error.keyId, keyId);
    assert.match(error.message, new RegExp(`key ${keyId}, which is neither CREDENTIALS_KEY nor`));
    return true;
  };
  const sealed = await sealToken("EAAB", ACCOUNT, BYTES);
  await assert.rejects(() => openToken(sealed, ACCOUNT, [OTHER]), isUnknown);
  await assert.rejects(() => openToken(sealed, ACCOUNT, [OTHER, OTHER]), isUnknown);
  const misnamed = await sealedAs({ alg: "dir", enc: "A256GCM", kid: keyId }, OTHER);
  await assert.rejects(() => openToken(misnamed, ACCOUNT, [OTHER]), isUnknown);
  await assert.rejects(
    () => openToken(misnamed, ACCOUNT, [OTHER, BYTES]),
    jose.errors.JWEDecryptionFailed,
  );
});

Deno.test("a token can be decrypted only for its own account, and the error names that account", async () => {
  const sealed = await sealToken("EAAB", ACCOUNT, BYTES);
  const others = [
    { ...ACCOUNT, company_id: crypto.randomUUID() },
    { ...ACCOUNT, phone_number_id: "106540352242923" },
    { ...ACCOUNT, phone_number_id: "" },
  ];
  for (const other of others) {
    await assert.rejects(() => openToken(sealed, other, [BYTES, OTHER]), (error) => {
      assert.ok(error instanceof TokenOfAnotherAccount);
      assert.equal(error.sealedFor, ACCOUNT_NAME);
      assert.match(error.message, new RegExp(`sealed for another account \\(${ACCOUNT_NAME},`));
      return !error.message.includes("EAAB");
    });
  }
});

Deno.test("an encrypted token cannot be decrypted if the account in its header was removed or changed", async () => {
  const [header, ...rest] = (await sealToken("EAAB", ACCOUNT, BYTES)).split(".");
  const { account: _, ...without } = JSON.parse(
    new TextDecoder().decode(jose.base64url.decode(header)),
  );
  for (const changed of [without, { ...without, account: "another/1" }]) {
    const forged = [jose.base64url.encode(JSON.stringify(changed)), ...rest].join(".");
    await assert.rejects(
      () => openToken(forged, ACCOUNT, [BYTES]),
      jose.errors.JWEDecryptionFailed,
    );
  }
});

Deno.test("a token that names no key or no account cannot be decrypted", async () => {
  const kid = await credentialsKeyId(BYTES);
  const header = { alg: "dir", enc: "A256GCM" };
  const withoutKey = await sealedAs({ ...header, account: ACCOUNT_NAME });
  await assert.rejects(() => openToken(withoutKey, ACCOUNT, [BYTES]), jose.errors.JWEInvalid);
  const withoutAccount = await sealedAs({ ...header, kid });
  await assert.rejects(() => openToken(withoutAccount, ACCOUNT, [BYTES]), TokenOfAnotherAccount);
});

Deno.test("a token that was encrypted with another algorithm cannot be decrypted with any key", async () => {
  const kid = await credentialsKeyId(BYTES);
  for (const alg of ["dir", "A256KW", "A256GCMKW"]) {
    for (const enc of ["A256GCM", "A128CBC-HS256", "A128GCM"]) {
      const fits = alg !== "dir" || enc !== "A128GCM";
      if (!fits || (alg === "dir" && enc === "A256GCM")) continue;
      const sealed = await sealedAs({ alg, enc, kid });
      for (const keys of [[BYTES], [OTHER, BYTES]] as const) {
        await assert.rejects(() => openToken(sealed, ACCOUNT, keys), jose.errors.JOSEAlgNotAllowed);
      }
    }
  }
});
