// Tests that an opt-out belongs to both the phone number and the contact. A new phone number does
// not end the opt-out.
import assert from "node:assert/strict";
import { type Answer, call, send } from "../support/calls.ts";
import { messagesFrom, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { sendTemplate, takenFrom, template } from "../support/sending.ts";
import { until } from "../support/started.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { committed } from "../database/connections.ts";

const company = await newCompany();
const { id: company_id, keys } = company;
const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
const webhook = await ownWebhook();

function ask(method: string, path: string, json?: unknown): Promise<Answer> {
  return call(keys.all, method, path, { json });
}

// deno-lint-ignore no-explicit-any -- a contact as the API returns it
type Contact = any;

async function done(answer: Promise<Answer>): Promise<Contact> {
  const { status, body } = await answer;
  assert.ok(status < 300, JSON.stringify(body));
  return body?.data;
}

const newContact = (phone = anyPhone(), fields = {}): Promise<Contact> =>
  done(ask("POST", "/contacts", { phone, ...fields }));

async function foundBy(phone: string): Promise<Contact> {
  const { body } = await ask("GET", `/contacts?phone=${encodeURIComponent(phone)}`);
  assert.ok(body.data.length <= 1);
  return body.data[0];
}

const seconds = () => Math.floor(Date.now() / 1000);

/** Posts a message from a person to the webhook. `second` is the message's timestamp. */
async function inbound(
  { phone, user_id }: { phone: string; user_id?: string },
  text: string,
  second = seconds(),
) {
  const message = { from_user_id: user_id, timestamp: String(second), text: { body: text } };
  const body = messagesFrom(phone, company.phone_number_id, [message], { user_id });
  assert.equal((await webhook.post(app, body)).status, 200);
}

/** Creates a contact who has just sent STOP. */
async function stopped(user_id?: string): Promise<Contact> {
  const phone = anyPhone();
  await inbound({ phone, user_id }, "STOP");
  const contact = await foundBy(phone);
  assert.equal(contact.do_not_contact, true);
  return contact;
}

/** Asserts that a send and a dry run to the phone number are refused. */
async function assertStopped(phone: string, message: string) {
  const url = `${stack.template_url}?dry_run=true`;
  const headers = { Authorization: `Bearer ${keys.messaging}`, "Content-Type": "application/json" };
  const dry = await send(url, "POST", headers, JSON.stringify(template(phone)));
  assert.deepEqual(
    dry.body,
    { success: false, dry_run: true, outcome: "do_not_contact" },
    `${message}: dry run`,
  );
  const { body } = await sendTemplate(keys.messaging, template(phone));
  assert.deepEqual(body, { success: false, reason: "do_not_contact" }, message);
  assert.deepEqual(await takenFrom(company, phone), [], message);
}

const patched = (id: string, json: Record<string, unknown>) =>
  done(ask("PATCH", `/contacts/${id}`, json));

async function patchedTogether(items: unknown[]) {
  const answers = await done(ask("PATCH", "/contacts/batch", { items }));
  for (const { status } of answers) assert.equal(status, 200);
}

/** The ways to change a contact's phone number, and what may happen to the contact afterwards. */
const MOVES: Record<string, (contact: Contact, phone: string) => Promise<unknown>> = {
  "a PATCH": ({ id }, phone) => patched(id, { phone }),
  "a PATCH that also clears do_not_contact": ({ id }, phone) =>
    patched(id, { phone, do_not_contact: false }),
  "a batch of PATCHes": ({ id }, phone) => patchedTogether([{ id, phone }]),
  "a batch of PATCHes that first sets a third phone number": ({ id }, phone) =>
    patchedTogether([{ id, phone: anyPhone() }, { id, phone }]),
  "a PATCH, and then the contact is archived": async ({ id }, phone) => {
    await patched(id, { phone });
    await done(ask("DELETE", `/contacts/${id}`));
  },
  "a PATCH, and then the contact is archived and restored": async ({ id }, phone) => {
    await patched(id, { phone });
    await done(ask("DELETE", `/contacts/${id}`));
    await done(ask("POST", `/contacts/${id}/restore`));
  },
  "a PATCH and a merge": async ({ id }, phone) => {
    await patched(id, { phone });
    const survivor = await newContact();
    await done(ask("POST", `/contacts/${survivor.id}/merge`, { from: id }));
  },
  "a PATCH and an erasure": async ({ id }, phone) => {
    await patched(id, { phone });
    await done(ask("POST", `/contacts/${id}/erase`, { confirm: id }));
  },
};

Deno.test("after STOP, the old phone number receives no messages, however the contact's number is changed", async () => {
  for (const [name, move] of Object.entries(MOVES)) {
    const contact = await stopped();
    const phone = anyPhone();
    await move(contact, phone);
    await assertStopped(contact.phone, name);
    if (!name.includes("also clears do_not_contact")) {
      await assertStopped(phone, `${name}: the other phone`);
    }
  }
});

Deno.test("a new contact inherits the opt-out of the earlier contact with the same phone number, and the opt-out's source and time", async () => {
  const makings: Record<string, (phone: string) => Promise<unknown>> = {
    "a POST": (phone) => newContact(phone, { do_not_contact: false }),
    "a PUT": (phone) => done(ask("PUT", "/contacts", { phone, name: "Ada" })),
    "a batch": (phone) => done(ask("POST", "/contacts/batch", { items: [{ phone }] })),
    "a PATCH of another contact": async (phone) => patched((await newContact()).id, { phone }),
    "an import": (phone) =>
      withDatabase((sql) =>
        sql`select import_contacts(${company_id}, array[${sql.json({ phone })}]::jsonb[], 'update')`
      ),
    "a message": (phone) => inbound({ phone }, "Oi"),
  };
  for (const [name, make] of Object.entries(makings)) {
    const { id, phone, do_not_contact_source, do_not_contact_at } = await stopped();
    await patched(id, { phone: anyPhone() });
    await make(phone);
    const made = await foundBy(phone);
    assert.notEqual(made.id, id, name);
    assert.deepEqual(
      [made.do_not_contact, made.do_not_contact_source, made.do_not_contact_at],
      [true, do_not_contact_source, do_not_contact_at],
      name,
    );
    await assertStopped(phone, name);
  }
});

Deno.test("a PATCH returns the wishes that a contact inherits from a contact that is archived at the same time", async () => {
  for (const wish of ["do_not_contact", "marketing_opt_out"]) {
    const earlier = await newContact(anyPhone(), { [wish]: true });
    const contact = await newContact();
    const changes = { phone: earlier.phone, name: "Ada" };
    const patching = await committed(async (sql) => {
      const [{ pid }] = await sql`select pg_backend_pid() as pid`;
      await sql`update contacts set archived_at = now() where id = ${earlier.id}`;
      const patching = patched(contact.id, changes);
      const waiting = until(async () =>
        (await statement`select from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`)
          .length > 0
      );
      await Promise.race([patching, waiting]);
      return { patching };
    });
    const answered = await patching.patching;
    assert.deepEqual([answered[wish], answered.name], [true, "Ada"]);
    assert.deepEqual(answered, (await ask("GET", `/contacts/${contact.id}`)).body.data);
  }
});

Deno.test("if the person writes from another phone number with the same user id, STOP also applies to that number", async () => {
  const user_id = `BR.${crypto.randomUUID().replaceAll("-", "")}`;
  const contact = await stopped(user_id);
  const [another, further] = [anyPhone(), anyPhone()];
  await inbound({ phone: another, user_id }, "Oi");
  await assertStopped(another, "a free phone");
  assert.equal((await foundBy(another)).id, contact.id, "a contact's additional phone number");

  // The opt-out still applies after the contact is archived.
  await done(ask("DELETE", `/contacts/${contact.id}`));
  await inbound({ phone: further, user_id }, "Oi");
  await assertStopped(further, "an archived contact's id");
});

Deno.test("every kind of write can set and clear `marketing_opt_out` without changing `do_not_contact`", async () => {
  const ways: Record<string, (contact: Contact, fields: unknown) => Promise<unknown>> = {
    "a PATCH": ({ id, phone }, fields) => patched(id, { phone, ...fields as Contact }),
    "a PUT": ({ phone }, fields) => done(ask("PUT", "/contacts", { phone, ...fields as Contact })),
    "a batch": ({ phone }, fields) =>
      done(ask("POST", "/contacts/batch?on_conflict=update", {
        items: [{ phone, ...fields as Contact }],
      })),
    "a batch of PATCHes": ({ id }, fields) => patchedTogether([{ id, ...fields as Contact }]),
  };
  for (const [name, write] of Object.entries(ways)) {
    const contact = await newContact(anyPhone(), { marketing_opt_out: true, do_not_contact: true });
    const { marketing_opt_out, marketing_opt_out_source, marketing_opt_out_at } = contact;
    assert.deepEqual([marketing_opt_out, marketing_opt_out_source], [true, "manual"], name);
    const age = Date.now() - Date.parse(marketing_opt_out_at);
    assert.ok(Math.abs(age) < 60_000, name);
    // Writing the same value again does not change the opt-out's time.
    await write(contact, { marketing_opt_out: true, name: "Ada" });
    const same = await foundBy(contact.phone);
    assert.deepEqual([same.name, same.marketing_opt_out_at], ["Ada", marketing_opt_out_at], name);
    await write(contact, { marketing_opt_out: false });
    const lifted = await foundBy(contact.phone);
    assert.deepEqual(
      [lifted.marketing_opt_out, lifted.marketing_opt_out_source, lifted.marketing_opt_out_at],
      [false, null, null],
      name,
    );
    assert.equal(lifted.do_not_contact, true, name);
    await write(contact, { marketing_opt_out: true, do_not_contact: false });
    const again = await foundBy(contact.phone);
    assert.deepEqual([again.marketing_opt_out, again.do_not_contact], [true, false], name);
    await done(ask("PUT", "/contacts?on_conflict=keep", {
      ...{ phone: contact.phone, marketing_opt_out: false },
    }));
    assert.equal((await foundBy(contact.phone)).marketing_opt_out, true, `${name}: keep`);
  }
});

Deno.test("a manual marketing opt-out applies to the old and the new phone number, however the contact's number is changed", async () => {
  for (const [name, move] of Object.entries(MOVES)) {
    const contact = await newContact(anyPhone(), { marketing_opt_out: true });
    const phone = anyPhone();
    await move(contact, phone);
    for (const each of [contact.phone, phone]) {
      const found = await foundBy(each) ?? await newContact(each);
      assert.deepEqual(
        [found.marketing_opt_out, found.marketing_opt_out_source, found.marketing_opt_out_at],
        [true, "manual", contact.marketing_opt_out_at],
        name,
      );
    }
  }
});

Deno.test("after a batch that sets an opt-out with the current phone number and then changes the number, a new contact with the old number is opted out", async () => {
  const batches: Record<string, (contact: Contact, items: Contact[]) => Promise<unknown>> = {
    "a batch of PATCHes": ({ id }, items) =>
      patchedTogether(items.map((item) => ({ id, ...item }))),
    "a batch by external_id": ({ external_id }, items) =>
      done(ask("POST", "/contacts/batch?match=external_id&on_conflict=update", {
        items: items.map((item) => ({ external_id, ...item })),
      })),
  };
  for (const [name, write] of Object.entries(batches)) {
    for (const field of ["do_not_contact", "marketing_opt_out"]) {
      const contact = await newContact(anyPhone(), { external_id: crypto.randomUUID() });
      const { phone } = contact;
      await write(contact, [{ phone, [field]: true }, { phone: anyPhone() }]);
      assert.equal((await newContact(phone))[field], true, `${field}: ${name}`);
    }
  }
});
