// What the Data API of the local stack thinks of the times and the role in a token. PostgREST allows 30 s of
// difference between its clock and that of whoever made the token.
import assert from "node:assert/strict";
import { silently, startBoth } from "./lite.ts";
import { token } from "../support/rest.ts";

const { corrected, uncorrected, end } = await startBoth(`
  create function claims() returns json stable language sql
    return current_setting('request.jwt.claims')::json;
`);
Deno.test.afterAll(end);

const role = "authenticated";

const seconds = () => Math.floor(Date.now() / 1000);

async function answer(api: typeof corrected, claims: Record<string, unknown>, key?: Uint8Array) {
  const text = await token({ role, ...claims }, { key, expires: claims.exp as number });
  const headers = { Authorization: `Bearer ${text}` };
  const { status, body } = await api("/rpc/claims", { claims: null, headers });
  return [status, status === 200 ? body.role : body.message];
}

Deno.test("a token's times may differ by 30 s", async () => {
  const now = seconds();
  const cases: [Record<string, unknown>, number, string][] = [
    [{ exp: now - 20 }, 200, role],
    [{ exp: now - 40 }, 401, "JWT expired"],
    [{ iat: now + 20, exp: now + 60 }, 200, role],
    [{ iat: now + 60, exp: now + 60 }, 401, "JWT issued at future"],
    [{ nbf: now + 20, exp: now + 60 }, 200, role],
    [{ nbf: now + 60, exp: now + 60 }, 401, "JWT not yet valid"],
    [{ exp: now - 40, nbf: now + 60, iat: now + 60 }, 401, "JWT expired"],
  ];
  const differing: string[] = [];
  for (const [claims, ...expected] of cases) {
    const shown = JSON.stringify(claims);
    assert.deepEqual(await answer(corrected, claims), expected, shown);
    await silently(async () => {
      const [status] = await answer(uncorrected, claims);
      if (status !== expected[0]) differing.push(shown);
    });
  }
  assert.equal(differing.length, 3);
});

Deno.test("a wrong signature counts before the times do", async () => {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const [status, message] = await answer(corrected, { exp: seconds() - 40 }, key);
  assert.deepEqual([status, message], [401, "No suitable key or wrong key type"]);
});

Deno.test("a token with a role that does not exist is a 401", async () => {
  const { status, body } = await corrected("/rpc/claims", { claims: { role: "nobody" } });
  const message = 'role "nobody" does not exist';
  assert.deepEqual([status, body], [401, {
    code: "22023",
    message,
    details: null,
    hint: null,
  }]);

  const printed = await silently(async () => {
    const { status } = await uncorrected("/rpc/claims", { claims: { role: "nobody" } });
    assert.notEqual(status, 401);
  });
  assert.equal(printed, 1);
});
