import assert from "node:assert/strict";
import { encodeBase64 } from "deno-std/encoding/base64.js";
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import * as jose from "jose";
import {
  credentialsKeyId,
  keyIdOf,
  openToken,
  readCredentialsKey,
  sealToken,
  UnknownCredentialsKey,
} from "../../supabase/functions/_shared/whatsapp/credentials.ts";

const BYTES = new Uint8Array(32).fill(0xfb); // encodes to + and /, in which the two alphabets differ
const OTHER = new Uint8Array(32);

/** A token as earlier versions encrypted it, without a key id, or with another header. */
async function sealedAs(
  header: jose.CompactJWEHeaderParameters = { alg: "dir", enc: "A256GCM" },
  key = BYTES,
): Promise<string> {
  return await new jose.CompactEncrypt(new TextEncoder().encode("EAAB"))
    .setProtectedHeader(header).encrypt(key);
}

Deno.test("a credentials key is 32 bytes in base64 or base64url, padded or not", () => {
  const base64 = encodeBase64(BYTES);
  const base64url = encodeBase64Url(BYTES);
  assert.match(base64, /\+.*\/.*=$/);
  for (const text of [base64, base64.slice(0, -1), base64url, `${base64url}=`]) {
    assert.deepEqual(readCredentialsKey(text), BYTES);
  }
});

Deno.test("any other text is refused as a credentials key, and the sentence does not quote it", () => {
  const right = encodeBase64Url(BYTES);
  const wrong = [
    undefined,
    "",
    right.slice(1),
    `${right}A`,
    `${right}==`,
    `${right}\n`,
    `+${right}`,
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

Deno.test("an encrypted token fits the database's check, and opens unless it was altered", async () => {
  const sealed = await sealToken("EAAB", BYTES);
  assert.match(sealed, /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
  const kid = await credentialsKeyId(BYTES);
  assert.deepEqual(jose.decodeProtectedHeader(sealed), { alg: "dir", enc: "A256GCM", kid });
  assert.notEqual(sealed, await sealToken("EAAB", BYTES));
  assert.equal(await openToken(sealed, [BYTES]), "EAAB");

  const last = sealed.at(-2) === "A" ? "B" : "A";
  const altered = sealed.slice(0, -2) + last + sealed.slice(-1);
  for (
    const text of [altered, "EAAB", "", "....", `bm90IGpzb24${sealed.slice(sealed.indexOf("."))}`]
  ) {
    await assert.rejects(() => openToken(text, [BYTES, OTHER]), jose.errors.JOSEError);
  }
});

Deno.test("a key's id is its JWK thumbprint", async () => {
  const jwk = `{"k":"${encodeBase64Url(BYTES)}","kty":"oct"}`; // as RFC 7638 spells it
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(jwk));
  assert.equal(await credentialsKeyId(BYTES), encodeBase64Url(digest));
  assert.notEqual(await credentialsKeyId(OTHER), await credentialsKeyId(BYTES));
});

Deno.test("a token opens under the configured key that it names, whether current or previous", async () => {
  const sealed = await sealToken("EAAB", BYTES);
  assert.equal(keyIdOf(sealed), await credentialsKeyId(BYTES));
  assert.equal(await openToken(sealed, [BYTES, OTHER]), "EAAB");
  assert.equal(await openToken(sealed, [OTHER, BYTES]), "EAAB");
});

Deno.test("a token that names an unconfigured key does not open, and the error names that key", async () => {
  const keyId = await credentialsKeyId(BYTES);
  const isUnknown = (error: unknown) => {
    assert.ok(error instanceof UnknownCredentialsKey);
    assert.equal(error.keyId, keyId);
    assert.match(error.message, new RegExp(`key ${keyId}, which is neither CREDENTIALS_KEY nor`));
    return true;
  };
  const sealed = await sealToken("EAAB", BYTES);
  await assert.rejects(() => openToken(sealed, [OTHER]), isUnknown);
  await assert.rejects(() => openToken(sealed, [OTHER, OTHER]), isUnknown);
  const misnamed = await sealedAs({ alg: "dir", enc: "A256GCM", kid: keyId }, OTHER);
  await assert.rejects(() => openToken(misnamed, [OTHER]), isUnknown);
  await assert.rejects(() => openToken(misnamed, [OTHER, BYTES]), jose.errors.JWEDecryptionFailed);
});

Deno.test("a token without a key id opens under any configured key", async () => {
  const sealed = await sealedAs();
  assert.equal(keyIdOf(sealed), undefined);
  assert.equal(await openToken(sealed, [BYTES]), "EAAB");
  assert.equal(await openToken(sealed, [BYTES, OTHER]), "EAAB");
  assert.equal(await openToken(sealed, [OTHER, BYTES]), "EAAB");
  await assert.rejects(() => openToken(sealed, [OTHER]), jose.errors.JWEDecryptionFailed);
  await assert.rejects(() => openToken(sealed, [OTHER, OTHER]), jose.errors.JWEDecryptionFailed);
});

Deno.test("a token that was encrypted with another algorithm does not open under any key", async () => {
  const kid = await credentialsKeyId(BYTES);
  for (const alg of ["dir", "A256KW", "A256GCMKW"]) {
    for (const enc of ["A256GCM", "A128CBC-HS256", "A128GCM"]) {
      const fits = alg !== "dir" || enc !== "A128GCM";
      if (!fits || (alg === "dir" && enc === "A256GCM")) continue;
      for (const sealed of [await sealedAs({ alg, enc }), await sealedAs({ alg, enc, kid })]) {
        await assert.rejects(() => openToken(sealed, [BYTES]), jose.errors.JOSEAlgNotAllowed);
        await assert.rejects(
          () => openToken(sealed, [OTHER, BYTES]),
          jose.errors.JOSEAlgNotAllowed,
        );
      }
    }
  }
});
