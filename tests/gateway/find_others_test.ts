// What filters find among other records than contacts, by example; and the forms of letters.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { addMessage, addTemplate, newCompany, newMember } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const { id: company_id, contact_id, conversation_id, member_id, stage_ids, team_id } = company;

const labels = new Map<string, string>();
await withDatabase(async (sql) => {
  await sql`delete from deals where company_id = ${company_id}`;
  for (
    const [label, value] of Object.entries({
      none: null,
      zero: 0,
      cent: "0.01",
      thousand: "1200.50",
    })
  ) {
    const row = { company_id, title: label, value, contact_id, stage_id: stage_ids[0] };
    const [{ id }] = await sql`insert into deals ${sql(row)} returning id`;
    labels.set(id, label);
  }
  for (const outcome of ["pending", "accepted", "failed"] as const) {
    labels.set(await addMessage(sql, company, { direction: "outbound", outcome }), outcome);
  }
  labels.set(await addMessage(sql, company), "inbound");
  const approved = { name: "order_update", business_account_id: "12345", category: null };
  labels.set(await addTemplate(sql, company_id, approved), "approved");
  const paused = { name: "Olá, 50%", status: "PAUSED", language: "pt_BR" };
  labels.set(await addTemplate(sql, company_id, paused), "paused");
  const agent = await sql.begin((sql) => newMember(sql, company_id, "agent"));
  await sql`update company_members set name = 'Zoë' where user_id = ${agent}`;
  labels.set(agent, "agent").set(member_id, "owner");
});
labels.set(conversation_id, "conversation").set(team_id, "team");

/** The labels of what a list finds, in the order of the labels above. */
async function found(address: string): Promise<string[]> {
  const { status, body } = await call(company.keys.read, "GET", address);
  assert.equal(status, 200, `${address} ${JSON.stringify(body)}`);
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  return [...labels].filter(([id]) => ids.includes(id)).map(([, label]) => label);
}

/** Facts, each with addresses and what they find. */
const FACTS: Record<string, Record<string, string[]>> = {
  "a member is found by role and name": {
    "/members?role=owner": ["owner"],
    "/members?role[ne]=owner": ["agent"],
    [`/members?id=${member_id}`]: ["owner"],
    "/members?name[contains]=zoe": ["agent"],
    "/members?name[empty]=true": ["owner"],
  },
  "a range of value leaves out the deals without one": {
    "/deals?value[lt]=1": ["zero", "cent"],
    "/deals?value[lte]=0": ["zero"],
    "/deals?value[gt]=0": ["cent", "thousand"],
    "/deals?value[gte]=-5": ["zero", "cent", "thousand"],
    "/deals?value[gt]=-1&value[lt]=0": [],
    "/deals?value=1200.5,0.010": ["cent", "thousand"],
    "/deals?value=-1": [],
    "/deals?value[ne]=0,1200.50": ["none", "cent"],
    "/deals?value[ne]=-1": ["none", "zero", "cent", "thousand"],
    "/deals?value[empty]=true": ["none"],
    "/deals?value[empty]=false&value[lt]=1200.51": ["zero", "cent", "thousand"],
  },
  "a message is found by the status that callers see": {
    [`/conversations/${conversation_id}/messages?status=accepted`]: ["accepted"],
    [`/conversations/${conversation_id}/messages?status=accepted,failed`]: ["accepted", "failed"],
    [`/conversations/${conversation_id}/messages?status[ne]=accepted`]: [
      "pending",
      "failed",
      "inbound",
    ],
    [`/conversations/${conversation_id}/messages?status[empty]=true`]: ["inbound"],
    [`/conversations/${conversation_id}/messages?direction=outbound&status[ne]=pending`]: [
      "accepted",
      "failed",
    ],
  },
  "a reference is found by its id in any case, and one that is missing by empty": {
    [`/conversations?contact_id=${contact_id.toUpperCase()}`]: ["conversation"],
    "/conversations?assigned_to[empty]=true&team_id[empty]=true": ["conversation"],
    "/conversations?assigned_to[empty]=false": [],
    [`/conversations?assigned_to[ne]=${member_id}`]: ["conversation"],
    [`/conversations?assigned_to=${member_id}`]: [],
    [`/deals?stage_id=${stage_ids[1]},${stage_ids[0]}&value=0`]: ["zero"],
    [`/deals?stage_id[ne]=${stage_ids[0]}`]: [],
    [`/teams?id[ne]=${team_id}`]: [],
  },
  "a conversation is found by the number that it is on": {
    [`/conversations?phone_number_id=${company.phone_number_id}`]: ["conversation"],
    [`/conversations?phone_number_id=1,${company.phone_number_id}`]: ["conversation"],
    [`/conversations?phone_number_id[ne]=${company.phone_number_id}`]: [],
    "/conversations?phone_number_id=1": [],
  },
  "a template is found by the channel's words in any case": {
    "/templates?status=approved": ["approved"],
    "/templates?status[ne]=APPROVED": ["paused"],
    "/templates?language=pt_BR,es": ["paused"],
    "/templates?category[empty]=true": ["approved"],
    "/templates?category=utility": ["paused"],
    "/templates?business_account_id=12345,1": ["approved"],
    "/templates?phone_number_id=12345": [],
    "/templates?name=Ol%C3%A1%5C,%2050%25": ["paused"],
    "/templates?name[contains]=ola": ["paused"],
  },
};

for (const [fact, addresses] of Object.entries(FACTS)) {
  Deno.test(fact, async () => {
    for (const [address, expected] of Object.entries(addresses)) {
      assert.deepEqual(await found(address), expected, address);
    }
  });
}

/** Titles of deals, and other ways to write a part of each. */
const FOLDED: Record<string, string[]> = {
  "Σίσυφος": ["σίσυφος", "ΣΙΣΥΦΟΣ", "σισυφοσ", "φος"],
  "İstanbul ofisi": ["istanbul", "ISTANBUL", "i"],
  "ﬁnance Ⅷ": ["finance", "FINANCE viii"],
  "Ａｂｃ １２３": ["abc 123"],
  "Crème brûlée": ["creme brulee", "cre\u0300me", "BRÛLÉE"],
  "Строй-Маркет": ["строи маркет", "СТРОЙ", "ма"],
  "東京 営業": ["東京", "営", "営業"],
  "Nguyễn Thị": ["nguyen thi", "NGUYÊN"],
  "🎈🎈 party": ["🎈🎈", "🎈", "🎈 party"],
};

Deno.test("letters are found in any of their forms", async () => {
  const titles = Object.keys(FOLDED);
  await withDatabase((sql) =>
    sql`
      insert into deals (company_id, title, contact_id, stage_id)
      select ${company_id}, title, ${contact_id}, ${
      stage_ids[0]
    } from unnest(${titles}::text[]) as title
    `
  );
  for (const [title, parts] of Object.entries(FOLDED)) {
    for (const part of parts) {
      for (const parameter of ["q", "title[contains]"]) {
        const address = `/deals?${parameter}=${encodeURIComponent(part)}`;
        const { body } = await call(company.keys.read, "GET", address);
        assert.deepEqual(
          body.data.map((deal: { title: string }) => deal.title),
          [title],
          `${parameter}=${part}`,
        );
      }
    }
  }
  await withDatabase((sql) =>
    sql`delete from deals where company_id = ${company_id} and title = any(${titles}::text[])`
  );
});
