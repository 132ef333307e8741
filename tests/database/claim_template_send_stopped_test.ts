// Tests what stops a claim of a template send. A stopped claim writes nothing except the use of its
// API key.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import {
  anyPhone,
  anyPhoneNumberId,
  connectAccount,
  disconnectAccount,
  disconnectAccounts,
  newCompany,
} from "../support/company.ts";
import { snapshot } from "../support/snapshot.ts";
import { committed } from "./connections.ts";
import { addContact, callClaim, claim } from "./sends.ts";

const { id: company_id, keys, phone_number_id } = await newCompany();
const display_phone = "+15550100";
const key = keys.messaging;

Deno.test("a claim that does not identify a connected account returns the list of connected accounts", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const assertStopped = async (asked: Record<string, unknown>, connected: unknown[]) => {
      const answer = await claim(sql, key, asked);
      assert.deepEqual(answer, { result: "no_account", connected }, JSON.stringify(asked));
    };
    const first = { phone_number_id, display_phone };
    await assertStopped({ phone_number_id: anyPhoneNumberId() }, [first]);
    await assertStopped({ phone_number_id: other.phone_number_id }, [first]);

    const another = await connectAccount(sql, company_id, { phone_number_id: "0123" });
    const both = [{ phone_number_id: "0123", display_phone: "+15550199" }, first];
    await assertStopped({}, both);
    await assertStopped({ phone_number_id: anyPhoneNumberId() }, both);

    await disconnectAccount(sql, another.id);
    await assertStopped({ phone_number_id: "0123" }, [first]);
    await disconnectAccounts(sql, company_id);
    await assertStopped({}, []);
    await assertStopped({ phone_number_id }, []);
  });
});

Deno.test("a contact's do_not_contact stops a claim, whatever the format of the phone number is", async () => {
  await rolledBack(async (sql) => {
    const phone = "+551187654321";
    await addContact(sql, { company_id, phone, do_not_contact: true });
    for (const spelling of [phone, "+5511987654321"]) {
      assert.deepEqual(await claim(sql, key, { phone: spelling }), { result: "do_not_contact" });
    }
    // The claim checks the account before the contact.
    await disconnectAccounts(sql, company_id);
    assert.equal((await claim(sql, key, { phone })).result, "no_account");
  });
});

Deno.test("another company's do_not_contact for the same phone number does not stop a claim", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const phone = anyPhone();
    await addContact(sql, { company_id: other.id, phone, do_not_contact: true });
    assert.equal((await claim(sql, key, { phone })).result, "claimed");
  });
});

Deno.test("a stopped claim writes nothing and does not use up its idempotency key", async () => {
  const { id: company_id, keys } = await newCompany();
  const phone = anyPhone();
  await committed(async (sql) => {
    await addContact(sql, { company_id, phone, do_not_contact: true });
    // The use of the API key is recorded now, so that the claims below do not record it.
    await sql`update api_keys set last_used_at = now() where company_id = ${company_id}`;
  });
  const before = await snapshot(company_id);
  const asked = { phone, contact_name: "Grace", idempotency_key: "once" };
  for (let times = 0; times < 2; times++) {
    const { result } = await committed((sql) => claim(sql, keys.messaging, asked));
    assert.equal(result, "do_not_contact");
    const nowhere = { ...asked, phone: anyPhone(), phone_number_id: "0" };
    const unsent = await committed((sql) => claim(sql, keys.messaging, nowhere));
    assert.equal(unsent.result, "no_account");
  }
  assert.deepEqual(await snapshot(company_id), before);
  const free = await committed((sql) => claim(sql, keys.all, { idempotency_key: "once" }));
  assert.equal(free.result, "claimed");
});

Deno.test("every claim records the use of its API key, whatever the result of the claim is", async () => {
  const usedNow = async (sql: Sql) => {
    const rows = await sql`
      select last_used_at = now() as now from api_keys where key_hash = ${await hashKey(key)}
    `;
    return rows.map(({ now }) => now);
  };
  for (const asked of [{}, { phone_number_id: "0" }]) {
    await rolledBack(async (sql) => {
      assert.deepEqual(await usedNow(sql), [null]);
      await claim(sql, key, asked);
      assert.deepEqual(await usedNow(sql), [true]);
    });
  }
});

Deno.test("only a key with the scope messaging can claim a send, and only with a messaging token", async () => {
  await rolledBack(async (sql) => {
    const assertRefused = async (key: string, scope: string | undefined, code: string) => {
      await actAs(sql, "api_client", { key_hash: await hashKey(key), scope });
      assert.equal(await refusal(sql, (sql) => callClaim(sql)), code, scope);
    };
    for (const scope of ["read", "write", undefined]) await assertRefused(keys.all, scope, "PT403");
    for (const key of [keys.read, keys.write]) {
      for (const scope of ["read", "write", "messaging"]) await assertRefused(key, scope, "PT403");
    }
    await assertRefused("sk_live_unknown", "messaging", "PT401");
  });
});
