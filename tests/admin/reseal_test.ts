// The command changes every account of a project, so these tests use a project of their own.
import assert from "node:assert/strict";
import { keyIdOf } from "../../supabase/functions/_shared/whatsapp/credentials.ts";
import { admin } from "./command.ts";
import {
  anyCredentialsKey,
  keyId,
  open,
  type OwnProject,
  seal,
  sealWithoutKeyId,
  startOwnProject,
} from "./own_project.ts";

let project: OwnProject;
Deno.test.beforeAll(async () => {
  project = await startOwnProject();
});
Deno.test.beforeEach(async () => void await project.sql`delete from companies`);
Deno.test.afterAll(() => project[Symbol.asyncDispose]());

const RESEAL = ["account", "reseal"];
const [OLD, NEW, OTHER] = [anyCredentialsKey(), anyCredentialsKey(), anyCredentialsKey()];
const BOTH = { CREDENTIALS_KEY: NEW, CREDENTIALS_KEY_PREVIOUS: OLD };
const [NEW_ID, OTHER_ID] = await Promise.all([NEW, OTHER].map(keyId));

function summary(resealed: number, alreadyCurrent: number): string {
  return `Tokens re-encrypted under the key ${NEW_ID}: ${resealed}; already under it: ${alreadyCurrent}.\n`;
}

/** Runs `account reseal --json`, which must succeed, and returns the printed value. */
async function resealed(env: Record<string, string | undefined> = BOTH) {
  const { code, stdout, stderr } = await project.operate([...RESEAL, "--json"], env);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** A proxy before the project that does something before it passes on a request with this path. */
function proxy(path: string, before: () => Promise<Response | void>) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async ({ method, headers, url, body }) => {
      const { pathname, search } = new URL(url);
      const answer = pathname.endsWith(path) && await before();
      return answer ||
        await fetch(project.stack.url + pathname + search, { method, headers, body });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}

Deno.test("every token is re-encrypted under the current key, and a second run has nothing to do", async () => {
  const current = await seal("D", NEW);
  const ids = await project.accounts(
    await seal("A", OLD),
    await sealWithoutKeyId("B", OLD),
    await sealWithoutKeyId("C", NEW),
    current,
    null,
  );
  const first = await project.operate(RESEAL, BOTH);
  assert.deepEqual(first, { code: 0, stdout: summary(3, 1), stderr: "" });
  const tokens = await project.tokens(ids);
  const opened = await Promise.all(tokens.slice(0, 4).map((token) => open(token!, NEW)));
  assert.deepEqual(opened, ["A", "B", "C", "D"]);
  assert.deepEqual(tokens.slice(0, 4).map((token) => keyIdOf(token!)), Array(4).fill(NEW_ID));
  assert.deepEqual(tokens.slice(3), [current, null]);

  for (const env of [BOTH, { CREDENTIALS_KEY: NEW }]) {
    const again = await project.operate(RESEAL, env);
    assert.deepEqual(again, { code: 0, stdout: summary(0, 4), stderr: "" });
  }
  assert.deepEqual(await resealed(), { resealed: 0, already_current: 4, unopened: [] });
  assert.deepEqual(await project.tokens(ids), tokens);
});

Deno.test("a project without accounts is no error", async () => {
  assert.deepEqual(await resealed(), { resealed: 0, already_current: 0, unopened: [] });
});

Deno.test("a token that no key opens is reported and left, and all others are re-encrypted", async () => {
  const current = await seal("SECRET-1", NEW);
  const altered = current.slice(0, -4) + current.slice(-4).split("").toReversed().join("");
  const left = [
    await seal("SECRET-2", OTHER),
    altered === current ? `${current}A` : altered,
    await sealWithoutKeyId("SECRET-3", OTHER),
    "no..sealed.token.-",
  ];
  const [first, ...ids] = await project.accounts(
    await seal("A", OLD),
    ...left,
    await seal("B", OLD),
    current,
  );
  const last = ids.splice(left.length);

  const { code, stdout, stderr } = await project.operate(RESEAL, BOTH);
  assert.deepEqual([code, stdout], [1, summary(2, 1)]);
  const keyIds = [OTHER_ID, NEW_ID, null, null];
  const unopened = ids.map((id, at) => ({ id, key_id: keyIds[at] }))
    .toSorted((a, b) => a.id < b.id ? -1 : 1);
  const named = unopened.map(({ id, key_id }) => `the account ${id} (key ${key_id ?? "unknown"})`);
  assert.equal(
    stderr,
    `Neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS opens the token of ${
      named.join(", ")
    }. ` +
      "Set CREDENTIALS_KEY_PREVIOUS to the key of the token, or connect the account again.\n",
  );
  assert.deepEqual(await project.tokens(ids), left);
  const others = await project.tokens([first, ...last]);
  const opened = await Promise.all(others.map((token) => open(token!, NEW)));
  assert.deepEqual(opened, ["A", "B", "SECRET-1"]);

  const asJson = await project.operate([...RESEAL, "--json"], BOTH);
  assert.deepEqual([asJson.code, asJson.stderr], [1, stderr]);
  assert.deepEqual(JSON.parse(asJson.stdout), { resealed: 0, already_current: 3, unopened });
  const told = stdout + stderr + asJson.stdout;
  for (const secret of ["SECRET", OLD, NEW, ...left]) assert.ok(!told.includes(secret), secret);
});

const MEANWHILE: Record<string, [encryptedToken: () => Promise<string | null>, counted: unknown]> =
  {
    "connected again under the previous key": [() => seal("AGAIN", OLD), {
      resealed: 2,
      already_current: 0,
      unopened: [],
    }],
    "connected again under the current key": [() => seal("AGAIN", NEW), {
      resealed: 1,
      already_current: 1,
      unopened: [],
    }],
    "disconnected": [() => Promise.resolve(null), {
      resealed: 1,
      already_current: 0,
      unopened: [],
    }],
  };

for (const [what, [newToken, counted]] of Object.entries(MEANWHILE)) {
  Deno.test(`an account that is ${what} during the run is counted once, in its new state`, async () => {
    const ids = await project.accounts(await seal("A", OLD), await seal("B", OLD));
    const [one] = ids.toSorted();
    const encrypted_token = await newToken();
    let requests = 0;
    await using changing = proxy("/rpc/reseal_account_token", async () => {
      if (requests++ > 0) return;
      const disconnected_at = encrypted_token === null ? new Date() : null;
      await project.sql`
        update messaging_accounts set ${
        project.sql({ encrypted_token, disconnected_at })
      } where id = ${one}
      `;
    });
    assert.deepEqual(await resealed({ ...BOTH, url: changing.url }), counted);
    const [token] = await project.tokens([one]);
    assert.equal(token && await open(token, NEW), encrypted_token && "AGAIN");
  });
}

Deno.test("the next run finishes an interrupted one", async () => {
  const ids = await project.accounts(
    ...await Promise.all(["A", "B", "C", "D"].map((token) => seal(token, OLD))),
  );
  let requests = 0;
  await using breaking = proxy("/rpc/reseal_account_token", async () => {
    if (++requests === 3) {
      return await Promise.resolve(new Response("<h1>Gone</h1>", { status: 502 }));
    }
  });
  const { code, stdout, stderr } = await project.operate(RESEAL, { ...BOTH, url: breaking.url });
  assert.deepEqual([code, stdout, requests], [1, "", 3]);
  assert.match(stderr, /^\S+ does not answer like a Supabase project \(HTTP 502\): [^\n]*\.\n$/);

  assert.deepEqual(await resealed(), { resealed: 2, already_current: 2, unopened: [] });
  const tokens = await project.tokens(ids);
  const opened = await Promise.all(tokens.map((token) => open(token!, NEW)));
  assert.deepEqual(opened, ["A", "B", "C", "D"]);
});

Deno.test("two runs at once re-encrypt each token once, over several pages", async () => {
  const count = 203;
  const sealed = await Promise.all(
    Array.from({ length: count }, (_, number) => seal(`token ${number}`, OLD)),
  );
  const ids = await project.accounts(...sealed);
  const both = await Promise.all([resealed(), resealed()]);
  assert.equal(both[0].resealed + both[1].resealed, count);
  for (const { resealed, already_current } of both) assert.equal(resealed + already_current, count);
  const tokens = await project.tokens(ids);
  const opened = await Promise.all(tokens.map((token) => open(token!, NEW)));
  assert.deepEqual(opened, sealed.map((_, number) => `token ${number}`));
});

Deno.test("on the local stack the current key is the stack's and the previous one comes from the environment", async () => {
  const { folder, secrets: { credentials_key } } = project;
  const ids = await project.accounts(await seal("A", OLD), await seal("B", credentials_key));
  const env = { STACK_FILE: `${folder}/stack.json`, CREDENTIALS_KEY_PREVIOUS: OLD };
  const { code, stdout, stderr } = await admin([...RESEAL, "--json"], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(JSON.parse(stdout), { resealed: 1, already_current: 1, unopened: [] });
  const tokens = await project.tokens(ids);
  const opened = await Promise.all(tokens.map((token) => open(token!, credentials_key)));
  assert.deepEqual(opened, ["A", "B"]);
});

Deno.test("a missing or malformed key is reported before any token changes", async () => {
  const ids = await project.accounts(await seal("A", OLD));
  const before = await project.tokens(ids);
  const wrong: [Record<string, string | undefined>, RegExp][] = [
    [{ CREDENTIALS_KEY: undefined }, /^CREDENTIALS_KEY must be 32 random bytes in [^\n]*\.\n$/],
    [
      { CREDENTIALS_KEY_PREVIOUS: OLD.slice(1) },
      /^CREDENTIALS_KEY_PREVIOUS must be [^\n]*\.\n$/,
    ],
  ];
  for (const [env, sentence] of wrong) {
    const { code, stdout, stderr } = await project.operate(RESEAL, { ...BOTH, ...env });
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.match(stderr, sentence);
    assert.ok(!stderr.includes(OLD.slice(1)));
  }
  assert.deepEqual(await project.tokens(ids), before);
});
