// Tests how a claim is checked against a stored template that was read just now.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, connectAccount, disconnectAccounts, newCompany } from "../support/company.ts";
import { addContact, claim } from "./sends.ts";
import {
  apply,
  catalogued,
  entry,
  FITTING,
  joinBusinessAccount,
  mediaEntry,
  variables,
} from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const { id: company_id, account_id, keys } = own;
const key = keys.messaging;

/** A claim that requests the template check. */
const judged = (sql: Sql, asked: Record<string, unknown> = {}) =>
  claim(sql, key, { preflight: "first", ...FITTING, ...asked });

/** Asserts that a claim is refused with exactly these errors. */
async function assertRefused(sql: Sql, asked: Record<string, unknown>, faults: unknown[]) {
  const answer = await judged(sql, asked);
  assert.deepEqual(answer, { result: "template_refused", faults }, JSON.stringify(asked));
}

test("a claim that matches its template succeeds and returns the data that the send needs", async (sql) => {
  const business_account_id = await catalogued(sql, own);
  for (const preflight of ["first", "last"]) {
    const { result, template, ...claimed } = await judged(sql, { preflight });
    assert.deepEqual([result, claimed.business_account_id], ["claimed", business_account_id]);
    assert.deepEqual(template, {
      parameter_format: "POSITIONAL",
      header_format: null,
      variables: variables(0, 2),
      otp_button: null,
      media: null,
    });
  }
});

test("the response to a claim for an authentication template contains the button that repeats the code", async (sql) => {
  const code = entry({ category: "AUTHENTICATION", variables: variables(0, 1), otp_button: 0 });
  await catalogued(sql, own, [code]);
  const { template } = await judged(sql, { body_variables: ["123456"] });
  assert.equal(template.otp_button, 0);
});

test("the error names each value that does not match the template, and the value's field", async (sql) => {
  await catalogued(sql, own, [entry({ variables: variables(1, 2, 1) })]);
  const fitting = { header_variables: ["h"], body_variables: ["a", "b"], button_variables: ["c"] };
  const count = (field: string, takes: number, got: number) => ({
    field,
    fault: "count",
    takes,
    got,
  });
  const fault = (field: string, fault: string) => ({ field, fault });
  const refused: [Record<string, unknown>, unknown[]][] = [
    [{ header_variables: [] }, [count("header_variables", 1, 0)]],
    [{ header_variables: ["h", "i"] }, [count("header_variables", 1, 2)]],
    [{ body_variables: [] }, [count("body_variables", 2, 0)]],
    [{ body_variables: ["a"] }, [count("body_variables", 2, 1)]],
    [{ body_variables: ["a", "b", "c"] }, [count("body_variables", 2, 3)]],
    [{ button_variables: [] }, [count("button_variables", 1, 0)]],
    [{ header_variables: [""] }, [fault("header_variables.0", "empty")]],
    [{ body_variables: ["a", ""] }, [fault("body_variables.1", "empty")]],
    [{ button_variables: ["a\tb"] }, [fault("button_variables.0", "characters")]],
    ...["a\nb", "\r", "a\r\nb", "\t", "a     b", "      "].map((value) =>
      [
        { body_variables: [value, "b"] },
        [fault("body_variables.0", "characters")],
      ] as [Record<string, unknown>, unknown[]]
    ),
    [{ header_variables: [], body_variables: ["", "\n", "c"], button_variables: ["", ""] }, [
      ...[count("header_variables", 1, 0), count("body_variables", 2, 3)],
      ...[fault("body_variables.0", "empty"), fault("body_variables.1", "characters")],
      ...[count("button_variables", 1, 2), fault("button_variables.0", "empty")],
      fault("button_variables.1", "empty"),
    ]],
  ];
  for (const [asked, faults] of refused) {
    await assertRefused(sql, { ...fitting, ...asked }, faults);
  }
  const values = ["four    spaces", " ", "\u00a0", "Olá 🚚", "\\n", "{{1}}", "\u2028"];
  for (const value of values) {
    const { result } = await judged(sql, { ...fitting, body_variables: [value, "b"] });
    assert.equal(result, "claimed", JSON.stringify(value));
  }
});

Deno.test("a template that is not approved is refused with its status and the date of that status", async () => {
  const statuses = [
    ...["PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "LIMIT_EXCEEDED", "NEW"],
  ];
  for (const status of statuses) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [entry({ status })], "3 minutes");
      const [{ since }] = await sql`select to_json(now() - interval '3 minutes') as since`;
      await assertRefused(sql, {}, [{ field: "template_name", fault: "status", status, since }]);
    });
  }
});

test("a template that this service cannot send is refused, and the error names the template's unsupported parts", async (sql) => {
  const unsupported = ["CAROUSEL", "FLOW"];
  await catalogued(sql, own, [entry({ unsupported })]);
  const fault = { field: "template_name", fault: "unsupported", parts: unsupported };
  await assertRefused(sql, {}, [fault]);
  // The service does not know which values a template with unsupported parts accepts.
  await assertRefused(sql, { body_variables: [""] }, [fault]);
});

test("a header type that the template does not have is refused, but the header type can be left out", async (sql) => {
  const headers = [null, "TEXT", "IMAGE", "VIDEO", "DOCUMENT"];
  await catalogued(
    sql,
    own,
    headers.map((header_format) =>
      mediaEntry({ name: `${header_format}`, header_format, variables: variables() })
    ),
  );
  for (const header of headers) {
    for (const message_type of ["image", "video", "document"]) {
      const asked = { template_name: `${header}`, message_type, body_variables: [] };
      if (header === message_type.toUpperCase()) {
        assert.equal((await judged(sql, asked)).result, "media_needed");
      } else {
        await assertRefused(sql, asked, [{
          field: "template_header_type",
          fault: "header",
          header,
        }]);
      }
    }
    const undeclared = await judged(sql, { template_name: `${header}`, body_variables: [] });
    const isMedia = header !== null && header !== "TEXT";
    assert.equal(undeclared.result, isMedia ? "media_needed" : "claimed", `${header}`);
  }
});

test("one error reports all problems of a send", async (sql) => {
  await catalogued(sql, own, [entry({ status: "PAUSED" })]);
  const { faults } = await judged(sql, { message_type: "image", body_variables: ["\n"] });
  assert.deepEqual(
    faults.map(({ field, fault }: Record<string, unknown>) => `${field} ${fault}`),
    [
      "template_name status",
      "template_header_type header",
      "body_variables count",
      "body_variables.0 characters",
    ],
  );
});

test("an unknown name or language is refused after the template has been reread", async (sql) => {
  await catalogued(sql, own, [
    entry({ language: "pt_BR" }),
    entry({ language: "es" }),
    entry({ language: "en_US", status: "PAUSED" }),
    entry({ language: "fr" }),
    entry({ name: "gone" }),
  ], "1 second");
  // "fr" and "gone" are no longer listed.
  const left = [entry({ language: "pt_BR" }), entry({ language: "es" })];
  await apply(sql, account_id, [...left, entry({ language: "en_US", status: "PAUSED" })]);
  const look = async (asked: Record<string, unknown>, entries: Record<string, unknown>[]) => {
    const { result, began_at } = await judged(sql, asked);
    assert.equal(result, "reread", JSON.stringify(asked));
    const only_name = `${asked.template_name}`;
    await apply(sql, account_id, entries, { only_name, began_at });
  };
  const known = [...left, entry({ language: "en_US", status: "PAUSED" })];
  const language = (language_code: string) => ({ template_name: "order_update", language_code });
  const languages = ["en_US", "es", "pt_BR"];
  await look(language("de"), known);
  for (const code of ["de", "fr", "pt", "PT_BR", "pt-BR"]) {
    await assertRefused(sql, language(code), [{
      field: "language_code",
      fault: "language",
      languages,
    }]);
  }
  for (const template_name of ["gone", "unknown", "Order_update"]) {
    await look({ template_name }, []);
    await assertRefused(sql, { template_name }, [{ field: "template_name", fault: "unknown" }]);
    const last = { template_name, preflight: "last" };
    await assertRefused(sql, last, [{ field: "template_name", fault: "unknown" }]);
  }
});

test("a claim ignores the templates of other business accounts and other companies", async (sql) => {
  await catalogued(sql, own, []);
  // Another business account of the company has the template, and another company has the template.
  const { id, phone_number_id } = await connectAccount(sql, company_id);
  await catalogued(sql, { account_id: id });
  await catalogued(sql, other);
  const asked = { phone_number_id: own.phone_number_id };
  const { began_at } = await judged(sql, asked);
  await apply(sql, account_id, [], { only_name: "order_update", began_at });
  await assertRefused(sql, asked, [{ field: "template_name", fault: "unknown" }]);
  assert.equal((await judged(sql, { phone_number_id })).result, "claimed");
});

test("a send proceeds without a template check if the template list was never read or the check is off", async (sql) => {
  const assertUnjudged = async (asked: Record<string, unknown>) => {
    const { result, template } = await judged(sql, { body_variables: ["\n"], ...asked });
    assert.deepEqual([result, template], ["claimed", null], JSON.stringify(asked));
  };
  await assertUnjudged({});
  await joinBusinessAccount(sql, account_id);
  await assertUnjudged({});
  // One template name was read, but the whole list was never read.
  await apply(sql, account_id, [entry()], { only_name: "order_update" });
  await assertUnjudged({});
  await apply(sql, account_id, [entry({ status: "PAUSED" })]);
  await assertUnjudged({ preflight: "off" });
  assert.equal((await judged(sql)).result, "template_refused");
  // The send function of the previous release makes claims without `preflight`.
  const { result, template } = await claim(sql, key);
  assert.deepEqual([result, template], ["claimed", null]);
});

test("button values are refused while the template's buttons are unknown", async (sql) => {
  const unplaced = [{ field: "button_variables", fault: "unplaced" }];
  const asked = { button_variables: ["track/42"] };
  for (const preflight of ["off", "first", "last"]) {
    await assertRefused(sql, { ...asked, preflight }, unplaced);
  }
  await catalogued(sql, own, []);
  await assertRefused(sql, { ...asked, preflight: "last" }, unplaced);
  await apply(sql, account_id, [entry({ variables: variables(0, 2, 1) })]);
  assert.equal((await judged(sql, asked)).result, "claimed");
  await disconnectAccounts(sql, company_id);
  assert.equal((await judged(sql, { ...asked, preflight: "off" })).result, "no_account");
});

test("a claim first checks for a repeat, then checks the account, the template and the contact, in this order", async (sql) => {
  await catalogued(sql, own, [entry()], "1 minute");
  const phone = anyPhone();
  const asked = { idempotency_key: "once", phone };
  await judged(sql, asked);
  await apply(sql, account_id, [entry({ status: "PAUSED" })]);
  await sql`update contacts set do_not_contact = true where company_id = ${company_id}`;
  const stopped = await addContact(sql, { company_id, phone: anyPhone(), do_not_contact: true });
  const [{ phone: stoppedPhone }] = await sql`select phone from contacts where id = ${stopped}`;

  assert.equal((await judged(sql, { phone: stoppedPhone })).result, "template_refused");
  await sql`savepoint here`;
  await disconnectAccounts(sql, company_id);
  assert.equal((await judged(sql, { phone: stoppedPhone })).result, "no_account");
  assert.equal((await judged(sql, asked)).result, "repeat");
  await sql`rollback to here`;
  await apply(sql, account_id, [entry()]);
  assert.equal((await judged(sql, { phone: stoppedPhone })).result, "do_not_contact");
  assert.equal((await judged(sql, asked)).result, "repeat");
});
