// All that the channel tells of a person, cut up, repeated and in any order, leaves the same rows.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { snapshot } from "../support/snapshot.ts";
import { at, itemOf, tell, type Told } from "./inbound.ts";

type Sql = postgres.TransactionSql;

const company = await newCompany();
const bystander = await newCompany();
const { id: company_id, account_id } = company;

const PHONE = "+5511987650099";
const USER_ID = "BR.1";
const SENT = "wamid.sent";

const byBoth = { phone: PHONE, user_id: USER_ID, name: "Ana Souza" };
const byId = { user_id: USER_ID, name: "Ana" };
const byPhone = { phone: PHONE };

const message = (
  n: number,
  person: Told["person"],
  members: Record<string, unknown> = {},
): Told => ({
  ...{ kind: "message", at: at(n), person, id: `wamid.${n}`, content: `message ${n}` },
  ...members,
});

/** What is told of a person who keeps the phone: by the phone, by the id, or by both. */
const TOLD: Told[] = [
  message(10, byBoth),
  message(20, byId, { answers: SENT }),
  message(30, byPhone, { answers: "wamid.10" }),
  message(40, byId, { word: "stop" }),
  message(50, byBoth, { word: "start" }),
  message(60, byPhone, { type: "unsupported", payload: { unsupported: { type: "edit" } } }),
  { kind: "preference", at: at(5), person: byBoth, value: "stop" },
  { kind: "preference", at: at(6), person: byId, value: "resume" },
  { kind: "preference", at: at(7), person: byPhone, value: "stop" },
  { kind: "reaction", at: at(70), person: byBoth, target: "wamid.10", emoji: "👍" },
  { kind: "reaction", at: at(71), person: byBoth, target: "wamid.10", emoji: null },
  { kind: "edit", at: at(80), person: byBoth, target: "wamid.10", content: "edited" },
  { kind: "edit", at: at(81), person: byBoth, target: "wamid.10", content: "edited again" },
  { kind: "revoke", at: at(82), person: byBoth, target: "wamid.10" },
];

/** The person has moved as well: another phone, another id. */
const MOVED: Told[] = [
  ...TOLD,
  {
    ...{ kind: "system", at: at(100), id: "wamid.system", person: { phone: PHONE } },
    change: { phone: "+5521987650099", user_id: "BR.2" },
  },
  { kind: "identity", at: at(101), person: { user_id: USER_ID }, change: { user_id: "BR.2" } },
  message(110, { phone: "+5521987650099", user_id: "BR.2", name: "Ana S." }),
];

type Rows = Record<string, { last_inbound_at: string }[]>;

/** The rows that are there in the end, by what names them rather than by their ids. */
async function rows(sql: Sql) {
  const [{ rows }] = await sql`
    with made as (
      select * from contacts where company_id = ${company_id} and id <> ${company.contact_id}
    )
    select jsonb_build_object(
      'contacts', (select jsonb_agg(to_jsonb(made) - '{id,created_at,updated_at,version}'::text[]) from made),
      'identities', (
        select jsonb_agg(to_jsonb(i) - '{id,contact_id,seen_at}'::text[] order by user_id)
        from contact_identities i where company_id = ${company_id}
      ),
      'former phones', (
        select jsonb_agg(to_jsonb(f) - '{id,contact_id}'::text[] order by phone)
        from contact_former_phones f where company_id = ${company_id}
      ),
      'events', (
        select jsonb_agg(to_jsonb(e) - '{id,contact_id}'::text[] order by kind, happened_at)
        from contact_identity_events e where company_id = ${company_id} and kind <> 'merged'
      ),
      'windows', (
        select jsonb_agg(to_jsonb(w) - '{id,contact_id}'::text[]) from contact_windows w
        where company_id = ${company_id}
      ),
      'conversations', (
        select jsonb_agg(to_jsonb(c) - '{id,contact_id,created_at,updated_at,version}'::text[])
        from conversations c where contact_id in (select id from made)
      ),
      'messages', (
        select jsonb_agg(
          to_jsonb(m) - '{id,conversation_id,reply_to_id,created_at,updated_at,version}'::text[]
            || jsonb_build_object('answered', answered.whatsapp_message_id)
          order by m.whatsapp_message_id
        )
        from messages m left join messages answered on answered.id = m.reply_to_id
        where m.company_id = ${company_id}
      ),
      'waiting', (select count(*) from waiting_facts where company_id = ${company_id}),
      'unknown ids', (select count(*) from user_id_changes where company_id = ${company_id})
    ) as rows
  `;
  return rows;
}

function shuffled<Thing>(things: Thing[]): Thing[] {
  const order = [...things];
  for (let n = order.length - 1; n > 0; n--) {
    const other = Math.floor(Math.random() * (n + 1));
    [order[n], order[other]] = [order[other], order[n]];
  }
  return order;
}

const end = new Error("undone");

for (const [name, told] of [["keeps the phone", TOLD], ["moves", MOVED]] as const) {
  Deno.test(`what is told of a person who ${name} leaves the same rows in any order, each told once or more`, async () => {
    const before = await snapshot(bystander.id);
    await rolledBack(async (sql) => {
      await sql`
        insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
        values (${company_id}, ${company.conversation_id}, 'outbound', 'Hello', 'accepted', ${SENT})
      `;
      let expected: unknown;
      for (let run = 0; run < 12; run++) {
        const repeated = told.filter(() => Math.random() < 0.3);
        const order = run === 0 ? [...told] : shuffled([...told, ...repeated]);
        await sql.savepoint(async (sql) => {
          for (const item of order) await tell(sql, account_id, item);
          const found = await rows(sql);
          expected ??= found;
          assert.deepEqual(found, expected, `in this order: ${JSON.stringify(order.map(itemOf))}`);
          throw end;
        }).catch((error) => {
          if (error !== end) throw error;
        });
      }
      const { contacts, conversations, messages, waiting, windows } = expected as Rows;
      assert.deepEqual([contacts.length, conversations.length, waiting], [1, 1, 0]);
      assert.equal(messages.length, told === TOLD ? 7 : 9);
      // What an edited message was about, nobody knows, and a notice is nobody's message.
      const last = told === TOLD ? 50 : 110;
      assert.equal(new Date(windows[0].last_inbound_at).getTime(), new Date(at(last)).getTime());
    });
    assert.deepEqual(await snapshot(bystander.id), before);
  });
}
