// The media of a header: the approved sample, which the service uploads once and sends with every message.
import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../local/sandbox/rules.ts";
import { anyPhone, type Company } from "../support/company.ts";
import { companyWithTemplates, ownSandbox } from "../support/known_templates.ts";
import { ownSender } from "../support/own_functions.ts";
import { ledgerOf, storedMessage } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

const arrival = (changes: Record<string, unknown> = {}) => ({
  phone: anyPhone(),
  template_name: "new_arrival",
  language_code: "en_US",
  display_text: "New cups",
  body_variables: ["Ada"],
  ...changes,
});

const KINDS: Record<string, { type: string; fields: Record<string, unknown> }> = {
  new_arrival: { type: "image", fields: { body_variables: ["Ada"] } },
  machine_tour: { type: "video", fields: { body_variables: [] } },
  invoice_ready: { type: "document", fields: { body_variables: ["A-1815", "USD 1"] } },
};

Deno.test("each kind of media is uploaded by the first send and sent with every one", async (t) => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  for (const [template_name, { type, fields }] of Object.entries(KINDS)) {
    await t.step(type, async () => {
      const json = { ...arrival(fields), template_name };
      channel.calls.length = 0;
      const first = await send(company.keys.messaging, { ...json, template_header_type: type });
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.equal((await storedMessage(first.body.message_id)).type, type);
      assert.deepEqual(
        channel.calls.map(({ method, path }) => `${method} ${path.split("/")[2]}`),
        ["GET samples", `POST ${company.phone_number_id}`, `POST ${company.phone_number_id}`],
      );
      // deno-lint-ignore no-explicit-any -- the channel's own shape
      const { components } = (await channel.taken())[0].message.template as any;
      const [header] = components;
      assert.deepEqual([header.type, header.parameters[0].type], ["header", type]);
      const media = header.parameters[0][type];
      assert.deepEqual(
        [Object.keys(media), media.filename],
        type === "document" ? [["id", "filename"], "invoice.pdf"] : [["id"], undefined],
      );

      channel.calls.length = 0;
      const second = await send(company.keys.messaging, json);
      assert.equal(second.status, 200);
      // Without the declaration the message is a text, although the media is sent.
      assert.equal((await storedMessage(second.body.message_id)).type, "text");
      assert.deepEqual(channel.calls.map(({ method }) => method), ["POST"]);
      // deno-lint-ignore no-explicit-any -- the channel's own shape
      const again = (await channel.taken())[0].message.template as any;
      assert.deepEqual(again.components[0], header);
    });
  }
});

Deno.test("of 50 first sends at once, one uploads the media", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => send(company.keys.messaging, arrival())),
  );
  assert.deepEqual(answers.filter(({ status }) => status !== 200).map(({ body }) => body), []);
  assert.equal(channel.count("POST", "/media"), 1);
  assert.equal((await channel.taken()).length, 50);
});

/** Asserts that a media send failed before anything was written, and that its key is free. */
async function assertNotSent(
  company: Company,
  { status, body }: { status: number; body: Record<string, unknown> },
  reason: RegExp,
) {
  assert.deepEqual(
    [status, body.code, body.outcome],
    [502, "channel_unavailable", "not_sent"],
    JSON.stringify(body),
  );
  assert.match(String(body.error), reason);
  assert.deepEqual(await ledgerOf(company), []);
}

const FAULTS: [name: string, end: string, answer: () => Response, reason: RegExp][] = [
  ["a sample that is gone", ".jpg", () => new Response("gone", { status: 500 }), /sample/i],
  ["a sample that is a web page", ".jpg", () =>
    new Response("<html>", {
      headers: { "Content-Type": "text/html" },
    }), /text\/html|type/],
  [
    "a sample that is elsewhere",
    ".jpg",
    () => Response.redirect("http://example.com/x.jpg"),
    /redirect|elsewhere|host/i,
  ],
  [
    "an upload that is refused",
    "/media",
    () =>
      Response.json({ error: { code: 131053, message: "(#131053) Media upload error" } }, {
        status: 400,
      }),
    /131053|refus/,
  ],
  ["an upload without an id", "/media", () => Response.json({}), /id/],
  ["a channel that is down", "/media", () => new Response("", { status: 503 }), /503|available/],
];

Deno.test("without the media nothing is sent, and the key is free", async (t) => {
  for (const [name, end, answer, reason] of FAULTS) {
    await t.step(name, async () => {
      let isBroken = true;
      await using channel = ownSandbox(({ path }) =>
        isBroken && path.endsWith(end) ? answer() : null
      );
      const company = await companyWithTemplates(channel.url);
      const send = await ownSender(channel.url);
      const json = arrival({ idempotency_key: "k" });
      const failed = await send(company.keys.messaging, json);
      await assertNotSent(company, failed, reason);
      assert.equal(failed.headers.get("Retry-After"), "10");
      assert.doesNotMatch(JSON.stringify(failed.body), /oe=|_nc_|sandbox-token/);

      isBroken = false;
      await withDatabase((sql) =>
        sql`update template_media set failed_at = now() - interval '11 s' where company_id = ${company.id}`
      );
      const repeated = await send(company.keys.messaging, json);
      assert.deepEqual([repeated.status, repeated.body.idempotent_hit], [200, false]);
    });
  }
});

Deno.test("a token that the channel refuses for the upload is the account's error, and the key is free", async () => {
  const error = { code: 190, message: "Error validating access token" };
  await using channel = ownSandbox(({ path }) =>
    path.endsWith("/media") ? Response.json({ error }, { status: 401 }) : null
  );
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const { status, body } = await send(company.keys.messaging, arrival({ idempotency_key: "k" }));
  assert.deepEqual(
    [status, body.code, body.channel],
    [500, "channel_account_error", { code: 190 }],
    JSON.stringify(body),
  );
  assert.deepEqual(await ledgerOf(company), []);
});

Deno.test("media that takes too long is not sent, and a send that follows does not wait as well", async () => {
  const hanging = Promise.withResolvers<Response>();
  await using channel = ownSandbox(({ path }) => path.endsWith("/media") ? hanging.promise : null);
  const company = await companyWithTemplates(channel.url);
  const mediaPatience = { timeoutMs: 300, leaseSeconds: 30 };
  const send = await ownSender(channel.url, { mediaPatience });
  await assertNotSent(company, await send(company.keys.messaging, arrival()), /long|time/i);
  const calls = channel.count("POST", "/media");
  await assertNotSent(company, await send(company.keys.messaging, arrival()), /long|time/i);
  assert.equal(channel.count("POST", "/media"), calls);
  hanging.resolve(new Response());
});

Deno.test("media that the channel has lost is uploaded again by the next send", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  assert.equal((await send(company.keys.messaging, arrival())).status, 200);
  const [{ media_id }] = await ledgerOf(company);
  const deleted = await fetch(`${channel.url}/${media_id}`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${SANDBOX_TOKEN}` },
  });
  assert.equal(deleted.status, 200, await deleted.text());

  const lost = await send(company.keys.messaging, arrival());
  assert.deepEqual([lost.status, lost.body.channel.code], [422, 131053]);
  const next = await send(company.keys.messaging, arrival());
  assert.equal(next.status, 200, JSON.stringify(next.body));
  assert.equal(channel.count("POST", "/media"), 2);
});

Deno.test("the address of a sample that has expired is read again", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  await withDatabase((sql) =>
    sql`
      update templates set sample_url = sample_source || '?oe=00000001&_nc_sid=old'
      where company_id = ${company.id} and sample_url is not null
    `
  );
  const { status, body } = await send(company.keys.messaging, arrival());
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(channel.count("GET", "/message_templates"), 2); // the other one is the test's
});

Deno.test("a dry run uploads nothing", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  channel.calls.length = 0;
  const { body } = await send(company.keys.messaging, arrival(), "?dry_run=true");
  assert.equal(body.outcome, "send");
  assert.deepEqual(channel.calls, []);
});
