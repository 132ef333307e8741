// Tests how an owner or admin sends a test message from a template. The message is sent once, and
// its author is the user who sent it.
import assert from "node:assert/strict";
import { anyPhone, newCompany, newMembers } from "../support/company.ts";
import { companyWithTemplates, ownSandbox } from "../support/known_templates.ts";
import { accepted, ownChannel } from "../support/sending.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { addContact } from "../database/sends.ts";
import { catalogued } from "../database/templates.ts";
import { ownSettings } from "./own_settings.ts";

const company = await newCompany();
const [admin, agent] = await newMembers(company, "admin", "agent");
const other = await newCompany();
await withDatabase((sql) => sql.begin((sql) => catalogued(sql, company)));

const anyTest = (changes: Record<string, unknown> = {}) => ({
  ...{ company_id: company.id, id: crypto.randomUUID(), phone: anyPhone() },
  ...{ phone_number_id: company.phone_number_id, template_name: "order_update" },
  ...{ language_code: "pt_BR", header_variables: [], body_variables: ["Ada", "42"] },
  ...{ button_variables: [], ...changes },
});

Deno.test("an owner or admin sends a test message, and a repeated request does not send it again", async () => {
  await using channel = ownChannel(() => accepted());
  const ask = await ownSettings(channel.url);
  for (const person of [company.member_id, admin]) {
    const test = anyTest();
    const sent = await Promise.all([1, 2].map(() => ask(person, "POST", "/test-sends", test)));
    assert.deepEqual(sent.map(({ status }) => status), [200, 200], sent[0].text);
    const [{ message_id, reason }] = sent.map(({ body }) => body.data);
    assert.equal(reason, null);
    assert.equal(sent[1].body.data.message_id, message_id);
    const calls = channel.calls.filter(({ body }) => body.to === test.phone);
    assert.equal(calls.length, 1);
    assert.deepEqual(calls[0].body.template.components, [{
      type: "body",
      parameters: [{ type: "text", text: "Ada" }, { type: "text", text: "42" }],
    }]);
    const [message] = await statement`
      select author_type, author_id, status, content from messages where id = ${message_id}
    `;
    assert.deepEqual({ ...message }, {
      ...{ author_type: "member", author_id: person, status: "accepted" },
      content: "Olá Ada, o pedido 42 saiu.",
    });
    assert.ok(!sent.some(({ text }) => text.includes(company.sealed_token)));
  }
});

Deno.test("a company id in upper case does not give a company a second share of test messages", async () => {
  const decided = Promise.withResolvers<void>();
  let calls = 0;
  await using channel = ownChannel(async () => {
    if (++calls === 2) decided.resolve();
    await decided.promise;
    return accepted();
  });
  const sendShare = { atOnce: 1, waiting: 0, patienceMs: 60_000 };
  const ask = await ownSettings(channel.url, { sendShare });
  const sent = await Promise.all(
    [company.id, company.id.toUpperCase()].map((company_id) =>
      ask(admin, "POST", "/test-sends", anyTest({ company_id })).finally(decided.resolve)
    ),
  );
  assert.deepEqual(sent.map(({ status }) => status).toSorted(), [200, 429]);
});

Deno.test("agents, users of other companies and API keys cannot send test messages", async () => {
  await using channel = ownChannel(() => accepted());
  const ask = await ownSettings(channel.url);
  for (const person of [agent, other.member_id]) {
    assert.equal((await ask(person, "POST", "/test-sends", anyTest())).status, 403);
  }
  const key = { bearer: company.keys.messaging };
  assert.equal((await ask(key, "POST", "/test-sends", anyTest())).status, 401);
  assert.equal((await ask(null, "POST", "/test-sends", anyTest())).status, 401);
  assert.deepEqual(channel.calls, []);
});

Deno.test("the response says why a test message cannot be sent, and a message that the channel refuses is stored with the channel's error", async () => {
  const refusal = Response.json(
    { error: { message: "Not a WhatsApp user", code: 131026, type: "OAuthException" } },
    { status: 400 },
  );
  await using channel = ownChannel(() => refusal.clone());
  const ask = await ownSettings(channel.url);
  const send = (changes: Record<string, unknown>) =>
    ask(admin, "POST", "/test-sends", anyTest(changes));
  const few = await send({ body_variables: ["Ada"] });
  assert.deepEqual([few.status, few.body.code], [422, "template_rejected"]);
  assert.match(few.body.error, /body_variables takes 2 variables, got 1/);
  const foreign = await send({ phone_number_id: other.phone_number_id });
  assert.equal(foreign.status, 422);
  const phone = anyPhone();
  await withDatabase((sql) =>
    sql.begin((sql) => addContact(sql, { company_id: company.id, phone, do_not_contact: true }))
  );
  assert.deepEqual((await send({ phone })).body.data, {
    ...{ message_id: null, reason: "do_not_contact" },
  });
  assert.deepEqual(channel.calls, []);

  const refused = await send({});
  assert.equal(refused.status, 200, refused.text);
  const [message] = await statement`
    select status, failure ->> 'code' as code from messages where id = ${refused.body.data.message_id}
  `;
  assert.deepEqual({ ...message }, { status: "failed", code: "131026" });
});

Deno.test("a test message whose media cannot be uploaded does not delay the job's upload", async () => {
  await using channel = ownSandbox(({ path }) =>
    path.endsWith("/media")
      ? Response.json({ error: { code: 131053, message: "Media upload error" } }, { status: 400 })
      : null
  );
  const { id, member_id, phone_number_id } = await companyWithTemplates(channel.url);
  const ask = await ownSettings(channel.url);
  const test = anyTest({
    ...{ company_id: id, phone_number_id, template_name: "new_arrival" },
    ...{ language_code: "en_US", body_variables: ["Ada"] },
  });
  const { status, body } = await ask(member_id, "POST", "/test-sends", test);
  assert.deepEqual([status, body.code], [422, "template_rejected"], JSON.stringify(body));
  const [media] = await statement`
    select failed_at is not null as has_failed, failures, job_failed_at from template_media
    where company_id = ${id}
  `;
  assert.deepEqual({ ...media }, { has_failed: true, failures: 0, job_failed_at: null });
});

Deno.test("after 20 test messages in 24 hours, the next request returns a 429 and nothing is sent", async () => {
  await using channel = ownChannel(() => accepted());
  const ask = await ownSettings(channel.url);
  const busy = await newCompany();
  await statement`
    insert into test_sends (id, company_id, user_id)
    select gen_random_uuid(), ${busy.id}, ${busy.member_id} from generate_series(1, 20)
  `;
  const answer = await ask(
    busy.member_id,
    "POST",
    "/test-sends",
    anyTest({ company_id: busy.id }),
  );
  assert.deepEqual([answer.status, answer.body.code], [429, "too_many_requests"]);
  assert.deepEqual(channel.calls, []);
});
