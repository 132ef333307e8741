// Tests the effects of a reported failure on the window, the opt-out, the media and the template
// catalogue.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { endLease, SENT, settle } from "./sends.ts";
import { accepted, applyStatus, at, claimed, failure, report } from "./statuses.ts";
import { catalogued, entry, FITTING, mediaEntry } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [{ phone }, theirPhone] = [await phoneOf(own.contact_id), await phoneOf(other.contact_id)];

async function phoneOf(contactId: string): Promise<{ phone: string }> {
  let phone!: string;
  await rolledBack(async (sql) => {
    [{ phone }] = await sql`select phone from contacts where id = ${contactId}`;
  });
  return { phone };
}

/**
 * Sends to the company's contact. The channel accepts the send, and then reports a failure that is
 * dated this many seconds after T0.
 */
async function failed(
  sql: Sql,
  code: number,
  seconds: number,
  asked: Record<string, unknown> = {},
) {
  const send = await claimed(sql, own, { phone, ...asked });
  await settle(sql, send.claim_id, SENT);
  const item = report("failed", seconds, { failure: failure(code) });
  assert.equal(await applyStatus(sql, [own.account_id], item), "done");
  return { send, again: () => applyStatus(sql, [own.account_id], item) };
}

async function write(sql: Sql, seconds: number) {
  await sql`
    insert into messages (company_id, conversation_id, direction, content, sent_at)
    values (${own.id}, ${own.conversation_id}, 'inbound', 'Hello', ${at(seconds)})
  `;
}

async function windowEnd(sql: Sql, company = own): Promise<Date | null> {
  const [{ window }] = await sql`
    select window_expires_at as window from conversations where id = ${company.conversation_id}
  `;
  return window;
}

async function optOut(sql: Sql, company = own) {
  const [row] = await sql`
    select marketing_opt_out_at as at, marketing_stop_source as source from contacts where id = ${company.contact_id}
  `;
  return { ...row };
}

test("failure 131047 closes the contact's window on the sending number until the contact writes again", async (sql) => {
  await write(sql, 0);
  assert.deepEqual(await windowEnd(sql), at(24 * 3600));
  const { again } = await failed(sql, 131047, 60);
  assert.deepEqual(await windowEnd(sql), at(60));
  await write(sql, 120);
  assert.deepEqual(await windowEnd(sql), at(120 + 24 * 3600));
  // The repeated report is older than the contact's last message, so the report changes nothing.
  await again();
  assert.deepEqual(await windowEnd(sql), at(120 + 24 * 3600));
  assert.deepEqual(await optOut(sql), { at: null, source: null });
});

test("failure 131047 does not close a window that the contact renewed after the failure", async (sql) => {
  await write(sql, 120);
  await failed(sql, 131047, 60);
  assert.deepEqual(await windowEnd(sql), at(120 + 24 * 3600));
});

test("failure 131047 does not close a window that the contact renewed between the attempt and the report", async (sql) => {
  const { send, again } = await failed(sql, 131047, 60);
  await sql`update contact_windows set closed_at = null where contact_id = ${own.contact_id}`;
  await sql`update messages set created_at = ${at(30)} where id = ${send.message_id}`;
  await write(sql, 45);
  await again();
  assert.deepEqual(await windowEnd(sql), at(45 + 24 * 3600));
});

test("failure 131050 opts the contact out of marketing from the time of the report", async (sql) => {
  const { again } = await failed(sql, 131050, 60);
  assert.deepEqual(await optOut(sql), { at: at(60), source: "status" });
  assert.deepEqual(await optOut(sql, other), { at: null, source: null });
  await sql`update contacts set marketing_resumed_at = ${at(90)} where id = ${own.contact_id}`;
  await again();
  assert.deepEqual((await optOut(sql)).at, null);
  const [{ do_not_contact }] =
    await sql`select do_not_contact from contacts where id = ${own.contact_id}`;
  assert.equal(do_not_contact, false);
});

Deno.test("the channel's response to a send changes the window and the opt-out even after the lease has expired", async () => {
  for (const isLate of [false, true]) {
    for (const channel_code of [131047, 131050]) {
      await rolledBack(async (sql) => {
        await write(sql, 0);
        const send = await claimed(sql, own, { phone });
        if (isLate) {
          await endLease(sql, send.send_id);
          await sql`select fail_expired_sends()`;
        }
        const reason = "recipient_opted_out";
        await settle(sql, send.claim_id, { outcome: "failed", reason, channel_code });
        const [{ now }] = await sql`select now()`;
        assert.deepEqual(await windowEnd(sql), channel_code === 131047 ? now : at(24 * 3600));
        assert.deepEqual(
          await optOut(sql),
          channel_code === 131050 ? { at: now, source: "status" } : { at: null, source: null },
        );
      });
    }
  }
});

Deno.test("of two marketing opt-outs, the newer one determines the source, and a preference wins over a report with the same time", async () => {
  const stops: [preference: number, end: Record<string, unknown>][] = [
    [30, { at: at(60), source: "status" }],
    [60, { at: at(60), source: "preference" }],
    [90, { at: at(90), source: "preference" }],
  ];
  for (const [preference, end] of stops) {
    for (const isFirst of [true, false]) {
      await rolledBack(async (sql) => {
        const prefer = () =>
          sql`select app.apply_preference(${own.account_id}, ${
            sql.json({
              kind: "preference",
              at: at(preference).toISOString(),
              value: "stop",
              person: { phone, user_id: null, name: null, username: null },
            })
          })`;
        if (isFirst) await prefer();
        await failed(sql, 131050, 60);
        if (!isFirst) await prefer();
        assert.deepEqual(await optOut(sql), end);
      });
    }
  }
});

Deno.test("failures other than 131047 and 131050 change neither the window nor the opt-out", async () => {
  for (const code of [131026, 131049, 130472, 132012, 131053]) {
    await rolledBack(async (sql) => {
      await write(sql, 0);
      await failed(sql, code, 60);
      assert.deepEqual(await windowEnd(sql), at(24 * 3600), `${code}`);
      assert.deepEqual(await optOut(sql), { at: null, source: null }, `${code}`);
    });
  }
});

test("failure 131053 makes the message's media due for upload again, unless newer media has been uploaded", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const upload = async (id: string) => {
    const [{ upload }] = await sql`
      select begin_media_upload(${own.account_id}, templates.id) as upload
      from templates where company_id = ${own.id}
    `;
    await sql`select finish_media_upload(${upload.upload_id}, ${id}, null)`;
  };
  const media = async () =>
    (await sql`select media_id from template_media where company_id = ${own.id}`)[0].media_id;
  await upload("77");
  const asked = { message_type: "image", preflight: "first" };
  const { again } = await failed(sql, 131053, 60, asked);
  assert.equal(await media(), null);
  await upload("88");
  await again();
  assert.equal(await media(), "88");
});

Deno.test("failures 132000 to 132999 make a catalogue due to be read again if the catalogue was last read before the failure", async () => {
  // Each case: the failure code, the age of the catalogue, and the minutes until it is due to be
  // read. The report is one hour old.
  const readings: [code: number, age: string, minutes: number][] = [
    [132000, "90 minutes", 0],
    [132012, "2 hours", 0],
    [132999, "2 hours", 0],
    [131999, "2 hours", 22 * 60],
    [133000, "2 hours", 22 * 60],
    // This catalogue was read after the failure was reported.
    [132012, "30 minutes", 23 * 60 + 30],
  ];
  for (const [code, age, minutes] of readings) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [entry()], age);
      await sql`
        update template_catalogues set sync_due_at = synced_at + interval '24 hours' where company_id = ${own.id}
      `;
      const { again } = await failed(sql, code, 0, FITTING);
      await again();
      const [row] = await sql`
        select round(extract(epoch from sync_due_at - now()) / 60)::int as minutes
        from template_catalogues where company_id = ${own.id}
      `;
      assert.equal(row.minutes, minutes, `${code} ${age}`);
    });
  }
});

test("if a template keeps failing, its catalogue is read at most once every ten minutes", async (sql) => {
  await catalogued(sql, own, [entry()], "4 minutes");
  await failed(sql, 132012, 3598, FITTING);
  const [row] = await sql`
    select round(extract(epoch from sync_due_at - now()) / 60)::int as minutes
    from template_catalogues where company_id = ${own.id}
  `;
  assert.equal(row.minutes, 6);
});

test("a failure of another company's message does not change this company's contact", async (sql) => {
  const send = await claimed(sql, other, theirPhone);
  await settle(sql, send.claim_id, SENT);
  await accepted(sql, own);
  await applyStatus(sql, [other.account_id], report("failed", 1, { failure: failure(131050) }));
  assert.deepEqual(await optOut(sql), { at: null, source: null });
  assert.deepEqual(await optOut(sql, other), { at: at(1), source: "status" });
});
