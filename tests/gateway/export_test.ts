// Tests the export of everything that is stored about a person, as one JSON document.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { addChannelFacts } from "../support/channel_facts.ts";
import {
  addMessage,
  addSentMessage,
  anyPhone,
  type Company,
  newCompany,
} from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { watchedStack } from "../support/own_functions.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { environment, statement, withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const { keys, contact_id, conversation_id } = company;

/** Requests an export from a gateway that reads the database through this address. */
async function exporting(supabaseUrl: string, { keys }: Company, id: string) {
  const app = gateway(await readGatewayConfig(environment({ supabaseUrl })));
  return await app.request(`http://edge/gateway/contacts/${id}/export`, {
    headers: { Authorization: `Bearer ${keys.read}` },
  });
}

async function exported(id: string, key = keys.read) {
  const answer = await call(key, "GET", `/contacts/${id}/export`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
}

Deno.test("an export contains all records of a person, in the same format as the other operations", async () => {
  await withDatabase(async (sql) => {
    await addChannelFacts(sql, company);
    await addChannelFacts(sql, await newCompany());
    await sql`
      insert into messages (company_id, conversation_id, direction, content)
      select ${company.id}, ${conversation_id}, 'inbound', 'text ' || n from generate_series(1, 450) as n
    `;
    await addSentMessage(sql, company, { idempotency_key: "kept" }, { content: 'Olá 😀 "x"\n' });
    await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
    await sql`
      insert into conversations (company_id, contact_id, messaging_account_id, status)
      values (${company.id}, ${contact_id}, ${company.account_id}, 'closed')
    `;
    await sql`update deals set archived_at = now() where id = ${company.deal_id}`;
  });
  const data = await exported(contact_id);
  const read = async (path: string) => (await call(keys.read, "GET", path)).body.data;
  assert.deepEqual(data.contact, await read(`/contacts/${contact_id}`));
  assert.deepEqual(data.deals, [await read(`/deals/${company.deal_id}?archived=include`)]);
  assert.deepEqual(data.conversations, await read(`/conversations?contact_id=${contact_id}`));
  assert.equal(data.conversations.length, 2);
  assert.equal(data.messages.length, 451);
  assert.equal(new Set(data.messages.map(({ id }: { id: string }) => id)).size, 451);
  assert.deepEqual(
    data.messages.slice(0, 200),
    await read(`/conversations/${conversation_id}/messages?limit=200`),
  );
  assert.deepEqual(data.sends, await read("/sends?idempotency_key=kept"));
  assert.deepEqual(
    [
      data.identities.length,
      data.former_phones.length,
      data.identity_events.length,
      data.windows.length,
    ],
    [1, 1, 1, 1],
  );
  const { do_not_contact, do_not_contact_source, marketing_opt_out_at } = data.wishes;
  assert.deepEqual(
    [do_not_contact, do_not_contact_source, marketing_opt_out_at],
    [true, "manual", null],
  );
});

Deno.test("an export contains the first texts of edited messages, and the reasons for which members lifted opt-outs", async () => {
  const own = await newCompany();
  const [edited] = await withDatabase(async (sql) => {
    await addMessage(sql, own, { content: "Never edited" });
    await addChannelFacts(sql, own);
    return await sql`
      update messages set content = 'After', original_content = 'Before', edited_at = now()
      where id = ${await addMessage(sql, own)} returning id
    `;
  });
  const data = await exported(own.contact_id, own.keys.read);
  assert.deepEqual(data.original_contents, [{ message_id: edited.id, content: "Before" }]);
  const [{ asked_at, lifted_at, ...lift }, ...more] = data.opt_out_lifts;
  assert.deepEqual([lift, more], [
    { kind: "do_not_contact", source: "word", reason: "Asked by phone" },
    [],
  ]);
  assert.ok(Date.parse(asked_at) <= Date.parse(lifted_at));
});

Deno.test("an export works for archived contacts, and for the remaining records of an erased contact", async () => {
  const own = await newCompany();
  await withDatabase(async (sql) => {
    await addMessage(sql, own, { content: "secret" });
    await addChannelFacts(sql, own);
  });
  assert.equal((await call(own.keys.write, "DELETE", `/contacts/${own.contact_id}`)).status, 204);
  const archived = await exported(own.contact_id, own.keys.read);
  assert.equal(archived.messages[0].content, "secret");
  assert.match(archived.identities[0].user_id, /^BR\./);
  const json = { confirm: own.contact_id };
  await call(own.keys.write, "POST", `/contacts/${own.contact_id}/erase`, { json });
  const left = await exported(own.contact_id, own.keys.read);
  assert.deepEqual(
    [
      left.messages[0].content,
      left.identities,
      left.former_phones,
      left.windows,
      left.opt_out_lifts[0].reason,
      left.contact.phone,
    ],
    ["", [], [], [], null, null],
  );
});

Deno.test("an export is streamed, and its stream breaks off if the database fails", async () => {
  await using database = watchedStack((request) =>
    request.url.includes("own_sends") ? Response.json({ message: "busy" }, { status: 503 }) : null
  );
  const lines = await logged(async () => {
    const answer = await exporting(database.url, company, contact_id);
    assert.equal(answer.status, 200);
    const reads = database.seen.length;
    assert.ok(reads < 5, `${reads} reads before anything is sent`);
    await assert.rejects(answer.text());
  });
  const [line] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([line.event, line.database.message], ["answer_broken_off", "busy"]);
});

Deno.test("an export breaks off if the contact is merged during the export", async () => {
  // PostgREST returns at most 1,000 rows. If the export noticed a merge by counting the returned
  // rows, it would miss the merge after the first 1,000 merges.
  const EARLIER_MERGES = 1_000;
  // The exported contact is merged into the other contact, or the other contact into it.
  const cases = [
    [true, "own_opt_out_lifts"],
    [false, "own_contact_wishes"],
    [false, "own_messages"],
  ] as const;
  for (const [isGone, view] of cases) {
    const own = await newCompany();
    const merge = async (id: string, from: string) => {
      const answer = await call(own.keys.write, "POST", `/contacts/${id}/merge`, {
        json: { from },
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const [third, other] = await Promise.all(
      [anyPhone(), anyPhone()].map(async (phone) =>
        (await call(own.keys.write, "POST", "/contacts", { json: { phone } })).body.data.id
      ),
    );
    await merge(own.contact_id, third);
    await statement`
      insert into contact_identity_events
      select (event).* from (
        select jsonb_populate_record(event, jsonb_build_object('id', gen_random_uuid(), 'was', gen_random_uuid())) as event
        from contact_identity_events as event, generate_series(2, ${EARLIER_MERGES})
        where contact_id = ${own.contact_id} and kind = 'merged'
      ) as copies
    `;
    await exported(own.contact_id, own.keys.read);
    let isMerged = false;
    await using database = watchedStack(async (request) => {
      if (!isMerged && request.url.includes(view)) {
        isMerged = true;
        await (isGone ? merge(other, own.contact_id) : merge(own.contact_id, other));
      }
      return null;
    });
    const lines = await logged(async () => {
      const answer = await exporting(database.url, own, own.contact_id);
      await assert.rejects(answer.text());
    });
    assert.ok(isMerged, view);
    assert.equal(JSON.parse(lines[0]).event, "answer_broken_off");
    const { contact, deals } = await exported(own.contact_id, own.keys.read);
    assert.deepEqual([contact.id, deals.length], [isGone ? other : own.contact_id, 1]);
  }
});
