// Tests dry runs, and claims that do not match the template: what they return, and that they write
// nothing.

import assert from "node:assert/strict";
import type { Sql } from "../support/acting_as.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { snapshot, snapshotIn } from "../support/snapshot.ts";
import { statement } from "../support/test_stack.ts";
import { committed } from "./connections.ts";
import { addContact, type Claim, claim, endLease, RELEASED, settle, standing } from "./sends.ts";
import { catalogued, entry, FITTING, mediaEntry } from "./templates.ts";

const DRY = { preflight: "first", dry_run: true, ...FITTING };

/** A company with stored templates. */
async function newSender(): Promise<Company> {
  const company = await newCompany();
  await committed(async (sql) => {
    await catalogued(sql, company, [
      entry(),
      entry({ name: "paused", status: "PAUSED" }),
      mediaEntry({ name: "promo" }),
    ]);
  });
  return company;
}

const own = await newSender();
const { id: company_id, keys } = own;
const stoppedPhone = anyPhone();
await committed((sql) =>
  addContact(sql, { company_id, phone: stoppedPhone, do_not_contact: true })
);

/**
 * Commits a claim and returns its result. Fails the test if the claim wrote anything.
 * @param within a transaction that makes the claim, and that the caller ends.
 */
async function unwritten(asked: Record<string, unknown>, within?: Sql): Promise<Claim> {
  const stored = () => within ? snapshotIn(within, company_id) : snapshot(company_id);
  const claiming = (sql: Sql) => claim(sql, keys.messaging, asked);
  // The use of the API keys has just been recorded, so the claim does not record the use again.
  await statement`update api_keys set last_used_at = now() where company_id = ${company_id}`;
  const before = await stored();
  const answer = await (within ? claiming(within) : committed(claiming));
  assert.deepEqual(await stored(), before, JSON.stringify(asked));
  return answer;
}

const REFUSED = {
  result: "template_refused",
  faults: [{ field: "body_variables", fault: "count", takes: 2, got: 0 }],
};

Deno.test("a dry run returns what a send would do, and writes nothing", async () => {
  const idempotency_key = crypto.randomUUID();
  const runs: [Record<string, unknown>, unknown][] = [
    [{}, { result: "send" }],
    [{ idempotency_key, contact_name: "Grace" }, { result: "send" }],
    // A send would first have to upload the media of this template.
    [{ template_name: "promo", body_variables: [] }, { result: "send" }],
    [{ phone: stoppedPhone }, { result: "do_not_contact" }],
    [{ body_variables: [] }, REFUSED],
    [{ phone_number_id: "0" }, {
      result: "no_account",
      connected: [{ phone_number_id: own.phone_number_id, display_phone: "+15550100" }],
    }],
    [{ preflight: "off" }, { result: "send" }],
  ];
  for (const [asked, expected] of runs) {
    assert.deepEqual(await unwritten({ ...DRY, ...asked }), expected, JSON.stringify(asked));
  }
  // The idempotency key has not been used.
  const real = { ...DRY, dry_run: false, idempotency_key };
  assert.equal((await committed((sql) => claim(sql, keys.messaging, real))).result, "claimed");
});

Deno.test("a claim that does not match the template writes nothing and does not use up its idempotency key", async () => {
  const idempotency_key = crypto.randomUUID();
  const real = { preflight: "first", contact_name: "Grace", idempotency_key, ...FITTING };
  assert.deepEqual(await unwritten({ ...real, body_variables: [] }), REFUSED);
  assert.equal((await unwritten({ ...real, template_name: "paused" })).result, "template_refused");
  const media = await unwritten({ ...real, template_name: "promo", body_variables: [] });
  assert.equal(media.result, "media_needed");
  const { result } = await committed((sql) => claim(sql, keys.messaging, real));
  assert.equal(result, "claimed");
});

Deno.test("a dry run of a repeated send reports the repeat and leaves the send unchanged, even if the send's lease has expired", async () => {
  const idempotency_key = crypto.randomUUID();
  const asked = { ...DRY, phone: anyPhone(), idempotency_key };
  const first = await committed((sql) => claim(sql, keys.messaging, { ...asked, dry_run: false }));
  const { conversation_id, message_id } = first;
  const repeat = { result: "repeat", status: "pending", conversation_id, message_id };
  assert.deepEqual(await unwritten(asked), repeat);
  await committed(async (sql) => {
    // Another test's job fails all sends with an expired lease. It does not see this transaction.
    await endLease(sql, first.send_id);
    assert.deepEqual(await unwritten(asked, sql), repeat);
    // The claim checks the idempotency key first. Therefore a request with different values is a
    // repeat, even if a new send with these values would be refused.
    const words = { phone_number_id: "0", body_variables: [] };
    assert.deepEqual(
      await unwritten({ ...asked, ...words }, sql),
      { ...repeat, mismatch: ["body_variables", "phone_number_id"] },
    );
    const other = { ...asked, ...words, template_name: "paused", phone: stoppedPhone };
    assert.deepEqual(
      await unwritten(other, sql),
      { result: "reused", differs: ["template_name", "phone"] },
    );
  });

  const real = await committed((sql) => claim(sql, keys.messaging, { ...asked, dry_run: false }));
  assert.deepEqual([real.result, real.status], ["repeat", "failed"]);
  assert.equal((await unwritten(asked)).status, "failed");
});

Deno.test("a dry run of a released send reports that the message would be sent, and the send remains released", async () => {
  const idempotency_key = crypto.randomUUID();
  const claim_id = crypto.randomUUID();
  const { send_id } = await committed((sql) =>
    claim(sql, keys.messaging, { ...DRY, dry_run: false, idempotency_key, claim_id })
  );
  await committed((sql) => settle(sql, claim_id, RELEASED));
  assert.deepEqual(await unwritten({ ...DRY, idempotency_key }), { result: "send" });
  assert.deepEqual(await unwritten({ ...DRY, idempotency_key, body_variables: [] }), REFUSED);
  assert.equal((await committed((sql) => standing(sql, send_id))).state, "released");
});
