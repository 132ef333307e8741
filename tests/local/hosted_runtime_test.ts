// The functions on their own, as the platform runs them: an entry that exports fetch, mounted under
// its own name, on the Deno that the hosted runtime is compatible with.
import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { startFunction } from "../support/function_process.ts";
import { send } from "../support/calls.ts";
import { takenFrom, template } from "../support/sending.ts";
import { environment, stack } from "../support/test_stack.ts";
import { root } from "../../local/checkout.ts";
import type { NotStarted } from "../../local/functions/process.ts";

// The program itself: .bin/deno may be a script that starts it, and a signal would end only the script.
const deno = `${root}tools/node_modules/deno/deno`;

const company = await newCompany();
const headers = {
  Authorization: `Bearer ${company.keys.all}`,
  "Content-Type": "application/json",
};

Deno.test("the tools contain the Deno version of the hosted runtime", async () => {
  const version = await new Deno.Command(deno, { args: ["--version"] }).output();
  assert.match(new TextDecoder().decode(version.stdout), /^deno 2\.1\.4 /);
});

Deno.test("the gateway serves requests on that Deno", async () => {
  await using gateway = await startFunction("gateway", { deno });
  const { status, body } = await send(`${gateway.url}/pipelines`, "GET", headers);
  assert.deepEqual([status, body.data[0].id], [200, company.pipeline_id]);

  const json = { phone: anyPhone() };
  const made = await send(`${gateway.url}/contacts`, "POST", headers, JSON.stringify(json));
  assert.deepEqual([made.status, made.body.data.phone], [201, json.phone]);

  const wrong = await send(`${gateway.url}/contacts`, "GET", { "X-Api-Key": "sk_live_wrong" });
  assert.deepEqual([wrong.status, wrong.body.code], [401, "invalid_api_key"]);
});

Deno.test("the template endpoint sends on that Deno, and recognises a repeat", async () => {
  await using sender = await startFunction("send-external-template", {
    channelUrl: `${stack.url}/sandbox/v26.0`,
    deno,
  });
  const phone = anyPhone();
  const json = template(phone, { body_variables: ["Ada 🚚", "A-1815"], idempotency_key: "hosted" });
  const post = (json: unknown) => send(sender.url, "POST", headers, JSON.stringify(json));
  const { status, body } = await post(json);
  const [taken] = await takenFrom(company, phone);
  assert.deepEqual([status, body], [200, {
    success: true,
    conversation_id: body.conversation_id,
    message_id: body.message_id,
    whatsapp_message_id: taken.id,
    created_conversation: true,
    idempotent_hit: false,
  }]);
  assert.deepEqual(taken.message.template.components, [
    { type: "body", parameters: ["Ada 🚚", "A-1815"].map((text) => ({ type: "text", text })) },
  ]);

  const repeat = await post(json);
  assert.deepEqual([repeat.status, repeat.body], [200, {
    success: true,
    status: "sent",
    conversation_id: body.conversation_id,
    message_id: body.message_id,
    idempotent_hit: true,
  }]);
  assert.equal((await takenFrom(company, phone)).length, 1);

  const refused = await post(template("+15550132001"));
  assert.deepEqual([refused.status, refused.body.channel.code], [422, 132001]);
  const wrong = await post({ ...json, phone: "none" });
  assert.deepEqual([wrong.status, wrong.body.details[0].field], [422, "phone"]);
  assert.equal((await send(sender.url, "POST", {})).status, 401);
});

Deno.test("a function without its configuration does not start, and says what is missing or malformed", async () => {
  const key = JSON.parse(environment().JWT_SIGNING_KEY).k;
  const cases: [Record<string, string>, string][] = [
    [{ SUPABASE_URL: "" }, "SUPABASE_URL must be the URL of the Supabase project."],
    [
      { SUPABASE_PUBLISHABLE_KEYS: "" },
      "SUPABASE_PUBLISHABLE_KEYS (or SUPABASE_ANON_KEY) is missing",
    ],
    [{ JWT_SIGNING_KEY: key }, "JWT_SIGNING_KEY must be a private JWK as JSON"],
  ];
  await Promise.all(cases.map(async ([broken, sentence]) => {
    const starting = startFunction("gateway", { env: broken });
    await assert.rejects(starting, ({ code, printed }: NotStarted) => {
      assert.equal(code, 1);
      assert.ok(printed.includes(`ConfigError: ${sentence}`), printed);
      assert.ok(!printed.includes(key), "no part of a key is printed");
      return true;
    });
  }));
});
