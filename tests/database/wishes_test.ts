// Tests opt-outs from all messages and from marketing. The changes are made by hand, by stop and
// start words, or by a preference in WhatsApp. The changes arrive in any order.

import assert from "node:assert/strict";
import { actAs, actAsPerson, actAsSuperuser, rolledBack, type Sql } from "../support/acting_as.ts";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { anyUserId, at, contactsOf, tell } from "./inbound.ts";
import { inEachOrder, orders } from "./orders.ts";

const company = await newCompany();
const { id: company_id, account_id, contact_id, member_id, keys } = company;

async function optOut(sql: Sql, id = contact_id) {
  const [row] = await sql`
    select do_not_contact, do_not_contact_source, do_not_contact_at from contacts where id = ${id}
  `;
  return [row.do_not_contact, row.do_not_contact_source, row.do_not_contact_at?.toISOString()];
}

async function say(
  sql: Sql,
  word: "stop" | "stop_promotions" | "start" | null,
  seconds: number,
): Promise<void> {
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  await tell(sql, account_id, { kind: "message", at: at(seconds), person: { phone }, word });
}

async function marketingOptOut(sql: Sql) {
  const [row] = await sql`
    select marketing_opt_out, marketing_opt_out_source, marketing_opt_out_at, do_not_contact
    from contacts where id = ${contact_id}
  `;
  return [
    ...[
      row.marketing_opt_out,
      row.marketing_opt_out_source,
      row.marketing_opt_out_at?.toISOString(),
    ],
    row.do_not_contact,
  ];
}

/** Changes `do_not_contact` by hand and backdates the change to the given time. */
async function set(sql: Sql, value: boolean, seconds: number): Promise<void> {
  await sql`update contacts set do_not_contact = ${value} where id = ${contact_id}`;
  await sql`
    update contacts set do_not_contact_at = ${at(seconds)}
    where id = ${contact_id} and do_not_contact_at = now()
  `;
}

const iso = (seconds: number) => new Date(at(seconds)).toISOString();

Deno.test("the word `stop` sets `do_not_contact`, the word `start` clears `do_not_contact`, and each word stores its time", async () => {
  await rolledBack(async (sql) => {
    await say(sql, null, 5);
    assert.deepEqual(await optOut(sql), [false, null, undefined]);
    await say(sql, "stop", 10);
    assert.deepEqual(await optOut(sql), [true, "word", iso(10)]);
    await say(sql, "start", 20);
    assert.deepEqual(await optOut(sql), [false, "word", iso(20)]);
  });
});

Deno.test("the words `stop` and `start` give the same result in any order, and `stop` wins if both have the same time", async () => {
  const ends: [["stop" | "start", number][], unknown[]][] = [
    [[["stop", 10], ["start", 20], ["stop", 5]], [false, "word", iso(20)]],
    [[["stop", 10], ["start", 20], ["stop", 30]], [true, "word", iso(30)]],
    [[["stop", 10], ["start", 10]], [true, "word", iso(10)]],
    [[["start", 10], ["start", 20]], [false, null, undefined]],
  ];
  for (const [words, end] of ends) {
    await inEachOrder(orders(words), async (sql, order) => {
      for (const [word, seconds] of [...order, order[0]]) await say(sql, word, seconds);
      assert.deepEqual(await optOut(sql), end, JSON.stringify(order));
    });
  }
});

Deno.test("the word `start` does not undo a manual `do_not_contact`, and a manual change overrides older words", async () => {
  await rolledBack(async (sql) => {
    await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
    await say(sql, "stop", 10);
    await say(sql, "start", 20);
    const [value, source] = await optOut(sql);
    assert.deepEqual([value, source], [true, "manual"]);
  });
  await rolledBack(async (sql) => {
    await set(sql, true, 0);
    await set(sql, false, 50);
    await say(sql, "stop", 40);
    assert.deepEqual(await optOut(sql), [false, "manual", iso(50)]);
    await say(sql, "stop", 60);
    assert.deepEqual(await optOut(sql), [true, "word", iso(60)]);
    await set(sql, false, 70);
    await say(sql, "stop", 65);
    assert.deepEqual(await optOut(sql), [false, "manual", iso(70)]);
  });
});

Deno.test("`stop` and `start` before and after a manual change give the same result in any order", async () => {
  const words = [["stop", 30], ["start", 60], ["stop", 80], ["start", 90]] as const;
  for (const some of [words.slice(0, 2), words.slice(1, 3), words.slice(2), words]) {
    const ends = new Set<string>();
    await inEachOrder(orders(some), async (sql, order) => {
      await set(sql, true, 0);
      await set(sql, false, 50);
      for (const [word, seconds] of order) await say(sql, word, seconds);
      ends.add(JSON.stringify(await optOut(sql)));
    });
    assert.equal(ends.size, 1, JSON.stringify([some, ...ends]));
  }
});

Deno.test("each manual change of `do_not_contact` is recorded with its time and the source `manual`", async () => {
  const key = { key_hash: await hashKey(keys.write), scope: "write" };
  const actors: [string, (sql: Sql) => Promise<void>][] = [
    ["a key", (sql) => actAs(sql, "api_client", key)],
    ["a person", (sql) => actAsPerson(sql, member_id)],
    ["the platform", (sql) => actAs(sql, "service_role")],
  ];
  for (const [name, act] of actors) {
    await rolledBack(async (sql) => {
      const [{ now }] = await sql`select now()`;
      await say(sql, "stop", 0);
      await act(sql);
      await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
      await actAsSuperuser(sql);
      assert.deepEqual(await optOut(sql), [true, "word", iso(0)], "nothing was changed");
      await act(sql);
      await sql`update contacts set do_not_contact = false where id = ${contact_id}`;
      const row = { phone: anyPhone(), do_not_contact: true };
      const { phone } = row;
      await (name === "a key"
        ? sql`select write_contacts(array[${sql.json(row)}::jsonb])`
        : sql`insert into contacts ${sql({ ...row, company_id })}`);
      await actAsSuperuser(sql);
      assert.deepEqual(await optOut(sql), [false, "manual", now.toISOString()], name);
      const [{ id }] = await sql`select id from contacts where phone = ${phone}`;
      assert.deepEqual(await optOut(sql, id), [true, "manual", now.toISOString()], name);
    });
  }
});

Deno.test("the newest marketing preference applies, and `stop` wins over a `resume` with the same time", async () => {
  const ends: [["stop" | "resume", number][], number | null][] = [
    [[["stop", 30], ["resume", 90]], null],
    [[["stop", 30], ["resume", 90], ["stop", 20]], null],
    [[["stop", 30], ["resume", 30]], 30],
    [[["stop", 30], ["resume", 20], ["stop", 40]], 40],
  ];
  for (const [told, end] of ends) {
    await inEachOrder(orders(told), async (sql, order) => {
      const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
      for (const [value, seconds] of [...order, order[0]]) {
        const preference = { kind: "preference", at: at(seconds), person: { phone }, value };
        assert.equal(await tell(sql, account_id, preference), "done");
      }
      const [row] = await sql`
        select marketing_opt_out_at, marketing_stop_source, do_not_contact
        from contacts where id = ${contact_id}
      `;
      assert.deepEqual(
        [row.marketing_opt_out_at?.toISOString() ?? null, row.do_not_contact],
        [end === null ? null : iso(end), false],
      );
      assert.equal(row.marketing_stop_source, "preference");
    });
  }
});

Deno.test("a marketing preference from an unknown person creates a contact with that preference but no conversation", async () => {
  await rolledBack(async (sql) => {
    const person = { phone: anyPhone(), user_id: anyUserId(), name: "Luz" };
    const told = { kind: "preference", at: at(30), person, value: "stop" };
    await tell(sql, account_id, told);
    await tell(sql, account_id, told);
    const [, made, ...others] = await contactsOf(sql, company);
    assert.deepEqual([made.phone, made.name, others.length], [person.phone, "Luz", 0]);
    assert.equal(made.marketing_opt_out_at.toISOString(), iso(30));
    const conversations = await sql`select from conversations where contact_id = ${made.id}`;
    assert.equal(conversations.length, 0);
  });
});

Deno.test("a stop message about promotions stops only marketing, and the word `start` ends both opt-outs", async () => {
  const ends: [["stop" | "stop_promotions" | "start", number][], unknown[]][] = [
    [[["stop_promotions", 10]], [true, "word", iso(10), false]],
    [[["stop_promotions", 10], ["stop", 20]], [true, "word", iso(10), true]],
    [[["stop_promotions", 10], ["stop", 20], ["start", 30]], [false, null, undefined, false]],
    // Only a newer word ends an opt-out.
    [[["stop_promotions", 30], ["start", 20]], [true, "word", iso(30), false]],
    [[["stop_promotions", 20], ["start", 20]], [true, "word", iso(20), false]],
  ];
  for (const [words, end] of ends) {
    await inEachOrder(orders(words), async (sql, order) => {
      for (const [word, seconds] of [...order, order[0]]) await say(sql, word, seconds);
      assert.deepEqual(await marketingOptOut(sql), end, JSON.stringify(order));
    });
  }
});

Deno.test("the newest marketing opt-out or opt-in applies, whether by hand or by a word, and a manual change is stored with its own time", async () => {
  const key = { key_hash: await hashKey(keys.write), scope: "write" };
  const actors: Record<string, (sql: Sql) => Promise<void>> = {
    "a key": (sql) => actAs(sql, "api_client", key),
    "a person": (sql) => actAsPerson(sql, member_id),
    "the platform": (sql) => actAs(sql, "service_role"),
  };
  for (const [name, act] of Object.entries(actors)) {
    await rolledBack(async (sql) => {
      const [{ now }] = await sql`select now()`;
      const set = async (marketing_opt_out: boolean) => {
        await act(sql);
        await sql`update contacts set ${sql({ marketing_opt_out })} where id = ${contact_id}`;
        await actAsSuperuser(sql);
      };
      await say(sql, "stop_promotions", 10);
      await set(true);
      const said = [true, "word", iso(10), false];
      assert.deepEqual(await marketingOptOut(sql), said, `${name}: nothing was changed`);
      await set(false);
      await say(sql, "stop_promotions", 20);
      assert.deepEqual(await marketingOptOut(sql), [false, null, undefined, false], name);
      await set(true);
      await say(sql, "start", 30);
      assert.deepEqual(await marketingOptOut(sql), [true, "manual", now.toISOString(), false]);
      await sql`
        update contacts set marketing_stopped_at = ${at(40)}, marketing_resumed_at = ${at(30)}
        where id = ${contact_id}
      `;
      await say(sql, "start", 50);
      assert.deepEqual(await marketingOptOut(sql), [false, null, undefined, false], name);
    });
  }
});
