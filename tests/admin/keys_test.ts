import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { addWebhook, type WebhookColumns } from "../support/webhooks.ts";
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

Deno.test("a key is shown only once, and only its hash is stored", async () => {
  const company = await bareCompany();
  const text = await printed(create(company, "--scopes", "write,read,read"));
  assert.match(text, /^Created the key "A program" \(read, write\), which does not expire\. /);
  assert.match(text, /shown only this once/);
  const [key] = KEY.exec(text)!;

  const [row] = await statement`select * from api_keys where company_id = ${company}`;
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

Deno.test("the gateway refuses a key that is deactivated or deleted, and accepts a reactivated key again", async () => {
  const args = ["--scopes", "read", "--expires", "2999-12-31"];
  const made = await json(create(await bareCompany(), ...args));
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

Deno.test("`key list` shows the keys with their scopes and states, newest first", async () => {
  const company = await bareCompany();
  await statement`
    insert into api_keys (company_id, name, key_hash, hint, scopes, is_active, expires_at, last_used_at, created_at)
    select ${company}, name, encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), hint, scopes::text[],
      is_active, expires_at::timestamptz, last_used_at::timestamptz, created_at::timestamptz
    from (values
      ('oldest', 'aaaa', '{read}', true, '2020-02-01T10:00Z', null, '2020-01-01T10:00Z'),
      ('newest', 'cccc', '{messaging,read}', true, null, '2026-05-06T07:08:59Z', '2026-01-01T10:00Z'),
      ('会社 mid', 'bbbb', '{write}', false, '2999-01-01T00:00Z', null, '2025-01-01T10:00Z')
    ) as key (name, hint, scopes, is_active, expires_at, last_used_at, created_at)
  `;
  const table = await printed(["key", "list", "--company", company]);
  const withoutIds = table.trimEnd().split("\n").map((line) => line.slice(38));
  assert.deepEqual(withoutIds, [
    "NAME      KEY            SCOPES          STATE     EXPIRES               LAST USED",
    "newest    sk_live_…cccc  messaging,read  active    never                 2026-05-06 07:08 UTC",
    "会社 mid  sk_live_…bbbb  write           inactive  2999-01-01 00:00 UTC  never",
    "oldest    sk_live_…aaaa  read            expired   2020-02-01 10:00 UTC  never",
  ]);
});

Deno.test("rotating a key prints the new key once, and the old key works until the overlap ends", async () => {
  const company = await bareCompany();
  const old = await json(create(company, "--scopes", "read,messaging"));
  const hint = (key: { api_key: string }) => `sk_live_…${key.api_key.slice(-4)}`;
  const first = await json(["key", "rotate", old.id]);
  assert.deepEqual(
    [first.name, first.scopes, first.replaces],
    ["A program", ["messaging", "read"], old.id],
  );
  const hours = (Date.parse(first.old_key_ends_at) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours < 24.1, first.old_key_ends_at);
  for (const key of [old, first]) assert.equal(await gatewayStatus(key.api_key), 200);

  const text = await printed(["key", "rotate", first.id, "--overlap", "now"]);
  assert.match(
    text,
    new RegExp(
      `^Created a successor of the key "A program" \\(${hint(first)}\\), with the same scopes ` +
        "\\(messaging, read\\), which does not expire\\. Its id is \\S+\\.\nThe old key is refused from now on\\.\n",
    ),
  );
  assert.match(text, /shown only this once/);
  const [second] = KEY.exec(text)!;
  const statuses = await Promise.all([old.api_key, first.api_key, second].map(gatewayStatus));
  assert.deepEqual(statuses, [200, 401, 200]);

  const table = await printed(["key", "list", "--company", company]);
  const cells = table.trimEnd().split("\n").map((line) => line.slice(38).split(/ {2,}/));
  const ends = cells[3][4];
  assert.deepEqual(cells.map((line) => [line[1], line[3], line[6]]), [
    ["KEY", "STATE", "REPLACES"],
    [hint({ api_key: second }), "active", hint(first)],
    [hint(first), "expired", hint(old)],
    [hint(old), "ending", undefined],
  ]);
  assert.equal(ends, `${first.old_key_ends_at.slice(0, 16).replace("T", " ")} UTC`);
});

Deno.test("`key rotate --overlap now` switches off the old key's webhooks and prints their URLs", async () => {
  const company = await bareCompany();
  const { id } = await json(create(company, "--scopes", "webhooks"));
  const add = (path: string, columns: WebhookColumns = {}) =>
    withDatabase((sql) =>
      addWebhook(sql, { id: company }, {
        ...{ url: `https://shop.example.com/${path}`, ...columns },
      })
    );
  const stopped = await add("stopped", { created_by_key_id: id });
  await add("of-no-key");
  const text = await printed(["key", "rotate", id, "--overlap", "now"]);
  assert.match(
    text,
    new RegExp(
      "\nThe old key is refused from now on\.\n" +
        "These webhooks of the old key are off now\. Check their URLs before anyone switches them on:\n" +
        `${stopped}  https://shop\.example\.com/stopped\n\nsk_live_`,
    ),
  );
  const states = await statement`
    select state, why from webhooks where company_id = ${company} order by url desc
  `;
  assert.deepEqual(states.map((row) => ({ ...row })), [
    { state: "off", why: "key_ended" },
    { state: "on", why: null },
  ]);
});

Deno.test("`key rotate` explains why it cannot rotate a key, and an inactive key remains inactive", async () => {
  const company = await bareCompany();
  const { id } = await json(create(company, "--scopes", "read"));
  const nobody = crypto.randomUUID();
  const [unknown, wrong] = await Promise.all([
    admin(["key", "rotate", nobody]),
    admin(["key", "rotate", id, "--overlap", "8d"]),
  ]);
  assert.deepEqual(unknown, {
    code: 1,
    stdout: "",
    stderr: `No API key has the id ${nobody}: npm run admin -- key list shows the ids.\n`,
  });
  assert.deepEqual(wrong.code, 2);
  assert.match(wrong.stderr, /It must be now, or 1 to 168 hours, such as 1h, 24h or 7d\./);

  await printed(["key", "deactivate", id]);
  const text = await printed(["key", "rotate", id, "--overlap", "7d"]);
  assert.match(text, /^The old key stays inactive, and ends \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/m);
  const again = await admin(["key", "rotate", id]);
  assert.match(
    again.stderr,
    /^The key "A program" \(.*\) was already replaced: rotate its successor, which key list shows\.\n$/,
  );
  const [event] = await statement`
    select actor_kind, client_address from company_events where key_id = ${id} and action = 'rotated'
  `;
  assert.equal(event.actor_kind, "platform");
});

Deno.test("`key list` is complete even if the list is longer than one page of the Data API", async () => {
  const company = await bareCompany();
  await statement`
    insert into api_keys (company_id, name, key_hash, hint, scopes)
    select ${company}, 'Key ' || n, encode(sha256(convert_to(${company} || n, 'UTF8')), 'hex'), 'abcd', '{read}'
    from generate_series(1, 1003) as n
  `;
  const keys: { id: string }[] = await json(["key", "list", "--company", company]);
  assert.deepEqual(keys.length, 1003);
  assert.deepEqual(new Set(keys.map(({ id }) => id)).size, 1003);
});

Deno.test("`key create` refuses an invalid name, expiry or company and explains why", async () => {
  const company = await bareCompany();
  const nobody = crypto.randomUUID();
  const wrong: [string[], RegExp][] = [
    [
      ["--expires", "2020-01-01T00:00:00Z"],
      /^'--expires <ISO>' argument '2020-\S+' .* in the future\.$/,
    ],
    [
      ["--name", " "],
      /^'--name <n>' argument ' ' is invalid\. It must have 1 to 100 characters\.$/,
    ],
  ];
  for (const [args, sentence] of wrong) {
    const { code, stderr } = await admin(create(company, "--scopes", "read", ...args));
    assert.equal(code, 2);
    const [, error] = /^error: option (.*)\nTry --help\.\n$/.exec(stderr)!;
    assert.match(error, sentence);
  }
  const unknown = await admin(create(nobody, "--scopes", "read"));
  assert.deepEqual(unknown, { code: 1, stdout: "", stderr: noCompany(nobody) });
  const keys = await statement`select from api_keys where company_id = ${company}`;
  assert.deepEqual(keys.length, 0);
});

Deno.test("if a key or company is unknown, the error names its id and the command that lists valid ids", async () => {
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
