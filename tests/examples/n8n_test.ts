// Tests the n8n workflows by replaying them against the stack.
import assert from "node:assert/strict";
import { call, send } from "../support/calls.ts";
import { type Company, newCompany } from "../support/company.ts";
import { writes } from "../support/replying.ts";
import { takenFrom } from "../support/sending.ts";
import { until } from "../support/started.ts";
import { stack, statement } from "../support/test_stack.ts";
import { bendingProxy } from "./bending_proxy.ts";
import { listed, runnerOf } from "./n8n_replays.ts";

/**
 * Simulates a message from the person in a company's conversation. The message opens the 24-hour
 * window in the database and in the sandbox.
 */
async function asks(company: Company, content: string, secondsAgo = 1): Promise<string> {
  const { body } = await call(company.keys.read, "GET", `/contacts/${company.contact_id}`);
  const inbound = {
    phone_number_id: company.phone_number_id,
    from: body.data.phone,
    text: content,
  };
  const url = stack.sandbox_url!.replace(/messages$/, "inbound");
  const headers = { "Content-Type": "application/json" };
  assert.equal((await send(url, "POST", headers, JSON.stringify(inbound))).status, 200);
  const id = await writes(company, { secondsAgo });
  await statement`update messages set content = ${content} where id = ${id}`;
  return id;
}

Deno.test("n8n: a contact is found by another spelling of its phone number, or else created", async () => {
  const company = await newCompany();
  const person = { phone: "+5511987650001", name: "Ana", email: "ana@example.com" };
  const runner = await runnerOf("find-or-create-a-contact", company, person);
  const { "The contact": [created] } = await runner.run();
  const again = { ...person, phone: "+551187650001", name: "Someone else" };
  const { "The contact": [found] } =
    await (await runnerOf("find-or-create-a-contact", company, again)).run();
  assert.deepEqual([created.json.was_created, found.json.was_created], [true, false]);
  assert.equal(found.json.contact_id, created.json.contact_id);
  assert.deepEqual([found.json.phone, (await listed(company)).get(person.phone)], [
    person.phone,
    person.name,
  ]);

  const refused = await runnerOf("find-or-create-a-contact", company, { ...person, email: "ana" });
  await assert.rejects(refused.run(), /does not describe.*email/);
});

Deno.test("n8n: a deal is created once, and a deal that a user has moved stays in its stage", async () => {
  const company = await newCompany();
  const runner = await runnerOf("open-and-move-a-deal", company, { order: "A-1815" });
  const { "Move the deal": [moved] } = await runner.run();
  assert.equal(moved.json.data.stage_id, company.stage_ids[1]);
  const { "Somebody has moved it": [found], "Move the deal": none } = await runner.run();
  assert.deepEqual([found.json.data.id, none], [moved.json.data.id, undefined]);
  const { body } = await call(company.keys.read, "GET", "/deals?title=Order A-1815");
  assert.deepEqual(body.data.map(({ value }: { value: number }) => value), [1999.5]);
});

Deno.test("n8n: an order results in one message, even if the send is repeated", async () => {
  const company = await newCompany();
  await using proxy = bendingProxy(stack.url, {
    // The first request is sent to the channel, but its response is lost. The second request
    // receives a 429.
    "POST /send-external-template": (answer, made) =>
      made > 1 ? answer : {
        ...answer,
        status: made === 0 ? 503 : 429,
        body: { success: false, error: "Try again", code: "too_many_requests" },
      },
  });
  const order = { order: "A-1815", phone: "+12025550147", name: "Ada" };
  const runner = await runnerOf("send-a-template-safely", company, {
    ...order,
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  const { "The send": [sent], "Half a minute": waits } = await runner.run();
  assert.deepEqual([sent.json.state, waits.length], ["sent", 1]);
  const { "The send": [repeated] } = await runner.run();
  assert.equal(repeated.json.message_id, sent.json.message_id);
  assert.equal((await takenFrom(company)).length, 1);

  const other = await runnerOf("send-a-template-safely", company, { ...order, name: "Grace" });
  await assert.rejects(
    other.run(),
    /the earlier message [0-9a-f-]{36}, in which these fields differ: display_text,body_variables/,
  );
  assert.equal((await takenFrom(company)).length, 1);

  // The sandbox cannot reach this phone number, even if the send is repeated.
  const failing = await runnerOf("send-a-template-safely", company, {
    ...order,
    order: "A-1816",
    phone: "+15550131026",
  });
  await assert.rejects(failing.run(), /^Error: The template was not sent: /);
});

Deno.test("n8n: a send is repeated at most four times", async () => {
  const company = await newCompany();
  await using proxy = bendingProxy(stack.url, {
    "POST /send-external-template": (answer) => ({
      ...answer,
      body: { ...answer.body, success: false, status: "pending" },
    }),
  });
  const runner = await runnerOf("send-a-template-safely", company, {
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  await assert.rejects(runner.run(), /not sent: pending/);
  assert.equal(proxy.made("POST /send-external-template"), 5);
});

Deno.test("n8n: a question is answered once, and only while the 24-hour window is open", async () => {
  const company = await newCompany();
  const busy = { code: "too_many_requests", error: "Busy" };
  await using proxy = bendingProxy(stack.url, {
    "POST /whatsapp/messages": (answer, made) =>
      made > 0 ? answer : { ...answer, status: 429, body: { ...busy, success: false } },
  });
  const runner = await runnerOf("answer-within-the-window", company, {
    crm_api_url: `${proxy.url}/functions/v1`,
    word: "Open",
  });
  await runner.run();
  const asked = await asks(company, "Are you OPEN today?");
  await asks(company, "Thank you");
  await until(() =>
    runner.run().then(
      () => false,
      ({ message }) => /^The next run replies again: Busy$/.test(message),
    )
  );
  const { Done: [{ json: { body: repeated } }] } = await runner.run();
  assert.equal(repeated.idempotent_hit, true);

  // A message that has changed appears in the list of changes again.
  await statement`update messages set edited_at = now() where id = ${asked}`;
  await until(async () => {
    const { Done } = await runner.run();
    return Done?.[0].json.body.message_id === repeated.message_id;
  });
  const [taken, ...others] = await takenFrom(company);
  assert.deepEqual(others, []);
  assert.match(JSON.stringify(taken), /We are open from 8 to 18/);

  const other = await newCompany();
  const late = await runnerOf("answer-within-the-window", other);
  await late.run();
  await asks(other, "Open?", 25 * 60 * 60);
  await until(async () => {
    const { "Leave it to a person": left, Reply } = await late.run();
    assert.equal(Reply, undefined);
    return left?.length === 1;
  });
});

Deno.test("n8n: after an error that is not permanent, the next run repeats the reply", async () => {
  const company = await newCompany();
  const statuses = [400, 401, 403, 408, 500];
  await using proxy = bendingProxy(stack.url, {
    "POST /whatsapp/messages": (answer, made) => {
      const status = statuses[made] ?? 404;
      return { ...answer, status, body: { success: false, error: `Refused with ${status}` } };
    },
  });
  const runner = await runnerOf("answer-within-the-window", company, {
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  await runner.run();
  await asks(company, "Are you open today?");
  const failures: string[] = [];
  // The service permanently refuses the last reply, so the workflow leaves it to a person.
  await until(async () => {
    const run = await runner.run().catch(({ message }) => ({ failed: failures.push(message) }));
    return "Leave it to a person" in run;
  });
  const repeats = statuses.map((status) => `The next run replies again: Refused with ${status}`);
  assert.deepEqual(failures, repeats);
});
