// Tests who can begin a test send of a template, and which rows the claim of a test send writes.
import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
} from "../support/acting_as.ts";
import { anyPhone, type Company, newCompany, newMembers } from "../support/company.ts";
import { addContact, type Claim, SENT, settle } from "./sends.ts";
import { catalogued, entry, FITTING } from "./templates.ts";

const own = await newCompany();
const other = await newCompany();
const [admin, agent] = await newMembers(own, "admin", "agent");
const owner = own.member_id;

/** Allows a test send as this user, and returns the id of the test send. */
async function begin(
  sql: Sql,
  person: string,
  id: string = crypto.randomUUID(),
  { id: company } = own,
) {
  await actAsPerson(sql, person);
  await sql`select begin_test_send(${company}, ${id})`;
  await actAsSuperuser(sql);
  return id;
}

/** Claims a test send as the edge function does, with values for the two variables of `entry()`. */
async function claim(
  sql: Sql,
  test_send_id: string,
  asked: { company?: Company; phone?: string; phone_number_id?: string } = {},
  claim_id = crypto.randomUUID(),
): Promise<Claim> {
  const { company = own, phone = anyPhone(), phone_number_id = company.phone_number_id } = asked;
  await actAs(sql, "channel_client");
  const [{ answer }] = await sql`
    select claim_test_send(
      ${claim_id}, ${company.id}, ${test_send_id}, ${phone}, 'order_update', 'pt_BR', ${phone_number_id},
      '{}', ${FITTING.body_variables}, '{}', 'first'
    ) as answer
  `;
  await actAsSuperuser(sql);
  return answer;
}

Deno.test("only owners and admins can begin test sends for their company", async () => {
  await rolledBack(async (sql) => {
    for (const person of [owner, admin]) await begin(sql, person);
    for (const person of [agent, other.member_id]) {
      assert.equal(await refusal(sql, (sql) => begin(sql, person)), "PT403");
    }
    const begun = await sql`select user_id from test_sends where company_id = ${own.id}`;
    assert.deepEqual(begun.map(({ user_id }) => user_id).sort(), [owner, admin].sort());
  });
});

Deno.test("only the edge function can claim a test send, so no user receives the account's token", async () => {
  await rolledBack(async (sql) => {
    const id = await begin(sql, owner);
    for (const role of ["authenticated", "anon", "api_client", "service_role"] as const) {
      await actAs(sql, role, { sub: owner });
      const work = async (sql: Sql) => {
        await sql`
          select claim_test_send(${crypto.randomUUID()}, ${own.id}, ${id}, '+1', 'x', 'en', '1', '{}', '{}', '{}', 'off')
        `;
      };
      assert.equal(await refusal(sql, work), "42501", role);
    }
  });
});

Deno.test("a company can begin at most 20 test sends in 24 hours, and a repeat does not count", async () => {
  await rolledBack(async (sql) => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await begin(sql, n % 2 ? owner : admin));
    assert.equal(await refusal(sql, (sql) => begin(sql, owner)), "PT429");
    await begin(sql, admin, ids[0]);
    assert.equal(await refusal(sql, (sql) => begin(sql, owner, ids[0])), "PT409");
    await begin(sql, other.member_id, ids[0], other);
    // A former member's test sends still count, so removing members does not allow more test sends.
    await sql`delete from company_members where user_id = ${admin}`;
    assert.equal(await refusal(sql, (sql) => begin(sql, owner)), "PT429");
    await sql`
      update test_sends set created_at = now() - interval '25 hours' where company_id = ${own.id} and id = ${
      ids[0]
    }
    `;
    await begin(sql, owner);
    const [{ count }] =
      await sql`select count(*)::int from test_sends where company_id = ${own.id}`;
    assert.equal(count, 20);
  });
});

Deno.test("a test send creates the same rows as any other send, with the user as its author and without an API key", async () => {
  await rolledBack(async (sql) => {
    await catalogued(sql, own);
    await sql`update company_members set name = 'Olga' where user_id = ${owner}`;
    const id = await begin(sql, owner);
    const claim_id = crypto.randomUUID();
    const claimed = await claim(sql, id, {}, claim_id);
    assert.deepEqual([claimed.result, claimed.company_id, claimed.encrypted_token], [
      ...["claimed", own.id, own.sealed_token],
    ]);
    const [sent] = await sql`
      select author_type, author_id, author_name, content, rendered_text, type, api_key_id, idempotency_key
      from messages join sends on sends.message_id = messages.id where messages.id = ${claimed.message_id}
    `;
    const text = "Olá Ada, o pedido 42 saiu.";
    assert.deepEqual({ ...sent }, {
      ...{
        author_type: "member",
        author_id: owner,
        author_name: "Olga",
        content: text,
        type: "text",
      },
      ...{ rendered_text: text, api_key_id: null, idempotency_key: `test-send-${id}` },
    });
    assert.equal(await settle(sql, claim_id, SENT), "sent");
  });
});

Deno.test("a test send can be claimed again after it was released, but not while it is pending", async () => {
  await rolledBack(async (sql) => {
    await catalogued(sql, own);
    const [id, phone] = [await begin(sql, owner), anyPhone()];
    const claim_id = crypto.randomUUID();
    const first = await claim(sql, id, { phone }, claim_id);
    const repeat = await claim(sql, id, { phone });
    assert.deepEqual([repeat.result, repeat.status, repeat.message_id], [
      ...["repeat", "pending", first.message_id],
    ]);
    await actAs(sql, "channel_client");
    await sql`select settle_send(${claim_id}, 'released', null, 'channel_unavailable')`;
    const again = await claim(sql, id, { phone });
    assert.deepEqual([again.result, again.attempt, again.message_id], [
      ...["claimed", 2, first.message_id],
    ]);
    const [{ author_type }] = await sql`
      select author_type from messages where id = ${first.message_id}
    `;
    assert.equal(author_type, "member");
  });
});

Deno.test("a contact who opted out receives no test send", async () => {
  await rolledBack(async (sql) => {
    await catalogued(sql, own, [entry({ category: "MARKETING" })]);
    const [blocked, quiet] = [anyPhone(), anyPhone()];
    await addContact(sql, { company_id: own.id, phone: blocked, do_not_contact: true });
    const marketing_stopped_at = new Date();
    await addContact(sql, {
      ...{ company_id: own.id, phone: quiet, marketing_stopped_at },
      marketing_stop_source: "preference",
    });
    for (const [phone, result] of [[blocked, "do_not_contact"], [quiet, "marketing_opt_out"]]) {
      assert.equal((await claim(sql, await begin(sql, owner), { phone })).result, result);
    }
  });
});

Deno.test("a test send is refused if its user has left the company or lost the role since the test send was allowed", async () => {
  const changes = [
    (sql: Sql) => sql`update company_members set role = 'agent' where user_id = ${admin}`,
    (sql: Sql) => sql`delete from company_members where user_id = ${admin}`,
  ];
  for (const change of changes) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own);
      const id = await begin(sql, admin);
      await change(sql);
      assert.equal(await refusal(sql, (sql) => claim(sql, id)), "PT403");
    });
  }
});

Deno.test("a test send works only in the company where the test send was allowed, on one of that company's accounts", async () => {
  await rolledBack(async (sql) => {
    await catalogued(sql, own);
    await catalogued(sql, other);
    const id = await begin(sql, owner);
    assert.equal(await refusal(sql, (sql) => claim(sql, id, { company: other })), "PT403");
    const { phone_number_id } = other;
    assert.equal((await claim(sql, id, { phone_number_id })).result, "no_account");
  });
});
