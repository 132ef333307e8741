import assert from "node:assert/strict";
import { openAppSecret } from "../../supabase/functions/_shared/credentials/app_secrets.ts";
import { addChannelApp, eventsOf, newChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { credentialsKey, stack, statement, withDatabase } from "../support/test_stack.ts";
import { admin, bareCompany, json, printed } from "./command.ts";

const SECRETS = "the-app-secret-123\nthe-verify-token-456\n";

async function appOf(app_key: string) {
  const [app] = await statement`select * from channel_apps where app_key = ${app_key}`;
  return app;
}

Deno.test("`app create` encrypts the app's two secrets and prints the callback URL for the channel", async () => {
  const create = ["app", "create", "--name", " Our app "];
  const { app_key, name, callback_url, ...more } = await json(create, SECRETS);
  assert.deepEqual(Object.keys(more), ["created_at"]);
  assert.match(app_key, /^[0-9a-f]{32}$/);
  assert.equal(name, "Our app");
  assert.equal(callback_url, `${stack.url}/functions/v1/whatsapp/webhook/${app_key}`);
  const app = await appOf(app_key);
  const open = (sealed: string, kind: "secret" | "verify_token") =>
    openAppSecret(sealed, { app_key, kind }, [credentialsKey]);
  assert.equal(await open(app.sealed_secret, "secret"), "the-app-secret-123");
  assert.equal(await open(app.sealed_verify_token, "verify_token"), "the-verify-token-456");
  await assert.rejects(open(app.sealed_secret, "verify_token"), { name: "SecretOfAnotherApp" });

  const query = "hub.mode=subscribe&hub.verify_token=the-verify-token-456&hub.challenge=7";
  const verified = await fetch(`${callback_url}?${query}`);
  assert.deepEqual([verified.status, await verified.text()], [200, "7"]);

  const crlf = SECRETS.replaceAll("\n", "\r\n");
  const text = await printed(["app", "create", "--name", "Other"], crlf);
  assert.match(
    text,
    /^Created the app Other; [^\n]*\n {2}App key {7}[0-9a-f]{32}\n {2}Callback URL {2}http:\S+\n$/,
  );
});

Deno.test("a missing or malformed secret is refused, and the error does not contain the secret", async () => {
  const wrong: [string, RegExp][] = [
    ["", /^The app secret is missing: /],
    ["the-app-secret-123\n", /^The verify token is missing: /],
    ["\nthe-verify-token-456", /^The app secret is missing: /],
    ["short\nthe-verify-token-456", /^This is not a valid app secret: it must have 8 to 255 /],
    ["the-app-secret-123\nhas spaces in it", /^This is not a valid verify token: /],
    [`${SECRETS}third-line`, /^Standard input has more lines than expected: /],
  ];
  for (const [input, sentence] of wrong) {
    const { code, stdout, stderr } = await admin(["app", "create", "--name", "None"], { input });
    assert.deepEqual([code, stdout], [1, ""], input);
    assert.match(stderr, sentence);
    for (const line of input.split("\n").filter(Boolean)) assert.ok(!stderr.includes(line));
  }
});

Deno.test("`app list` shows each app with its accounts and events, but without its secrets", async () => {
  const app = await newChannelApp();
  await (await ownWebhook()).post(app, "event"); // the function cannot read this event
  const shown = await json(["app", "list"]);
  const [{ last_event_at, created_at, ...found }] = shown.filter(
    ({ app_key }: { app_key: string }) => app_key === app.app_key,
  );
  assert.ok(last_event_at >= created_at);
  assert.deepEqual(found, {
    app_key: app.app_key,
    name: "Tested",
    rotation_began_at: null,
    accounts: 0,
    events: { dead: 1 },
    callback_url: `${stack.url}/functions/v1/whatsapp/webhook/${app.app_key}`,
  });
  const text = await printed(["app", "list"]);
  assert.match(text, new RegExp(`^${app.app_key}  +Tested  +0  +1 dead  +\\d{4}-.* UTC$`, "m"));
  assert.ok(!text.includes(app.secret));
});

Deno.test("`app rotate` adds a new secret and keeps the old secret until the rotation is finished", async () => {
  const app = await newChannelApp();
  const rotated = { ...app, secret: "the-new-app-secret" };
  const { rotation_began_at } = await json(["app", "rotate", app.app_key], rotated.secret);
  assert.ok(rotation_began_at);
  const during = await ownWebhook();
  assert.equal((await during.post(app, "1")).status, 200);
  assert.equal((await during.post(rotated, "2")).status, 200);
  assert.deepEqual(await json(["app", "rotate", app.app_key, "--finish"]), {
    app_key: app.app_key,
    finished: true,
  });
  const after = await ownWebhook();
  assert.equal((await after.post(app, "3")).status, 401);
  assert.equal((await after.post(rotated, "3")).status, 200);
  const again = await printed(["app", "rotate", app.app_key, "--finish"]);
  assert.equal(again, "The app was not in a rotation.\n");
});

Deno.test("`app delete` needs --force if an account uses the app or the app has unfinished events", async () => {
  const app = await newChannelApp();
  await (await ownWebhook()).post(app, "event"); // the function cannot read this event
  const company = await bareCompany();
  const number = anyPhoneNumberId();
  const connect = ["account", "connect", "--company", company, "--phone-number-id", number];
  await json([...connect, "--display-phone", "+15550100", "--app", app.app_key], "EAAB");
  const accountApp = async () => {
    const [{ channel_app_id }] = await statement`
      select channel_app_id from messaging_accounts where company_id = ${company}
    `;
    return channel_app_id;
  };
  assert.equal(await accountApp(), app.id);
  // Reconnecting an account without --app keeps the account's app.
  await json([...connect, "--display-phone", "+15550100"], "EAAB");
  assert.equal(await accountApp(), app.id);

  const { code, stderr } = await admin(["app", "delete", app.app_key]);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^The app was not deleted: 1 accounts use it .*, and 1 of its events wait /,
  );
  assert.deepEqual(
    await json(["app", "delete", app.app_key, "--force"]),
    { app_key: app.app_key, deleted: true, accounts: 1, events: 1 },
  );
  assert.deepEqual([await appOf(app.app_key), await eventsOf(app)], [undefined, []]);
  assert.equal(await accountApp(), null);
});

Deno.test("one `app delete` deletes an app with 10,000 events, and `app list` shows that the app has at least so many", async () => {
  const app = await newChannelApp();
  await statement`
    insert into channel_events (channel_app_id, body, body_sha256, state, next_attempt_at)
    select ${app.id}, '', sha256(text(number)::bytea), 'done', null from generate_series(1, 10000) as number
  `;
  assert.match(
    await printed(["app", "list"]),
    new RegExp(`^${app.app_key}  +Tested  +0  +10,000 or more done  `, "m"),
  );
  const deleted = await json(["app", "delete", app.app_key]);
  assert.deepEqual(deleted, { app_key: app.app_key, deleted: true, accounts: 0, events: 0 });
  assert.deepEqual([await appOf(app.app_key), await eventsOf(app)], [undefined, []]);
});

Deno.test("if an app is unknown, the error names the command that lists the app keys", async () => {
  const unknown = "no-such-app-anywhere";
  const company = await bareCompany();
  const number = ["--phone-number-id", anyPhoneNumberId(), "--display-phone", "+15550100"];
  const commands = [
    ["app", "rotate", unknown],
    ["app", "rotate", unknown, "--finish"],
    ["app", "delete", unknown],
    ["account", "connect", "--company", company, ...number, "--app", unknown],
  ];
  const error = `No app has the key ${unknown}: npm run admin -- app list shows the keys.\n`;
  for (const args of commands) {
    const { code, stdout, stderr } = await admin(args, { input: "the-app-secret-123" });
    assert.deepEqual([code, stdout, stderr], [1, "", error], args.join(" "));
  }
  await withDatabase((sql) => sql.begin((sql) => addChannelApp(sql)));
});
