// Tests what the webhook logs.
import assert from "node:assert/strict";
import { newChannelApp, ownWebhook, signatureOf } from "../support/channel_apps.ts";
import { later, logged } from "../support/log_lines.ts";
import { statement } from "../support/test_stack.ts";

const webhook = await ownWebhook();

Deno.test("each refusal writes a log line, and no log line or response contains a secret, a token or a body", async () => {
  const app = await newChannelApp();
  const body = "what people write"; // this is not an event
  const answers: string[] = [];
  const lines = await later(20, () =>
    logged(async () => {
      const signature = await signatureOf(new TextEncoder().encode(body), "another secret");
      const query = `hub.mode=subscribe&hub.verify_token=presented&hub.challenge=1`;
      for (
        const answer of [
          await webhook.post(app, body, signature),
          await webhook.post(app, body, null),
          await webhook.ask(`${app.app_key}?${query}`),
          await webhook.post(app, body),
        ]
      ) answers.push(answer.text, JSON.stringify([...answer.headers]));
    }));
  const told = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    told.map(({ event, code, reason, path }) => [event, code, reason, path]),
    [
      ["key_refused", "invalid_signature", "wrong", `/whatsapp/webhook/${app.app_key}`],
      ["key_refused", "invalid_signature", "missing", `/whatsapp/webhook/${app.app_key}`],
      ["key_refused", "wrong_verify_token", undefined, `/whatsapp/webhook/${app.app_key}`],
      ["channel_event", undefined, undefined, `/whatsapp/webhook/${app.app_key}`],
    ],
  );
  const all = [...lines, ...answers].join("\n");
  for (const secret of [app.secret, app.verify_token, "presented", body]) {
    assert.ok(!all.includes(secret), secret);
  }
  const [row] = await statement`select * from channel_apps where id = ${app.id}`;
  assert.ok(!JSON.stringify(row).includes(app.secret));
  assert.ok(!JSON.stringify(row).includes(app.verify_token));
});

Deno.test("many simultaneous refusals write at most twenty log lines", async () => {
  const app = await newChannelApp();
  const lines = await later(20, () =>
    logged(async () => {
      await Promise.all(Array.from({ length: 30 }, () => webhook.post(app, "event", null)));
    }));
  assert.ok(lines.length <= 20, `${lines.length}`);
});

Deno.test("many wrong signatures for an app with an unusable secret write at most ten lines about the secret", async () => {
  const app = await newChannelApp();
  // An event with a wrong signature makes the instance read the app again.
  await statement`
    update channel_apps set sealed_previous_secret = 'e30..YWFh.YmJi.Y2Nj', rotation_began_at = now()
    where id = ${app.id}
  `;
  const refused = async (times: number) => {
    const lines = await logged(async () => {
      for (let time = 0; time < times; time++) {
        const { status } = await webhook.post({ ...app, secret: "another secret" }, `${time}`);
        assert.equal(status, 401);
      }
    });
    return lines.map((line) => JSON.parse(line)).filter(({ event }) =>
      event === "app_secret_unusable"
    );
  };
  const told = await later(10, () => refused(30));
  assert.equal(told.length, 10);
  const [next] = await later(30, () => refused(1));
  assert.ok(next.left_out >= 20, `${next.left_out}`);
  assert.deepEqual([next.app_key, next.kind], [app.app_key, "secret"]);
});
