import * as jose from "jose";
import assert from "node:assert/strict";
import { companyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import {
  channelTokenSource,
  tokenSource,
  usageTokenSource,
} from "../../supabase/functions/_shared/key/token.ts";
import { ConfigError, readConfig } from "../../supabase/functions/_shared/config.ts";
import { readSenderConfig } from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";

const OCT = JSON.stringify({ kty: "oct", k: "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldC0" });
const GOOD = {
  SUPABASE_URL: "http://127.0.0.1:54321",
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
  JWT_SIGNING_KEY: OCT,
};

async function refusal(env: Record<string, string | undefined>): Promise<string> {
  const error = await readConfig(env).then(() => null, (error) => error);
  assert.ok(error instanceof ConfigError, `refused: ${JSON.stringify(env)}`);
  return error.message;
}

Deno.test("the publishable key is the default entry of SUPABASE_PUBLISHABLE_KEYS, or else SUPABASE_ANON_KEY", async () => {
  assert.equal((await readConfig(GOOD)).publishableKey, "sb_publishable_x");
  const older = { ...GOOD, SUPABASE_PUBLISHABLE_KEYS: undefined, SUPABASE_ANON_KEY: "anon" };
  assert.equal((await readConfig(older)).publishableKey, "anon");
});

Deno.test("the environment is local only if the WhatsApp API runs on the same machine as the functions", async () => {
  const environments = {
    "http://127.0.0.1:54321/sandbox/v26.0": "local",
    "http://host.docker.internal:9000/sandbox/v26.0": "local",
    "https://graph.facebook.com/v26.0": "live",
    "https://sandbox.example.com/v26.0": "live",
    "malformed": "live",
    "": "live",
  };
  for (const [WHATSAPP_API_URL, environment] of Object.entries(environments)) {
    const config = await readConfig({ ...GOOD, WHATSAPP_API_URL });
    assert.equal(config.environment, environment, WHATSAPP_API_URL);
  }
});

Deno.test("if a variable is missing or malformed, the error names the variable but does not contain its value", async () => {
  const wrong: [string, (string | undefined)[]][] = [
    ["SUPABASE_URL", [undefined, "", "not a url", "localhost:54321", "file:///x"]],
    ["SUPABASE_PUBLISHABLE_KEYS", [undefined, "{", "[]", "{}", '{"default":""}', '"x"']],
    ["JWT_SIGNING_KEY", [
      undefined,
      "secret-that-is-no-json",
      "{}",
      "null",
      '{"kty":"oct"}',
      '{"kty":"oct","k":"dG9vLXNob3J0"}',
      '{"kty":"RSA","n":"x","e":"AQAB"}',
      '{"kty":"EC","crv":"P-256","x":"secret","y":"secret"}',
      '{"kty":"EC","crv":"P-256","x":"secret","y":"secret","d":"secret"}',
      `{"kty":"EC","crv":"P-256","x":"${"A".repeat(43)}","y":"${"A".repeat(43)}","d":"${
        "A".repeat(43)
      }"}`,
      '{"kty":"EC","crv":"P-384","x":"a","y":"b","d":"c"}',
      ...["", " ", "two words", "line\nbreak", "ключ", "k".repeat(256), 7, null, {}]
        .map((kid) => JSON.stringify({ ...JSON.parse(OCT), kid })),
    ]],
  ];
  for (const [name, values] of wrong) {
    for (const value of values) {
      const message = await refusal({ ...GOOD, [name]: value });
      assert.match(message, new RegExp(`^${name} .*\\.$`));
      assert.ok(!message.includes("\n") && !message.includes("secret-that"));
    }
  }
});

/** The token that a database client sends to this test's server. */
async function sentToken(jwk: string): Promise<string> {
  let authorization = "";
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    authorization = request.headers.get("Authorization") ?? "";
    assert.equal(request.headers.get("apikey"), "sb_publishable_x");
    return Response.json([]);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const config = await readConfig({ ...GOOD, SUPABASE_URL: url, JWT_SIGNING_KEY: jwk });
  const token = tokenSource(config.signingKey, "a".repeat(64), "write");
  await companyDb(config, token).from("deals").select("id");
  await server.shutdown();
  return authorization.replace("Bearer ", "");
}

async function assertToken(
  token: string,
  key: Parameters<typeof jose.jwtVerify>[1],
  header: object,
) {
  const { payload, protectedHeader } = await jose.jwtVerify(token, key);
  assert.deepEqual(protectedHeader, header);
  // The token has no `iat` claim, because PostgREST would refuse the token if the clock of
  // PostgREST is behind.
  const { exp, ...claims } = payload;
  assert.deepEqual(claims, { role: "api_client", key_hash: "a".repeat(64), scope: "write" });
  const seconds = exp! - Math.floor(Date.now() / 1000);
  assert.ok(seconds > 120 && seconds <= 150, `${seconds} s`);
}

Deno.test("a symmetric key signs HS256 tokens that are valid for two and a half minutes", async () => {
  const key = await jose.importJWK(JSON.parse(OCT), "HS256");
  await assertToken(await sentToken(OCT), key, { alg: "HS256", typ: "JWT" });
});

Deno.test("a token contains the ID of the symmetric key that signed it, if the key has an ID", async () => {
  const key = await jose.importJWK(JSON.parse(OCT), "HS256");
  for (const kid of ["7c9cd1e6-5f3a-4e0e-9c3a-1d0f5a1b2c3d", "!~", "k".repeat(255)]) {
    const jwk = JSON.stringify({ ...JSON.parse(OCT), kid });
    await assertToken(await sentToken(jwk), key, { alg: "HS256", typ: "JWT", kid });
  }
});

Deno.test("an EC key signs ES256 tokens that contain the key's ID", async () => {
  const { publicKey, privateKey } = await jose.generateKeyPair("ES256", { extractable: true });
  const jwk = JSON.stringify({ ...await jose.exportJWK(privateKey), kid: "one" });
  await assertToken(await sentToken(jwk), publicKey, { alg: "ES256", typ: "JWT", kid: "one" });
});

Deno.test("the token of the `whatsapp` function contains only its role, and is used for half a minute", async () => {
  const { signingKey } = await readConfig(GOOD);
  const source = channelTokenSource(signingKey);
  const token = await source();
  assert.equal(await source(), token);
  const { exp, ...claims } = jose.decodeJwt(token);
  assert.deepEqual(claims, { role: "channel_client" });
  assert.ok(exp! - Date.now() / 1000 <= 150);
});

Deno.test("the token for reporting key usage contains only its role", async () => {
  const { signingKey } = await readConfig(GOOD);
  const { exp, ...claims } = jose.decodeJwt(await usageTokenSource(signingKey)());
  assert.deepEqual(claims, { role: "usage_client" });
  assert.ok(exp! - Date.now() / 1000 <= 150);
});

Deno.test("key usage is reported within a minute, even if the first try times out", async () => {
  const { tellUsageEveryMs, databaseTimeoutMs } = await readConfig(GOOD);
  assert.ok(2 * (tellUsageEveryMs + databaseTimeoutMs) <= 60_000);
});

const CREDENTIALS_KEY = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I";
const SENDER = { ...GOOD, CREDENTIALS_KEY };

Deno.test("a lease of 90 seconds is long enough to wait 20 seconds for the channel and to record the outcome", async () => {
  const { whatsapp, settleRetriesMs, settleWaitMs } = await readSenderConfig(SENDER);
  assert.equal(whatsapp.timeoutMs, 20_000);
  const longest = whatsapp.timeoutMs + settleRetriesMs.reduce((sum, ms) => sum + ms, 0);
  assert.ok(settleRetriesMs.length > 0 && longest < 90_000);
  assert.ok(settleWaitMs > 0 && settleWaitMs < 10_000);
});

Deno.test("the previous credentials key comes after the current key, and is optional", async () => {
  const previous = "A".repeat(43);
  const keys = async (CREDENTIALS_KEY_PREVIOUS?: string) =>
    (await readSenderConfig({ ...SENDER, CREDENTIALS_KEY_PREVIOUS })).credentialsKeys;
  const current = jose.base64url.decode(CREDENTIALS_KEY);
  assert.deepEqual(await keys(), [current]);
  assert.deepEqual(await keys(""), [current]);
  assert.deepEqual(await keys(previous), [current, new Uint8Array(32)]);
});

Deno.test("if a variable of the template endpoint is invalid, the error names the variable but reveals no secret", async () => {
  const wrong: [string, (string | undefined)[]][] = [
    ["WHATSAPP_API_URL", [
      ...["graph.facebook.com/v26.0", "//graph.facebook.com", "not a url", "ftp://x", "file:///x"],
      ...["https://", "https://x/?a=secret-s", "https://x/#secret-s", "data:text/plain,x"],
      ...["https://secret-s@x/v26.0", "https://:secret-s@x/v26.0"],
    ]],
    ["CREDENTIALS_KEY", [undefined, "secret-s", `${CREDENTIALS_KEY}A`]],
    ["CREDENTIALS_KEY_PREVIOUS", ["secret-s", `${CREDENTIALS_KEY},${CREDENTIALS_KEY}`]],
    ["SUPABASE_URL", [undefined]],
  ];
  for (const [name, values] of wrong) {
    for (const value of values) {
      const refused = readSenderConfig({ ...SENDER, [name]: value });
      const error = await refused.then(() => null, (error) => error);
      assert.ok(error instanceof ConfigError, `${name} refuses ${value}`);
      assert.match(error.message, new RegExp(`^${name} [^\\n]*\\.$`));
      assert.ok(!error.message.includes("secret-s"));
      assert.ok(!error.message.includes(CREDENTIALS_KEY.slice(5, 20)));
    }
  }
});

Deno.test("without `JOBS_SECRET`, jobs are disabled, and the error for a malformed `JOBS_SECRET` does not show its value", async () => {
  const secretOf = async (JOBS_SECRET?: string) =>
    (await readWhatsappConfig({ ...SENDER, JOBS_SECRET })).jobsSecret;
  assert.deepEqual([await secretOf(), await secretOf("")], [null, null]);
  const good = "secret-s".repeat(4);
  assert.equal(await secretOf(good), good);
  for (const bad of [good.slice(1), ` ${good}`, `${good}\n`, "ü".repeat(40), "s".repeat(256)]) {
    await assert.rejects(secretOf(bad), (error: ConfigError) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /^JOBS_SECRET [^\n]*\.$/);
      assert.ok(!error.message.includes("secret-s"));
      return true;
    });
  }
});
