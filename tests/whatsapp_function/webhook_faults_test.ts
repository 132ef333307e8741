// Tests the webhook with large and slow bodies, with broken connections, and with a database that
// is down.
import assert from "node:assert/strict";
import type { WhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import {
  type ChannelApp,
  eventsOf,
  newChannelApp,
  ownWebhook,
  signatureOf,
} from "../support/channel_apps.ts";
import { type Company, newCompany } from "../support/company.ts";
import { watchedStack } from "../support/own_functions.ts";
import { rawConnection, served } from "../support/raw_http.ts";
import { statement } from "../support/test_stack.ts";

const webhook = await ownWebhook();
const MAX_BYTES = 3 * 1024 * 1024;

Deno.test("a body of 3 MiB is stored, and a body with one more byte is refused with a 413", async () => {
  const app = await newChannelApp();
  const body = new TextEncoder().encode("x".repeat(MAX_BYTES));
  assert.equal((await webhook.post(app, body)).status, 200);
  const more = new Uint8Array([...body, 0]);
  assert.equal((await webhook.post(app, more)).status, 413);
  // The limit also applies without a Content-Length.
  const streamed = await webhook.fetch(
    new Request(`http://edge/whatsapp/webhook/${app.app_key}`, {
      method: "POST",
      headers: { "X-Hub-Signature-256": await signatureOf(more, app.secret) },
      body: new Blob([more]).stream(),
    }),
  );
  assert.equal(streamed.status, 413);
  await streamed.body?.cancel();
  const [stored, ...others] = await eventsOf(app);
  assert.ok(stored.body.equals(body));
  assert.deepEqual(others, []);
});

Deno.test("a request without a signature is refused before its body is read", async () => {
  const app = await newChannelApp();
  const { port, ...server } = served(webhook.fetch);
  await using _server = server;
  const connection = await rawConnection(port, head(app.app_key, 1_000_000));
  const { status, body } = await connection.answer();
  assert.deepEqual([status, body.code], [401, "invalid_signature"]);
});

Deno.test("if a body never arrives, the response is a 408 and nothing is stored", async () => {
  const app = await newChannelApp();
  const impatient = await ownWebhook({ bodyTimeoutMs: 50 });
  const { port, ...server } = served(impatient.fetch);
  await using _server = server;
  const signature = await signatureOf(new TextEncoder().encode("event"), app.secret);
  const connection = await rawConnection(port, `${head(app.app_key, 5, signature)}eve`);
  assert.equal((await connection.answer()).status, 408);
  assert.deepEqual(await eventsOf(app), []);
});

Deno.test("nothing is stored if the connection breaks while the body is sent", async () => {
  const app = await newChannelApp();
  const answered = Promise.withResolvers<number>();
  const { port, ...server } = served(async (request) => {
    const answer = await webhook.fetch(request);
    answered.resolve(answer.status);
    return answer;
  });
  await using _server = server;
  const body = new TextEncoder().encode("event");
  const signature = await signatureOf(body, app.secret);
  const connection = await rawConnection(port, `${head(app.app_key, 9, signature)}event`);
  connection.hangUp();
  assert.equal(await answered.promise, 400);
  assert.deepEqual(await eventsOf(app), []);
});

const NOBODY_WAITS = { waiting: 0, patienceMs: 0 };
const LARGE = 100_000;
const large = (name: string) => name.padEnd(LARGE, ".");

/**
 * A webhook that has already cached its apps, and accepts few large bodies at a time. If `owner` is
 * given, this company has registered the first two of the three apps.
 */
async function busyWebhook(changes: Partial<WhatsappConfig> = {}, owner?: Company) {
  const own = await ownWebhook({
    largeBodyShare: { atOnce: 1, inAll: 2, ...NOBODY_WAITS },
    largeBodyPace: { graceMs: 60_000, bytesPerMs: 1 },
    bodyTimeoutMs: 60_000,
    ...changes,
  });
  const apps = await Promise.all([newChannelApp(), newChannelApp(), newChannelApp()]);
  if (owner) {
    await statement`
      update channel_apps set owner_company_id = ${owner.id}
      where id in (${apps[0].id}, ${apps[1].id})
    `;
  }
  for (const app of apps) assert.equal((await own.post(app, "known")).status, 200);
  let begun = Promise.withResolvers<void>();
  const server = served((request) => {
    const answering = own.fetch(request);
    begun.resolve();
    return answering;
  });
  const hangUps: (() => void)[] = [];
  return {
    apps,
    post: own.post,
    /** Starts sending a large body to an app's path, and sends only this many bytes. */
    async begin({ app_key, secret }: ChannelApp, body: string, length: number) {
      begun = Promise.withResolvers<void>();
      const signature = await signatureOf(new TextEncoder().encode(body), secret);
      const sent = head(app_key, body.length, signature) + body.slice(0, length);
      const connection = await rawConnection(server.port, sent);
      hangUps.push(connection.hangUp);
      await begun.promise;
      return connection;
    },
    async [Symbol.asyncDispose]() {
      for (const hangUp of hangUps) {
        try {
          hangUp();
        } catch {
          // The connection is already closed.
        }
      }
      await server[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a slow body blocks other large bodies for the same app, but not bodies for other apps", async () => {
  await using own = await busyWebhook();
  const [app, other] = own.apps;
  const connection = await own.begin(app, large("slow"), 9);
  const busy = await own.post(app, large("busy"));
  assert.deepEqual([busy.status, busy.body.code], [503, "database_unavailable"]);
  assert.ok(busy.headers.has("Retry-After"));
  assert.equal((await own.post(app, "small")).status, 200);
  assert.equal((await own.post(other, large("other"))).status, 200);
  connection.hangUp();
  while ((await own.post(app, large("busy"))).status !== 200);
  assert.equal((await eventsOf(app)).length, 3);
});

Deno.test("the service limits how many large bodies it reads at a time across all apps", async () => {
  await using own = await busyWebhook();
  const [first, second, third] = own.apps;
  for (const app of [first, second]) await own.begin(app, large("slow"), 9);
  assert.equal((await own.post(third, large("third"))).status, 503);
  assert.equal((await own.post(third, "small")).status, 200);
});

Deno.test("all apps of a company share one slot for large bodies, and another app's large body is still read", async () => {
  await using own = await busyWebhook({}, await newCompany());
  const [first, second, other] = own.apps;
  await own.begin(first, large("slow"), 9);
  assert.equal((await own.post(second, large("second"))).status, 503);
  assert.equal((await own.post(other, large("other"))).status, 200);
});

Deno.test("all apps of a company share one slot for storing large events, and another app's large event is still stored", async () => {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let stores = 0;
  await using watched = watchedStack(async (request) => {
    if (request.url.endsWith("store_channel_event") && ++stores === 1) {
      begun.resolve();
      await released.promise;
    }
    return null;
  });
  await using own = await busyWebhook({
    supabaseUrl: watched.url,
    largeBodyShare: { atOnce: 3, inAll: 3, ...NOBODY_WAITS },
    largeEventShare: { atOnce: 1, inAll: 2, ...NOBODY_WAITS },
  }, await newCompany());
  const [first, second, other] = own.apps;
  const slow = own.post(first, large("slow"));
  await begun.promise;
  const [{ status: ofSecond }, { status: ofOther }] = [
    await own.post(second, large("second")),
    await own.post(other, large("other")),
  ];
  released.resolve();
  assert.deepEqual([(await slow).status, ofSecond, ofOther], [200, 503, 200]);
});

Deno.test("the events of all apps of a company share one limit, and events of another app are still applied", async () => {
  const released = Promise.withResolvers<void>();
  let begun = Promise.withResolvers<void>();
  await using watched = watchedStack(async (request) => {
    if (!request.url.endsWith("receive_channel_event")) return null;
    const { body } = await request.clone().json();
    if (atob(body).includes("slow")) {
      begun.resolve();
      await released.promise;
    }
    return null;
  });
  await using own = await busyWebhook({
    supabaseUrl: watched.url,
    eventShare: { atOnce: 1, inAll: 2, ...NOBODY_WAITS },
  }, await newCompany());
  const [first, second, other] = own.apps;
  const post = async (app: ChannelApp, business: string, text = "") =>
    (await own.post(app, `{"entry":[{"id":"${business}","changes":["${text}"]}]}`)).status;
  const slow = [post(first, "11", "slow")];
  await begun.promise;
  const ofSameAccount = await post(second, "11");
  begun = Promise.withResolvers<void>();
  slow.push(post(second, "22", "slow"));
  await begun.promise;
  const statuses = [ofSameAccount, await post(first, "33"), await post(other, "11")];
  released.resolve();
  assert.deepEqual(statuses, [503, 503, 200]);
  assert.deepEqual(await Promise.all(slow), [200, 200]);
});

Deno.test("a large body that is too slow is refused with a 408, and the next large body is read", async () => {
  await using own = await busyWebhook({
    largeBodyShare: { atOnce: 1, inAll: 1, waiting: 1, patienceMs: 60_000 },
    largeBodyPace: { graceMs: 500, bytesPerMs: 1_000_000 },
  });
  const [app] = own.apps;
  const connection = await own.begin(app, large("slow"), LARGE - 1);
  assert.equal((await own.post(app, large("next"))).status, 200);
  const { status, body } = await connection.answer();
  assert.deepEqual([status, body.code], [408, "request_timeout"]);
});

Deno.test("a large body that arrives in time is accepted", async () => {
  await using own = await busyWebhook({ largeBodyPace: { graceMs: 50, bytesPerMs: 1 } });
  const [app] = own.apps;
  const body = large("steady");
  const connection = await own.begin(app, body, LARGE - 1); // it may take 100 seconds
  await new Promise((resolve) => setTimeout(resolve, 100));
  await connection.write(body.slice(-1));
  assert.equal((await connection.answer()).status, 200);
});

Deno.test("only large bodies with a valid signature count toward the limit on storing large events", async () => {
  await using own = await busyWebhook({
    largeEventShare: { atOnce: 0, inAll: 0, ...NOBODY_WAITS },
  });
  const [app] = own.apps;
  const wrong = `sha256=${"0".repeat(64)}`;
  assert.equal((await own.post(app, large("forged"), wrong)).status, 401);
  assert.equal((await own.post(app, large("right"))).status, 503);
});

function head(appKey: string, length: number, signature?: string): string {
  return `POST /whatsapp/webhook/${appKey} HTTP/1.1\r\nHost: edge\r\nContent-Length: ${length}\r\n` +
    (signature ? `X-Hub-Signature-256: ${signature}\r\n` : "") + "\r\n";
}

Deno.test("an event needs two database round trips, but only one if the instance has cached the app", async () => {
  const app = await newChannelApp();
  await using watched = watchedStack();
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const calls = async (body: string) => {
    const before = watched.seen.length;
    assert.equal((await own.post(app, body)).status, 200);
    return watched.seen.slice(before).map(({ path }) => path.replace("/rest/v1/rpc/", ""));
  };
  assert.deepEqual(await calls("1"), ["channel_app", "receive_channel_event"]);
  assert.deepEqual(await calls("2"), ["receive_channel_event"]);
  // After a wrong signature, the instance reads the app once more. If the signature is missing, the
  // instance does not read the app.
  const before = watched.seen.length;
  await own.post(app, "3", `sha256=${"0".repeat(64)}`);
  assert.equal(watched.seen.length, before + 1);
  await own.post(app, "3", null);
  assert.equal(watched.seen.length, before + 1);
  // The function does not look up a string that cannot be an app's key.
  await own.post({ ...app, app_key: "nothing" }, "4");
  assert.equal(watched.seen.length, before + 1);
});

Deno.test("while the database is down, an event is refused with a 503 and a `Retry-After`, and its repeat is stored later", async () => {
  const app = await newChannelApp();
  let isAway = true;
  await using watched = watchedStack(() =>
    isAway ? new Response("upstream is away", { status: 502 }) : null
  );
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const errors = console.error;
  console.error = () => {};
  try {
    for (const known of [false, true]) {
      isAway = true;
      const body = `event ${known}`;
      const { status, headers, body: answer } = await own.post(app, body);
      assert.deepEqual([status, answer.code], [503, "database_unavailable"]);
      assert.ok(Number(headers.get("Retry-After")) > 0);
      isAway = false;
      assert.equal((await own.post(app, body)).status, 200);
    }
  } finally {
    console.error = errors;
  }
  assert.equal((await eventsOf(app)).length, 2);
});

Deno.test("if the database's response is lost, the function answers 503, and the event is stored only once when it arrives again", async () => {
  const app = await newChannelApp();
  let loses = true;
  await using watched = watchedStack(async (request) => {
    if (!loses || !request.url.endsWith("receive_channel_event")) return null;
    await (await watched.forward(request)).body?.cancel();
    return new Response("", { status: 504 });
  });
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const errors = console.error;
  console.error = () => {};
  assert.equal((await own.post(app, "event")).status, 503);
  console.error = errors;
  loses = false;
  assert.equal((await own.post(app, "event")).status, 200);
  assert.equal((await eventsOf(app)).length, 1);
});
