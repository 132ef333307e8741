// Tests the log of sends, which the members of a company can read.

import assert from "node:assert/strict";
import {
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
} from "../support/acting_as.ts";
import { addSentMessage, type Company, newCompany, newMembers } from "../support/company.ts";
import { keyIds } from "../support/key_usage.ts";
import { withDatabase } from "../support/test_stack.ts";

const own = await newCompany();
const other = await newCompany();
const [agent] = await newMembers(own, "agent");
const key_id = (await withDatabase((sql) => keyIds(sql, own))).messaging;

// deno-lint-ignore no-explicit-any -- tests compare any field of a response
type Page = { sends: any[]; next: { at: string; message_id: string } | null };

/** A page of the log. Afterwards, the session has the superuser's role again. */
async function page(
  sql: Sql,
  asked: Record<string, unknown> = {},
  person = own.member_id,
): Promise<Page> {
  await actAsPerson(sql, person);
  const names = Object.keys(asked);
  const [{ log }] = await sql.unsafe(
    `select list_company_sends(${[
      "$1::uuid",
      ...names.map((name, i) => `${name} => $${i + 2}`),
    ]}) as log`,
    [own.id, ...names.map((name) => asked[name] as string)],
  );
  await actAsSuperuser(sql);
  return log;
}

/** The ids of the sends on the first page. */
async function found(sql: Sql, asked: Record<string, unknown>, person?: string): Promise<string[]> {
  return (await page(sql, asked, person)).sends.map(({ message_id }) => message_id);
}

/** Adds a send to a new contact. */
async function sendTo(
  sql: Sql,
  person: { name: string; phone: string },
  columns: Parameters<typeof addSentMessage>[2] = {},
  { id, account_id }: Company = own,
) {
  const [conversation] = await sql`
    with contact as (insert into contacts ${sql({ company_id: id, ...person })} returning id)
    insert into conversations (company_id, contact_id, messaging_account_id)
    select ${id}, id, ${account_id} from contact returning id, contact_id
  `;
  const of = { id, conversation_id: conversation.id };
  const message_id = await addSentMessage(sql, of, { idempotency_key: null, ...columns });
  return { message_id, contact_id: conversation.contact_id as string };
}

Deno.test("the log contains every send once, newest first, with pagination", async () => {
  await rolledBack(async (sql) => {
    // Many sends have the same time, so only their ids determine the order.
    const created_at = new Date("2026-11-20T12:00:00.123Z");
    for (let n = 0; n < 120; n++) {
      await addSentMessage(sql, own, { idempotency_key: null, created_at });
    }
    const newest = await addSentMessage(sql, own, { idempotency_key: null });
    const pages = [await page(sql)];
    while (pages.at(-1)!.next) pages.push(await page(sql, { after: pages.at(-1)!.next }));
    assert.deepEqual(pages.map(({ sends }) => sends.length), [50, 50, 21]);
    const ids = pages.flatMap(({ sends }) => sends.map(({ message_id }) => message_id));
    assert.equal(ids[0], newest);
    assert.equal(new Set(ids).size, 121);
    assert.deepEqual(ids.slice(1), ids.slice(1).sort().reverse());
    assert.deepEqual(await found(sql, { since: "2026-11-21" }), [newest]);
    const day = { since: "2026-11-20", until: "2026-11-21" };
    assert.ok(!(await found(sql, day)).includes(newest));
  });
});

Deno.test("a send or a reply can be found by phone number, contact name, template, idempotency key or message id", async () => {
  await rolledBack(async (sql) => {
    const ana = await sendTo(sql, { name: "Ana Lúcia Conceição", phone: "+5511987654321" });
    const rui = await sendTo(sql, { name: "Rui 100%", phone: "+14155550111" }, {
      ...{ template_name: null, language_code: null, idempotency_key: "order A-1, shipped" },
    });
    const ivo = await sendTo(sql, { name: "Ivo", phone: "+14155550222" }, {
      template_name: "invoice_ready",
    });
    await sql`
      insert into contact_former_phones (company_id, contact_id, phone, until)
      values (${own.id}, ${ivo.contact_id}, '+4930123456', 'infinity')
    `;
    const person = { name: "Ana Lúcia Conceição", phone: "+5511987654321" };
    await sendTo(sql, person, { template_name: "invoice_ready" }, other);
    const searches: [search: string, sends: { message_id: string }[]][] = [
      ["+5511987654321", [ana]],
      // Different formats and parts of the phone number.
      ["+55 (11) 8765-4321", [ana]],
      ["11 98765 4321", [ana]],
      ["4321", [ana]],
      ["1415555", [ivo, rui]],
      ["+4930123456", [ivo]],
      ["conceicao ana", [ana]],
      ["100%", [rui]],
      ["invoice", [ivo]],
      ["invoice_ready", [ivo]],
      ["order_update", [ana]],
      ["order A-1, shipped", [rui]],
      [rui.message_id, [rui]],
      ["%", []],
      ["_", []],
      ["Nobody", []],
    ];
    for (const [search, sends] of searches) {
      const ids = sends.map(({ message_id }) => message_id).sort();
      assert.deepEqual((await found(sql, { search })).sort(), ids, search);
    }
    assert.deepEqual(await found(sql, { search: "invoice", outcome: "failed" }), []);
    await actAsPerson(sql, own.member_id);
    const long = (sql: Sql) =>
      sql`
      select list_company_sends(${own.id}, search => ${"x".repeat(201)})
    `;
    assert.equal(await refusal(sql, long), "PT422");
  });
});

Deno.test("a send appears once if the search finds both its contact and its template", async () => {
  await rolledBack(async (sql) => {
    const person = { name: "Order Smith", phone: "+14155550333" };
    const { message_id } = await sendTo(sql, person, { created_at: new Date("2026-11-20") });
    assert.deepEqual(await found(sql, { search: "order" }), [message_id]);
  });
});

Deno.test("an agent sees contacts, templates and outcomes, but no API key and no idempotency key", async () => {
  await rolledBack(async (sql) => {
    const columns = { idempotency_key: "order-7", api_key_id: key_id };
    const message_id = await addSentMessage(sql, own, columns, {
      ...{ author_type: "key", author_id: key_id, author_name: "Web shop" },
      ...{ content: "Hello", rendered_text: "Hello Ada" },
    });
    const read = async (person: string) => {
      await actAsPerson(sql, person);
      const [{ send }] = await sql`select get_company_send(${own.id}, ${message_id}) as send`;
      await actAsSuperuser(sql);
      return send;
    };
    const [ofOwner, ofAgent] = [await read(own.member_id), await read(agent)];
    const key = { type: "key", id: key_id, name: "Web shop" };
    assert.deepEqual([ofOwner.author, ofOwner.idempotency_key], [key, "order-7"]);
    const nothing = { type: "key", id: null, name: null };
    assert.deepEqual([ofAgent.author, ofAgent.idempotency_key], [nothing, null]);
    assert.deepEqual({ ...ofOwner, author: null, idempotency_key: null }, {
      ...ofAgent,
      author: null,
    });
    assert.deepEqual([ofAgent.text, ofAgent.contact.name], ["Hello Ada", "Ada"]);
    const [listed] = (await page(sql, {}, agent)).sends;
    assert.deepEqual([listed.author, listed.outcome], [nothing, "accepted"]);
    assert.deepEqual(await found(sql, { search: "order-7" }), [message_id]);
    assert.deepEqual(await found(sql, { search: "order-7" }, agent), []);
    await actAsPerson(sql, own.member_id);
    for (const column of ["idempotency_key", "api_key_id", "claim_id"]) {
      const reading = (sql: Sql) => sql`select ${sql(column)} from sends`;
      assert.equal(await refusal(sql, reading), "42501", column);
    }
  });
});

Deno.test("a send to an erased contact remains in the log without the contact", async () => {
  await rolledBack(async (sql) => {
    const erased = await sendTo(sql, { name: "Gone Person", phone: "+14155550444" }, {
      idempotency_key: "gone-1",
    });
    await sql`update contacts set archived_at = now() where id = ${erased.contact_id}`;
    await sql`
      update contacts set erased_at = now(), name = null, phone = null where id = ${erased.contact_id}
    `;
    await sql`update sends set is_erased = true where message_id = ${erased.message_id}`;
    await sql`update messages set is_erased = true where id = ${erased.message_id}`;
    const [send] = (await page(sql, {})).sends;
    const { contact_id: id } = erased;
    assert.deepEqual(send.contact, { id, name: null, phone: null, is_erased: true });
    for (const search of ["Gone", "+14155550444"]) {
      assert.deepEqual(await found(sql, { search }), []);
    }
    await actAsPerson(sql, own.member_id);
    const [row] = await sql`select get_company_send(${own.id}, ${erased.message_id}) as send`;
    const { text, idempotency_key, failure } = row.send;
    assert.deepEqual([text, failure], ["", null]);
    assert.match(idempotency_key, /^erased\./);
  });
});
