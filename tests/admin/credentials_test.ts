import assert from "node:assert/strict";
import { encodeBase64 } from "deno-std/encoding/base64.js";
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import * as jose from "jose";
import {
  openToken,
  readCredentialsKey,
  sealToken,
} from "../../supabase/functions/_shared/credentials.ts";

const BYTES = new Uint8Array(32).fill(0xfb); // has both characters in which the alphabets differ

Deno.test("a credentials key is 32 bytes in base64 or base64url, padded or not", () => {
  const base64 = encodeBase64(BYTES);
  const base64url = encodeBase64Url(BYTES);
  assert.match(base64, /\+.*\/.*=$/);
  for (const text of [base64, base64.slice(0, -1), base64url, `${base64url}=`]) {
    assert.deepEqual(readCredentialsKey(text), BYTES);
  }
});

Deno.test("anything else is no credentials key, and the sentence does not quote it", () => {
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

Deno.test("a sealed token fits the database's check and opens only under its key", async () => {
  const sealed = await sealToken("EAAB", BYTES);
  assert.match(sealed, /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
  assert.deepEqual(jose.decodeProtectedHeader(sealed), { alg: "dir", enc: "A256GCM" });
  assert.notEqual(sealed, await sealToken("EAAB", BYTES));
  assert.deepEqual(await openToken(sealed, BYTES), "EAAB");

  await assert.rejects(() => openToken(sealed, new Uint8Array(32)), jose.errors.JOSEError);
  const last = sealed.at(-2) === "A" ? "B" : "A";
  const altered = sealed.slice(0, -2) + last + sealed.slice(-1);
  await assert.rejects(() => openToken(altered, BYTES), jose.errors.JOSEError);
  await assert.rejects(() => openToken("EAAB", BYTES), jose.errors.JOSEError);
});
