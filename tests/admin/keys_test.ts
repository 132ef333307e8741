import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { admin, bareCompany, json, printed } from "./command.ts";

const KEY = /^sk_live_[A-Za-z0-9_-]{43}$/m;

function noCompany(id: string): string {
  return `No company has the id ${id}: npm run admin -- company list shows the ids.\n`;
}

function create(company: string, ...more: string[]): string[] {
  return ["key", "create", "--company", company, "--name", "A program", ...more];
}

async function gatewayStatus(key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${stack.gateway_url}/pipelines`, { headers });
  await response.body?.cancel();
  return response.status;
}

Deno.test("a key is printed once and stored as a hash", async () => {
  const company = await bareCompany();
  const text = await printed(create(company, "--scopes", "write,read,read"));
  assert.match(text, /^Created the key "A program" \(read, write\), which does not expire\. /);
  assert.match(text, /shown only this once/);
  const [key] = KEY.exec(text)!;

  const [row] = await withDatabase((sql) =>
    sql`select * from api_keys where company_id = ${company}`
  );
  assert.deepEqual(row.key_hash, await hashKey(key));
  assert.deepEqual(row.hint, key.slice(-4));
  assert.deepEqual(row.scopes, ["read", "write"]);
  assert.doesNotMatch(JSON.stringify(row), KEY);

  const [table, list] = await Promise.all([
    printed(["key", "list", "--company", company]),
    printed(["key", "list", "--company", company, "--json"]),
  ]);
  for (const output of [table, list]) {
    assert.deepEqual([output.includes(key), output.includes(row.key_hash)], [false, false]);
  }
});

Deno.test("the gateway accepts a key until it is deactivated, and after activation until it is deleted", async () => {
  const made = await json(
    create(await bareCompany(), "--scopes", "read", "--expires", "2999-12-31"),
  );
  assert.match(made.api_key, KEY);
  assert.deepEqual(made.expires_at, "2999-12-31T00:00:00+00:00");
  assert.deepEqual(await gatewayStatus(made.api_key), 200);

  const hint = `sk_live_…${made.api_key.slice(-4)}`;
  const off = await printed(["key", "deactivate", made.id]);
  assert.deepEqual(off, `The key "A program" (${hint}) is now inactive.\n`);
  assert.deepEqual(await gatewayStatus(made.api_key), 401);

  const on = await json(["key", "activate", made.id]);
  assert.deepEqual([on.id, on.is_active, on.key_hash], [made.id, true, undefined]);
  assert.deepEqual(await gatewayStatus(made.api_key), 200);

  const gone = await printed(["key", "delete", made.id]);
  assert.deepEqual(gone, `Deleted the key "A program" (${hint}).\n`);
  assert.deepEqual(await gatewayStatus(made.api_key), 401);
});

Deno.test("keys are listed newest first, each with its scopes and state", async () => {
  const company = await bareCompany();
  await withDatabase((sql) =>
    sql`
      insert into api_keys (company_id, name, key_hash, hint, scopes, is_active, expires_at, last_used_at, created_at)
      select ${company}, name, encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), hint, scopes::text[],
        is_active, expires_at::timestamptz, last_used_at::timestamptz, created_at::timestamptz
      from (values
        ('oldest', 'aaaa', '{read}', true, '2020-02-01T10:00Z', null, '2020-01-01T10:00Z'),
        ('newest', 'cccc', '{messaging,read}', true, null, '2026-05-06T07:08:59Z', '2026-01-01T10:00Z'),
        ('会社 mid', 'bbbb', '{write}', false, '2999-01-01T00:00Z', null, '2025-01-01T10:00Z')
      ) as key (name, hint, scopes, is_active, expires_at, last_used_at, created_at)
    `
  );
  const table = await printed(["key", "list", "--company", company]);
  const withoutIds = table.trimEnd().split("\n").map((line) => line.slice(38));
  assert.deepEqual(withoutIds, [
    "NAME      KEY            SCOPES          STATE     EXPIRES               LAST USED",
    "newest    sk_live_…cccc  messaging,read  active    never                 2026-05-06 07:08 UTC",
    "会社 mid  sk_live_…bbbb  write           inactive  2999-01-01 00:00 UTC  never",
    "oldest    sk_live_…aaaa  read            expired   2020-02-01 10:00 UTC  never",
  ]);
});

Deno.test("a list longer than one page of the Data API is complete", async () => {
  const company = await bareCompany();
  await withDatabase((sql) =>
    sql`
      insert into api_keys (company_id, name, key_hash, hint, scopes)
      select ${company}, 'Key ' || n, encode(sha256(convert_to(${company} || n, 'UTF8')), 'hex'), 'abcd', '{read}'
      from generate_series(1, 1003) as n
    `
  );
  const keys: { id: string }[] = await json(["key", "list", "--company", company]);
  assert.deepEqual(keys.length, 1003);
  assert.deepEqual(new Set(keys.map(({ id }) => id)).size, 1003);
});

Deno.test("a key with a wrong name, expiry or company is refused with a sentence", async () => {
  const company = await bareCompany();
  const nobody = crypto.randomUUID();
  const [past, blank, unknown] = await Promise.all([
    admin(create(company, "--scopes", "read", "--expires", "2020-01-01T00:00:00Z")),
    admin(create(company, "--scopes", "read", "--name", " ")),
    admin(create(nobody, "--scopes", "read")),
  ]);
  assert.deepEqual(blank.code, 2);
  assert.match(
    blank.stderr,
    /^error: option '--name <n>' argument ' ' is invalid\. It must have 1 to 100 characters\.\n/,
  );
  assert.deepEqual(past.code, 2);
  assert.match(
    past.stderr,
    /^error: option '--expires <ISO>' argument '2020-\S+' is invalid\. It must be in the future\.\nTry --help\.\n$/,
  );
  assert.deepEqual(unknown, { code: 1, stdout: "", stderr: noCompany(nobody) });
  const keys = await withDatabase((sql) => sql`select from api_keys where company_id = ${company}`);
  assert.deepEqual(keys.length, 0);
});

Deno.test("an unknown key or company is named, with the command that lists the ids", async () => {
  const id = crypto.randomUUID();
  const endings = await Promise.all([
    admin(["key", "deactivate", id]),
    admin(["key", "activate", id, "--json"]),
    admin(["key", "delete", id]),
    admin(["key", "list", "--company", id]),
  ]);
  const failed = (stderr: string) => ({ code: 1, stdout: "", stderr });
  const noKey = failed(`No API key has the id ${id}: npm run admin -- key list shows the ids.\n`);
  assert.deepEqual(endings, [noKey, noKey, noKey, failed(noCompany(id))]);
});
