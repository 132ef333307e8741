// Tests that a phone number keeps its opt-out. The tests combine stop and start words, manual
// changes, new phone numbers, archiving and messages from other numbers in different orders.
// `do_not_contact` and the marketing opt-out both belong to a phone number.

import assert from "node:assert/strict";
import { rolledBack, type Sql } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { runs } from "../support/runs.ts";
import { committed, overlapping } from "./connections.ts";
import { anyUserId, at, moved, tell } from "./inbound.ts";

const { id: company_id, account_id } = await newCompany();

const WISHES = [
  { column: "do_not_contact", time: "do_not_contact_at", stop: "stop" },
  { column: "marketing_opt_out", time: "marketing_resumed_at", stop: "stop_promotions" },
];
/** The opt-out that the running test checks: `do_not_contact` or the marketing opt-out. */
let wish = WISHES[0];

/** Adds one test for each of the two opt-outs. */
function test(name: string, run: () => Promise<void>) {
  for (const each of WISHES) {
    Deno.test(`${each.column}: ${name}`, async () => {
      wish = each;
      await run();
    });
  }
}

async function newContact(sql: Sql, phone = anyPhone()): Promise<string> {
  const [{ id }] = await sql`insert into contacts ${sql({ company_id, phone })} returning id`;
  return id;
}

/** Archives the contact that has a phone number. */
async function archiveContactOf(sql: Sql, phone: string) {
  await sql`
    update contacts set archived_at = now()
    where company_id = ${company_id} and phone_key = app.phone_key(${phone})
  `;
}

async function isStopped(sql: Sql, phone: string): Promise<boolean> {
  const [contact] = await sql`select * from app.find_or_add_contact(${company_id}, ${phone}, null)`;
  const [row] = await sql`select * from contacts where id = ${contact.id}`;
  return row[wish.column];
}

function says(
  sql: Sql,
  person: { phone: string | null; user_id?: string },
  word: string | null,
  seconds: number,
) {
  const said = word === "stop" ? wish.stop : word;
  return tell(sql, account_id, { kind: "message", at: at(seconds), person, word: said });
}

async function takeBack(sql: Sql, id: string, seconds: number) {
  await sql`update contacts set ${sql({ [wish.column]: false })} where id = ${id}`;
  // Backdates the change to the given time.
  await sql`
    update contacts set ${sql({ [wish.time]: at(seconds) })} where id = ${id}
    and ${sql(wish.time)} = now()
  `;
}

test("after random changes, the newest opt-out or opt-in for a phone number decides whether the number receives messages", async () => {
  const anyOf = <Item>(items: Item[]) => items[Math.floor(Math.random() * items.length)];
  const archivingRuns = 20;
  for (let run = 0; run < archivingRuns + runs(100); run++) {
    // After many moves, the opt-outs of several contacts are kept for the same phone number.
    const isMoving = run >= archivingRuns;
    const rest = isMoving ? Array(4).fill("move") : ["move", "archive"];
    await rolledBack(async (sql) => {
      const phones = [anyPhone(), anyPhone(), anyPhone()];
      /** For each phone number, its contact and whether the contact has opted out. */
      const holders = new Map<string, { id: string; stopped: boolean }>();
      /** For each phone number that has lost its contact, whether that contact had opted out. */
      const kept = new Map<string, boolean>();
      const done: string[] = [];
      for (let step = 1; step <= (isMoving ? 15 : 10); step++) {
        const action = anyOf(["stop", "start", "take back", ...rest]);
        const free = phones.filter((each) => !holders.has(each));
        const [phone, other] = isMoving && action === "move" && holders.size > 0 && free.length > 0
          ? [anyOf([...holders.keys()]), anyOf(free)]
          : [anyOf(phones), anyOf(phones)];
        const holder = holders.get(phone);
        done.push(`${action} ${phones.indexOf(phone)} ${phones.indexOf(other)}`);
        if (action === "stop" || action === "start") {
          await says(sql, { phone }, action, step);
          const [{ id }] = await sql`
            select id from contacts where company_id = ${company_id} and phone_key = app.phone_key(${phone})
          `;
          holders.set(phone, { id, stopped: action === "stop" });
        } else if (!holder) {
          continue;
        } else if (action === "take back") {
          await takeBack(sql, holder.id, step);
          holder.stopped = false;
        } else if (action === "archive") {
          await sql`update contacts set archived_at = now() where id = ${holder.id}`;
          holders.delete(phone);
          kept.set(phone, holder.stopped);
        } else if (!holders.has(other)) {
          await sql`update contacts set phone = ${other} where id = ${holder.id}`;
          holders.delete(phone);
          holders.set(other, {
            id: holder.id,
            stopped: holder.stopped || kept.get(other) === true,
          });
          kept.set(phone, holder.stopped);
        }
      }
      for (const phone of phones) {
        const expected = holders.get(phone)?.stopped ?? kept.get(phone) ?? false;
        assert.equal(await isStopped(sql, phone), expected, `${done.join(", ")}: ${phone}`);
      }
    });
  }
});

test("a kept opt-out remains in force even if an earlier contact of the phone number opted in after this opt-out", async () => {
  await rolledBack(async (sql) => {
    const [phone, another] = [anyPhone(), anyPhone()];
    const contactOf = async (ofPhone: string) =>
      (await sql`
        select id from contacts where company_id = ${company_id} and phone = ${ofPhone}
      `)[0].id;
    await says(sql, { phone: another }, "stop", 7);
    await says(sql, { phone }, "stop", 5);
    await says(sql, { phone }, "start", 10);
    await sql`update contacts set phone = ${anyPhone()} where id = ${await contactOf(phone)}`;
    // The opted-out contact has the phone number for some time. So the opt-out is then kept for
    // this number.
    const id = await contactOf(another);
    for (const next of [phone, anyPhone()]) {
      await sql`update contacts set phone = ${next} where id = ${id}`;
    }
    const moved = await newContact(sql);
    await sql`update contacts set phone = ${phone} where id = ${moved}`;
    for (const name of ["Ana", "Bia"]) {
      assert.equal(await isStopped(sql, phone), true, name);
      // Another write does not end the opt-out.
      await sql`update contacts set name = ${name}, do_not_contact = do_not_contact where id = ${moved}`;
    }
    await sql`update contacts set archived_at = now() where id = ${moved}`;
    assert.equal(await isStopped(sql, phone), true, "a new contact");
  });
});

test("if the contact's phone number changes after an opt-out has ended, neither number is opted out", async () => {
  for (const resumesBy of ["word", "hand"]) {
    await rolledBack(async (sql) => {
      const [phone, other] = [anyPhone(), anyPhone()];
      const contactOf = async () =>
        (await sql`
        select id from contacts where company_id = ${company_id} and phone_key = app.phone_key(${phone})
      `)[0].id;
      await says(sql, { phone }, "stop", 1);
      await sql`update contacts set archived_at = now() where id = ${await contactOf()}`;
      await says(sql, { phone }, resumesBy === "word" ? "start" : null, 2);
      const id = await contactOf();
      if (resumesBy === "hand") await takeBack(sql, id, 3);
      await sql`update contacts set phone = ${other} where id = ${id}`;
      assert.deepEqual([await isStopped(sql, phone), await isStopped(sql, other)], [false, false]);
    });
  }
});

test("if the person changes phone numbers after an opt-out has ended, neither number is opted out", async () => {
  for (const resumesBy of ["word", "hand"]) {
    // The word for the opt-out that the test does not check.
    const [otherWord] = WISHES.filter((each) => each !== wish).map(({ stop }) => stop);
    for (const word of [null, otherWord]) {
      await rolledBack(async (sql) => {
        const [phone, other] = [anyPhone(), anyPhone()];
        await says(sql, { phone }, "stop", 1);
        await archiveContactOf(sql, phone);
        const id = await newContact(sql, phone);
        if (resumesBy === "hand") await takeBack(sql, id, 3);
        else await says(sql, { phone }, "start", 3);
        await tell(sql, account_id, { kind: "message", at: at(4), person: { phone }, word });
        await tell(sql, account_id, moved(phone, other, 5));
        const stopped = [await isStopped(sql, phone), await isStopped(sql, other)];
        assert.deepEqual(stopped, [false, false], `${resumesBy}, ${word}`);
      });
    }
  }
});

test("if an archived contact with the phone number has opted out, the number remains opted out when the person changes numbers", async () => {
  await rolledBack(async (sql) => {
    const [phone, other] = [anyPhone(), anyPhone()];
    await says(sql, { phone }, "stop", 1);
    await archiveContactOf(sql, phone);
    await newContact(sql, phone);
    await says(sql, { phone }, "stop", 2);
    await tell(sql, account_id, moved(phone, other, 5));
    assert.deepEqual([await isStopped(sql, phone), await isStopped(sql, other)], [true, true]);
  });
});

test("an opt-out that has ended does not return when a contact is merged, or when one of its additional numbers becomes its main number", async () => {
  type Change = (sql: Sql, id: string, phone: string) => Promise<string>;
  const merged = async (sql: Sql, survivor: Record<string, unknown>, id: string) => {
    const [{ id: kept }] = await sql`
      insert into contacts ${sql({ company_id, ...survivor })} returning id
    `;
    await sql`select app.merge_contacts(${company_id}, ${kept}, ${id})`;
    return kept as string;
  };
  const changes: Record<string, Change> = {
    "a merge into a contact without a phone number": (sql, id) =>
      merged(sql, { phone: null, has_identity: true }, id),
    "a merge into a contact whose own decision is older": (sql, id) =>
      merged(sql, {
        ...{ phone: null, has_identity: true, do_not_contact_source: "manual" },
        ...{ do_not_contact_at: at(0), marketing_resumed_at: at(0) },
      }, id),
    "a merge, and then a change to the additional number": async (sql, id, phone) => {
      const kept = await merged(sql, { phone: anyPhone() }, id);
      await sql`update contacts set phone = ${phone} where id = ${kept}`;
      return kept;
    },
    "a merge, and then a notice of the change": async (
      sql,
      id,
      phone,
    ) => {
      const main = anyPhone();
      const kept = await merged(sql, { phone: main }, id);
      await tell(sql, account_id, moved(main, phone, 4));
      return kept;
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    for (const resumesBy of ["word", "hand"]) {
      await rolledBack(async (sql) => {
        const phone = anyPhone();
        const contactOf = async () =>
          (await sql`
            select id from contacts
            where company_id = ${company_id} and phone_key = app.phone_key(${phone})
          `)[0].id;
        await says(sql, { phone }, "stop", 1);
        await sql`update contacts set archived_at = now() where id = ${await contactOf()}`;
        const id = await newContact(sql, phone);
        if (resumesBy === "hand") await takeBack(sql, id, 3);
        else await says(sql, { phone }, "start", 3);
        const kept = await change(sql, id, phone);
        assert.equal(await contactOf(), kept, name);
        assert.equal(await isStopped(sql, phone), false, `${name}, resumed by ${resumesBy}`);
      });
    }
  }
});

test("an opt-out that the word start has ended does not return after a merge into a contact with an older manual opt-in", async () => {
  const sequels: Record<string, (sql: Sql, id: string, phone: string) => Promise<unknown>> = {
    "the additional number becomes the main number": (sql, id, phone) =>
      sql`update contacts set phone = ${phone} where id = ${id}`,
    "the contact is archived and restored": async (sql, id) => {
      await sql`update contacts set archived_at = now() where id = ${id}`;
      await sql`update contacts set archived_at = null where id = ${id}`;
    },
    "the contact is erased": (sql, id) =>
      sql`select app.erase_contacts(${company_id}, array[${id}]::uuid[])`,
  };
  for (const [name, sequel] of Object.entries(sequels)) {
    await rolledBack(async (sql) => {
      const phone = anyPhone();
      await says(sql, { phone }, "stop", 1);
      await archiveContactOf(sql, phone);
      const id = await newContact(sql, phone);
      await says(sql, { phone }, "start", 2);
      const [{ id: kept }] = await sql`
        insert into contacts ${
        sql({
          ...{ company_id, phone: anyPhone(), do_not_contact_source: "manual" },
          ...{ do_not_contact_at: at(0), marketing_resumed_at: at(0) },
        })
      } returning id
      `;
      await sql`select app.merge_contacts(${company_id}, ${kept}, ${id})`;
      await sequel(sql, kept, phone);
      assert.equal(await isStopped(sql, phone), false, name);
    });
  }
});

test("an erasure keeps only the opt-outs that are in force", async () => {
  for (const last of ["stop", "start"]) {
    await rolledBack(async (sql) => {
      const phone = anyPhone();
      const id = await newContact(sql, phone);
      await says(sql, { phone }, "stop", 1);
      await says(sql, { phone }, last, 2);
      await sql`select app.erase_contacts(${company_id}, array[${id}]::uuid[])`;
      const kept = await sql`select 1 from app.kept_wishes where company_id = ${company_id}`;
      assert.equal(kept.length, last === "stop" ? 1 : 0);
    });
  }
});

test("an opt-out that has ended does not return when the person's newer contact is erased", async () => {
  const erase = (sql: Sql, id: string) =>
    sql`select app.erase_contacts(${company_id}, array[${id}]::uuid[])`;
  /** What happens after the erasure of the newer contact. */
  const sequels: Record<string, (sql: Sql, phone: string, older: string) => Promise<unknown>> = {
    nothing: () => Promise.resolve(),
    "the older contact is erased": (sql, _phone, older) => erase(sql, older),
    "a third contact is erased": async (sql, phone) => erase(sql, await newContact(sql, phone)),
    "a third contact gets another phone number": async (sql, phone) => {
      const id = await newContact(sql, phone);
      await sql`update contacts set phone = ${anyPhone()} where id = ${id}`;
    },
  };
  for (const [name, sequel] of Object.entries(sequels)) {
    for (const resumesBy of ["word", "hand"]) {
      await rolledBack(async (sql) => {
        const [phone, user_id] = [anyPhone(), anyUserId()];
        const contactOf = async () =>
          (await sql`
            select id from contacts
            where company_id = ${company_id} and phone_key = app.phone_key(${phone})
          `)[0].id;
        await says(sql, { phone, user_id }, "stop", 1);
        const older = await contactOf();
        await sql`update contacts set archived_at = now() where id = ${older}`;
        await says(sql, { phone, user_id }, resumesBy === "word" ? "start" : null, 2);
        const newer = await contactOf();
        if (resumesBy === "hand") await takeBack(sql, newer, 3);
        await erase(sql, newer);
        await sequel(sql, phone, older);
        assert.equal(await isStopped(sql, phone), false, `${name}, resumed by ${resumesBy}`);
        const another = anyPhone();
        const id = await newContact(sql, another);
        await sql`select app.learn_user_id(${company_id}, ${id}, ${user_id}, null, now())`;
        assert.equal(await isStopped(sql, another), false, `${name}: the user id`);
        const kept = await sql`select 1 from app.kept_wishes where company_id = ${company_id}`;
        assert.equal(kept.length > 0, name !== "the older contact is erased", name);
      });
    }
  }
});

test("a stop word overrides a manual change in the same second if the change was made before the word arrived", async () => {
  const ends: [[string, number][], boolean][] = [
    [[["take back", 10.4], ["stop", 10]], true],
    [[["take back", 10.4], ["stop", 9]], false],
    [[["take back", 11], ["stop", 10]], false],
    [[["stop", 10], ["take back", 10.4]], false],
    // WhatsApp may repeat a preference, so a preference with the same time is not a second
    // marketing opt-out.
    [[["stop", 10], ["take back", 10.4], ["stop", 10]], wish.column === "do_not_contact"],
    [[["stop", 10], ["take back", 10.4], ["start", 20], ["start", 5]], false],
  ];
  for (const [said, end] of ends) {
    await rolledBack(async (sql) => {
      const phone = anyPhone();
      const id = await newContact(sql, phone);
      const isSet = { [wish.column]: said[0][0] === "take back" };
      await sql`update contacts set ${sql(isSet)} where id = ${id}`;
      await sql`
        update contacts set marketing_stopped_at = ${at(0)} where id = ${id} and marketing_opt_out
      `;
      for (const [what, seconds] of said) {
        if (what === "take back") await takeBack(sql, id, seconds);
        else await says(sql, { phone }, what, seconds);
      }
      assert.equal(await isStopped(sql, phone), end, JSON.stringify(said));
    });
  }
});

test("an opt-out applies to the person's new phone number even if another contact has that number", async () => {
  for (const stopsLater of [false, true]) {
    await rolledBack(async (sql) => {
      const [former, taken, user_id] = [anyPhone(), anyPhone(), anyUserId()];
      await says(sql, { phone: former, user_id }, stopsLater ? null : "stop", 10);
      const owner = await newContact(sql, taken);
      await tell(sql, account_id, moved(former, taken, 20));
      assert.equal(await isStopped(sql, taken), !stopsLater);
      await says(sql, { phone: taken, user_id }, stopsLater ? "stop" : null, 30);
      assert.equal(await isStopped(sql, taken), true);
      // After the opt-out is lifted, a message without a stop word does not set the opt-out again.
      await takeBack(sql, owner, 40);
      await says(sql, { phone: taken, user_id }, null, 50);
      assert.equal(await isStopped(sql, taken), false);
    });
  }
});

test("when the WhatsApp user id of an opted-out person moves to another contact, that contact is opted out", async () => {
  await rolledBack(async (sql) => {
    const [former, taken, user_id] = [anyPhone(), anyPhone(), anyUserId()];
    const id = await newContact(sql, former);
    await says(sql, { phone: taken, user_id }, "stop", 10);
    await tell(sql, account_id, {
      ...moved(former, taken, 20),
      person: { phone: former, user_id: null },
    });
    await sql`select app.learn_user_id(${company_id}, ${id}, ${user_id}, null, ${at(30)})`;
    assert.equal(await isStopped(sql, former), true);
  });
});

test("when an opted-out person changes phone numbers, the opt-out moves to the new number", async () => {
  await rolledBack(async (sql) => {
    const [former, next] = [anyPhone(), anyPhone()];
    await says(sql, { phone: former }, "stop", 10);
    await tell(sql, account_id, moved(former, next, 20));
    assert.deepEqual([await isStopped(sql, next), await isStopped(sql, former)], [true, false]);
  });
});

test("a restored contact has the opt-outs that came from its phone numbers and user ids while the contact was archived", async () => {
  const [phone, further, user_id] = [anyPhone(), anyPhone(), anyUserId()];
  for (const said of [{ phone }, { phone: further }, { phone: null, user_id }]) {
    await rolledBack(async (sql) => {
      const id = await newContact(sql, phone);
      await says(sql, { phone, user_id }, null, 10);
      await says(sql, { phone: further, user_id }, null, 20);
      await sql`update contacts set archived_at = now() where id = ${id}`;
      await says(sql, said, "stop", 30);
      await sql`update contacts set archived_at = now() where company_id = ${company_id} and ${
        sql(wish.column)
      }`;
      await sql`update contacts set archived_at = null where id = ${id}`;
      assert.equal(await isStopped(sql, phone), true, JSON.stringify(said));
    });
  }
});

test("a new contact is opted out even if the opted-out contact that had its phone number changes numbers at the same moment", async () => {
  const makings: ((sql: Sql, phone: string) => Promise<unknown>)[] = [
    async (sql, phone) => assert.equal(await isStopped(sql, phone), true),
    newContact,
  ];
  for (const makes of makings) {
    const phone = anyPhone();
    const id = await committed(async (sql) => {
      await says(sql, { phone }, "stop", 10);
      const [contact] =
        await sql`select id from contacts where company_id = ${company_id} and phone = ${phone}`;
      return contact.id;
    });
    await overlapping(
      (sql) => sql`update contacts set phone = ${anyPhone()} where id = ${id}`,
      (sql) => makes(sql, phone),
    );
    assert.equal(await committed((sql) => isStopped(sql, phone)), true);
  }
});

test("if a contact's phone number changes while a stop word is being applied, the opt-out belongs to the number that sent the word", async () => {
  for (const user_id of [anyUserId(), undefined]) {
    const [phone, another] = [anyPhone(), anyPhone()];
    const id = await committed(async (sql) => {
      await says(sql, { phone, user_id }, null, 10);
      const [contact] = await sql`
        select id from contacts where company_id = ${company_id} and phone = ${phone}
      `;
      return contact.id;
    });
    await overlapping(
      (sql) => sql`update contacts set phone = ${another} where id = ${id}`,
      (sql) => says(sql, { phone, user_id }, "stop", 20),
    );
    // The WhatsApp user id shows that both numbers belong to the same person.
    const stopped = await committed((sql) =>
      Promise.all([phone, another].map((each) => isStopped(sql, each)))
    );
    assert.deepEqual(stopped, [true, user_id !== undefined]);
  }
});
