// `account reseal` changes every account in a project, so these tests use their own project.
import assert from "node:assert/strict";
import {
  type AppSecretKind,
  openAppSecret,
  sealAppSecret,
} from "../../supabase/functions/_shared/credentials/app_secrets.ts";
import {
  openWebhookSecret,
  sealWebhookSecret,
} from "../../supabase/functions/_shared/credentials/webhook_secrets.ts";
import {
  keyIdOf,
  type TokenAccount,
} from "../../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";
import type { Resealing } from "../../admin/reseal.ts";
import { admin } from "./command.ts";
import { anyCredentialsKey, keyId, type OwnProject, seal, startOwnProject } from "./own_project.ts";

let project: OwnProject;
Deno.test.beforeAll(async () => {
  project = await startOwnProject();
});
Deno.test.beforeEach(async () => {
  await project.sql`delete from companies`;
  await project.sql`delete from channel_apps`;
});
Deno.test.afterAll(() => project[Symbol.asyncDispose]());

const RESEAL = ["account", "reseal"];
const [OLD, NEW, OTHER] = [anyCredentialsKey(), anyCredentialsKey(), anyCredentialsKey()];
const BOTH = { CREDENTIALS_KEY: NEW, CREDENTIALS_KEY_PREVIOUS: OLD };
const [NEW_ID, OTHER_ID] = await Promise.all([NEW, OTHER].map(keyId));

function summary(resealed: number, alreadyCurrent: number): string {
  return `Tokens re-encrypted under the key ${NEW_ID}: ${resealed}; already under this key: ${alreadyCurrent}.\n`;
}

/** The output of `account reseal --json`. */
function counted(resealed: number, already_current: number, errors: Partial<Resealing> = {}) {
  const app_secrets = { resealed: 0, already_current: 0, unopened: [] };
  const none = { unopened: [], of_another_account: [] };
  const webhook_secrets = { resealed: 0, already_current: 0, unopened: [] };
  return { resealed, already_current, ...none, app_secrets, webhook_secrets, ...errors };
}

/** Runs `account reseal --json`, which must succeed, and returns the parsed output. */
async function resealed(env: Record<string, string | undefined> = BOTH) {
  const { code, stdout, stderr } = await project.operate([...RESEAL, "--json"], env);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/**
 * A proxy in front of the project. For a request with this path, the proxy first calls `before`,
 * which may respond to the request.
 */
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

Deno.test("every token is re-encrypted with the current key, and a second run changes nothing", async () => {
  const ids = await project.accounts(seal("A", OLD), seal("B", OLD), seal("C", NEW), null);
  const current = (await project.tokens(ids)).slice(2);
  const first = await project.operate(RESEAL, BOTH);
  assert.deepEqual(first, { code: 0, stdout: summary(2, 1), stderr: "" });
  const tokens = await project.tokens(ids);
  assert.deepEqual(await project.opened(ids.slice(0, 3), NEW), [..."ABC"]);
  assert.deepEqual(tokens.slice(0, 3).map((token) => keyIdOf(token!)), [NEW_ID, NEW_ID, NEW_ID]);
  assert.deepEqual(tokens.slice(2), current);

  for (const env of [BOTH, { CREDENTIALS_KEY: NEW }]) {
    const again = await project.operate(RESEAL, env);
    assert.deepEqual(again, { code: 0, stdout: summary(0, 3), stderr: "" });
  }
  assert.deepEqual(await resealed(), counted(0, 3));
  assert.deepEqual(await project.tokens(ids), tokens);
});

Deno.test("if no key can decrypt a token, the token is reported and left unchanged, and all other tokens are re-encrypted", async () => {
  const altered = async (account: TokenAccount) => {
    const parts = (await seal("SECRET-1", NEW)(account)).split(".");
    parts[3] = parts[3].split("").toReversed().join("");
    return parts.join(".");
  };
  const unopenable = [seal("SECRET-2", OTHER), altered, "no..sealed.token.-"];
  const others = [seal("B", OLD), seal("SECRET-1", NEW)];
  const [first, ...ids] = await project.accounts(seal("A", OLD), ...unopenable, ...others);
  const last = ids.splice(3);
  const left = await project.tokens(ids);

  const { code, stdout, stderr } = await project.operate(RESEAL, BOTH);
  assert.deepEqual([code, stdout], [1, summary(2, 1)]);
  const keyIds = [OTHER_ID, NEW_ID, null];
  const unopened = ids.map((id, at) => ({ id, key_id: keyIds[at] }))
    .toSorted((a, b) => a.id < b.id ? -1 : 1);
  const named = unopened.map(({ id, key_id }) => `the account ${id} (key ${key_id ?? "unknown"})`);
  const neither = "Neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS opens the token of " +
    `${named.join(", ")}. ` +
    "Set CREDENTIALS_KEY_PREVIOUS to the key that encrypted the token, or connect the account " +
    "again.\n";
  assert.equal(stderr, neither);
  assert.deepEqual(await project.tokens(ids), left);
  assert.deepEqual(await project.opened([first, ...last], NEW), ["A", "B", "SECRET-1"]);

  const asJson = await project.operate([...RESEAL, "--json"], BOTH);
  assert.deepEqual([asJson.code, asJson.stderr], [1, stderr]);
  assert.deepEqual(JSON.parse(asJson.stdout), counted(0, 3, { unopened }));
  const told = stdout + stderr + asJson.stdout;
  for (const secret of ["SECRET", OLD, NEW, ...left]) assert.ok(!told.includes(secret!));
});

Deno.test("a token that was encrypted for another account is reported and left unchanged", async () => {
  const sealed = [seal("SECRET-1", OLD), seal("A", OLD), seal("B", NEW)];
  const [mine, ...theirs] = await project.accounts(...sealed);
  const [moved] = await project.rows([mine]);
  const [other] = await project.accounts(moved.encrypted_token);
  await project.sql`update messaging_accounts set phone_number_id = '4711' where id = ${theirs[1]}`;
  const [changed] = await project.rows([theirs[1]]);
  const before = [moved.encrypted_token, changed.encrypted_token];

  const { code, stdout, stderr } = await project.operate(RESEAL, BOTH);
  assert.deepEqual([code, stdout], [1, summary(2, 0)]);
  const was = namedBy(changed.encrypted_token!);
  const of_another_account = [
    { id: other, sealed_for: `${moved.company_id}/${moved.phone_number_id}` },
    { id: changed.id, sealed_for: was },
  ].toSorted((a, b) => a.id < b.id ? -1 : 1);
  assert.match(was, new RegExp(`^${changed.company_id}/[0-9]+$`));
  const named = of_another_account.map(({ id, sealed_for }) =>
    `the account ${id} (it has the token of ${sealed_for})`
  );
  assert.equal(
    stderr,
    `Someone changed a token or the ids of an account in the database: ${named.join(", ")}. ` +
      "The account cannot send. Find out who changed it, and connect the account again.\n",
  );
  assert.deepEqual(await project.tokens([other, changed.id]), before);
  assert.deepEqual(await project.opened([mine, theirs[0]], NEW), ["SECRET-1", "A"]);

  const asJson = await project.operate([...RESEAL, "--json"], BOTH);
  assert.deepEqual([asJson.code, asJson.stderr], [1, stderr]);
  assert.deepEqual(JSON.parse(asJson.stdout), counted(0, 2, { of_another_account }));
  for (const secret of ["SECRET", ...before]) {
    assert.ok(!(stdout + stderr + asJson.stdout).includes(secret!));
  }
});

/** The account that a token was encrypted for. */
function namedBy(sealed: string): string {
  return JSON.parse(atob(sealed.split(".")[0].replaceAll("-", "+").replaceAll("_", "/"))).account;
}

/** Adds an app with these secrets, encrypted with `key`. */
async function addApp(app_key: string, secret: string, key: string, previous?: string) {
  const sealed = (text: string, kind: AppSecretKind) =>
    sealAppSecret(text, { app_key, kind }, readCredentialsKey(key));
  const row = {
    app_key,
    name: "Resealed",
    sealed_secret: await sealed(secret, "secret"),
    sealed_verify_token: await sealed("token", "verify_token"),
    sealed_previous_secret: previous ? await sealed(previous, "secret") : null,
    rotation_began_at: previous ? new Date() : null,
  };
  await project.sql`insert into channel_apps ${project.sql(row)}`;
}

Deno.test("the command re-encrypts every app secret, and reports each secret that it cannot decrypt for its app", async () => {
  const [one, two] = ["app-with-the-old-key", "app-with-another-key"];
  await addApp(one, "A", OLD, "B");
  const app_secrets = { resealed: 3, already_current: 0, unopened: [] as unknown[] };
  assert.deepEqual(await resealed(), { ...counted(0, 0), app_secrets });
  const [app] = await project.sql`select * from channel_apps`;
  const open = (sealed: string, kind: AppSecretKind) =>
    openAppSecret(sealed, { app_key: one, kind }, [readCredentialsKey(NEW)]);
  assert.deepEqual([
    await open(app.sealed_secret, "secret"),
    await open(app.sealed_previous_secret, "secret"),
    await open(app.sealed_verify_token, "verify_token"),
  ], ["A", "B", "token"]);

  await addApp(two, "SECRET", OTHER);
  await project.sql`
    update channel_apps set sealed_verify_token = ${app.sealed_verify_token} where app_key = ${two}
  `;
  const { code, stdout, stderr } = await project.operate(RESEAL, BOTH);
  assert.deepEqual([code, stdout], [
    1,
    `${summary(0, 0)}Secrets of apps re-encrypted: 0; already under this key: 3.\n`,
  ]);
  assert.match(
    stderr,
    new RegExp(
      `^Neither .* opens the verify token of the app ${two} \\(key ${NEW_ID}\\), ` +
        `the secret of the app ${two} \\(key ${OTHER_ID}\\)\\. `,
    ),
  );
});

Deno.test("a second run completes the work of an interrupted run", async () => {
  const ids = await project.accounts(...[..."ABCD"].map((token) => seal(token, OLD)));
  let requests = 0;
  await using breaking = proxy("/rpc/reseal_account_token", async () => {
    if (++requests === 3) {
      return await Promise.resolve(new Response("<h1>Gone</h1>", { status: 502 }));
    }
  });
  const { code, stdout, stderr } = await project.operate(RESEAL, { ...BOTH, url: breaking.url });
  assert.deepEqual([code, stdout, requests], [1, "", 3]);
  assert.match(stderr, /^\S+ does not answer like a Supabase project \(HTTP 502\): [^\n]*\.\n$/);

  assert.deepEqual(await resealed(), counted(2, 2));
  assert.deepEqual(await project.opened(ids, NEW), [..."ABCD"]);
});

Deno.test("the current key is read from the local stack, and the previous key from the environment", async () => {
  const { folder, secrets: { credentials_key } } = project;
  const ids = await project.accounts(seal("A", OLD), seal("B", credentials_key));
  const env = { STACK_FILE: `${folder}/stack.json`, CREDENTIALS_KEY_PREVIOUS: OLD };
  const { code, stdout, stderr } = await admin([...RESEAL, "--json"], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(JSON.parse(stdout), counted(1, 1));
  assert.deepEqual(await project.opened(ids, credentials_key), ["A", "B"]);
});

Deno.test("a missing or malformed key is reported before any token changes", async () => {
  const ids = await project.accounts(seal("A", OLD));
  const before = await project.tokens(ids);
  const wrong: [Record<string, string | undefined>, RegExp][] = [
    [{ CREDENTIALS_KEY: undefined }, /^CREDENTIALS_KEY must be 32 random bytes in [^\n]*\.\n$/],
    [{ CREDENTIALS_KEY_PREVIOUS: OLD.slice(1) }, /^CREDENTIALS_KEY_PREVIOUS must be [^\n]*\.\n$/],
  ];
  for (const [env, sentence] of wrong) {
    const { code, stdout, stderr } = await project.operate(RESEAL, { ...BOTH, ...env });
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.match(stderr, sentence);
    assert.ok(!stderr.includes(OLD.slice(1)));
  }
  assert.deepEqual(await project.tokens(ids), before);
});

/** The end of a webhook's previous secret, this many hours from now. */
const endIn = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

Deno.test("the command re-encrypts webhook secrets, and reports the secrets that it cannot decrypt", async () => {
  const [{ id: company_id }] = await project.sql`
    insert into companies (name) values ('Resealed') returning id
  `;
  const add = async (key: string, previous: string[]) => {
    const webhook_id = crypto.randomUUID();
    const sealed = (text: string) =>
      sealWebhookSecret(text, { company_id, webhook_id }, readCredentialsKey(key));
    const row = {
      ...{ id: webhook_id, company_id, url: "https://hooks.example.com/", types: ["*"] },
      sealed_secret: await sealed("whsec_A"),
      sealed_previous_secrets: await Promise.all(previous.map(sealed)),
      previous_secrets_end_at: previous.map((_, at) => endIn(2 - at)),
    };
    await project.sql`insert into webhooks ${project.sql(row)}`;
    return webhook_id;
  };
  const webhook_id = await add(OLD, ["whsec_B", "whsec_C"]);
  const webhook_secrets = { resealed: 3, already_current: 0, unopened: [] as unknown[] };
  assert.deepEqual(await resealed(), { ...counted(0, 0), webhook_secrets });
  const [{ sealed }] = await project.sql`
    select sealed_secret || sealed_previous_secrets as sealed from webhooks
  `;
  const opened = await Promise.all(
    sealed.map((each: string) =>
      openWebhookSecret(each, { company_id, webhook_id }, [readCredentialsKey(NEW)])
    ),
  );
  assert.deepEqual(opened, ["whsec_A", "whsec_B", "whsec_C"]);

  const other = await add(OTHER, []);
  const { code, stdout, stderr } = await project.operate(RESEAL, BOTH);
  assert.deepEqual([code, stdout], [
    1,
    `${summary(0, 0)}Secrets of webhooks re-encrypted: 0; already under this key: 3.\n`,
  ]);
  assert.ok(stderr.includes(`the secret of the webhook ${other} (key ${OTHER_ID})`), stderr);
});

Deno.test("the last of more than 1,000 webhook secrets and app secrets is also re-encrypted", async () => {
  const [{ id: company_id }] = await project.sql`
    insert into companies (name) values ('Resealed') returning id
  `;
  const last = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  const ids = [...Array.from({ length: 1000 }, () => crypto.randomUUID() as string), last];
  const [hooks, apps] = await Promise.all([
    Promise.all(ids.map(async (id) => ({
      ...{ id, company_id, url: "https://hooks.example.com/", types: ["*"] },
      sealed_secret: await sealWebhookSecret(
        "whsec_A",
        { company_id, webhook_id: id },
        readCredentialsKey(id === last ? OLD : NEW),
      ),
    }))),
    Promise.all(
      ids.slice(500).map(async (app_key) => {
        const sealed = (kind: AppSecretKind) =>
          sealAppSecret("A", { app_key, kind }, readCredentialsKey(app_key === last ? OLD : NEW));
        return {
          ...{ app_key, name: "Resealed", sealed_secret: await sealed("secret") },
          sealed_verify_token: await sealed("verify_token"),
        };
      }),
    ),
  ]);
  await project.sql`insert into webhooks ${project.sql(hooks)}`;
  await project.sql`insert into channel_apps ${project.sql(apps)}`;
  assert.deepEqual(await resealed(), {
    ...counted(0, 0),
    webhook_secrets: { resealed: 1, already_current: 1000, unopened: [] },
    app_secrets: { resealed: 2, already_current: 1000, unopened: [] },
  });
});

for (const rotatedAt of [1, 2]) {
  Deno.test(`if a webhook's secret is rotated just before request ${rotatedAt} of the command, the old secret is also re-encrypted`, async () => {
    const [{ id: company_id }] = await project.sql`
      insert into companies (name) values ('Resealed') returning id
    `;
    const webhook_id = crypto.randomUUID();
    const sealed = (text: string, key: string) =>
      sealWebhookSecret(text, { company_id, webhook_id }, readCredentialsKey(key));
    const row = {
      ...{ id: webhook_id, company_id, url: "https://hooks.example.com/", types: ["*"] },
      sealed_secret: await sealed("whsec_B", OLD),
      sealed_previous_secrets: [await sealed("whsec_A", OLD)],
      previous_secrets_end_at: [endIn(1)],
    };
    await project.sql`insert into webhooks ${project.sql(row)}`;
    const next = await sealed("whsec_C", NEW);
    let requests = 0;
    await using rotating = proxy("/rpc/reseal_webhook_secret", async () => {
      if (++requests !== rotatedAt) return;
      await project.sql`
        update webhooks set sealed_secret = ${next},
          sealed_previous_secrets = sealed_secret || sealed_previous_secrets,
          previous_secrets_end_at = ${endIn(2)}::text::timestamptz || previous_secrets_end_at
      `;
    });
    const { code, stderr } = await project.operate(RESEAL, { ...BOTH, url: rotating.url });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    const [{ sealed_secret, sealed_previous_secrets: [previous] }] = await project.sql`
      select * from webhooks
    `;
    assert.equal(sealed_secret, next);
    const webhook = { company_id, webhook_id };
    const opened = await openWebhookSecret(previous, webhook, [readCredentialsKey(NEW)]);
    assert.equal(opened, "whsec_B");
  });
}
