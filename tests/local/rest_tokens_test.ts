// Tests how the local stack's Data API checks the times and the role in a token. Like PostgREST, it
// allows a clock difference of 30 seconds between itself and the token's issuer.
import assert from "node:assert/strict";
import { startDataApi } from "./lite.ts";
import { token } from "../support/rest.ts";

const { api, end } = await startDataApi(`
  create function claims() returns json stable language sql
    return current_setting('request.jwt.claims')::json;
`);
Deno.test.afterAll(end);

const role = "authenticated";

const seconds = () => Math.floor(Date.now() / 1000);

async function answer(claims: Record<string, unknown>, key?: Uint8Array) {
  const text = await token({ role, ...claims }, { key, expires: claims.exp as number });
  const headers = { Authorization: `Bearer ${text}` };
  const { status, body } = await api("/rpc/claims", { claims: null, headers });
  return [status, status === 200 ? body.role : body.message];
}

Deno.test("a token's times may be off by up to 30 seconds", async () => {
  /** The times in a token, in seconds from the moment of its request. */
  const cases: [Record<string, number>, number, string][] = [
    [{ exp: -10 }, 200, role],
    [{ exp: -40 }, 401, "JWT expired"],
    [{ iat: 20, exp: 60 }, 200, role],
    [{ iat: 60, exp: 60 }, 401, "JWT issued at future"],
    [{ nbf: 20, exp: 60 }, 200, role],
    [{ nbf: 60, exp: 60 }, 401, "JWT not yet valid"],
    [{ exp: -40, nbf: 60, iat: 60 }, 401, "JWT expired"],
  ];
  for (const [times, ...expected] of cases) {
    const now = seconds();
    const claims = Object.fromEntries(
      Object.entries(times).map(([name, time]) => [name, now + time]),
    );
    assert.deepEqual(await answer(claims), expected, JSON.stringify(times));
  }
});

Deno.test("a wrong signature is reported before a wrong time", async () => {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const [status, message] = await answer({ exp: seconds() - 40 }, key);
  assert.deepEqual([status, message], [401, "No suitable key or wrong key type"]);
});

Deno.test("a token with an unknown role returns a 401", async () => {
  const { status, body } = await api("/rpc/claims", { claims: { role: "nobody" } });
  const message = 'role "nobody" does not exist';
  assert.deepEqual([status, body], [401, { code: "22023", message, details: null, hint: null }]);
});
