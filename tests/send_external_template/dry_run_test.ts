import assert from "node:assert/strict";
import { send } from "../support/calls.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { companyWithTemplates } from "../support/known_templates.ts";
import { sendTemplate, takenFrom, template } from "../support/sending.ts";
import { sendCounts } from "../support/snapshot.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

async function dryRun(company: Company, json: unknown, value = "true") {
  return await send(`${stack.template_url}?dry_run=${value}`, "POST", {
    Authorization: `Bearer ${company.keys.messaging}`,
    "Content-Type": "application/json",
  }, JSON.stringify(json));
}

const counts = ({ id }: Company) => withDatabase((sql) => sendCounts(sql, id));

Deno.test("a dry run reports that a message would be sent, but sends and stores nothing", async () => {
  const company = await companyWithTemplates();
  const before = await counts(company);
  const json = template(anyPhone(), { idempotency_key: "k", contact_name: "Ada" });
  for (let i = 0; i < 2; i++) {
    const { status, body } = await dryRun(company, json);
    assert.deepEqual([status, body], [200, { success: true, dry_run: true, outcome: "send" }]);
  }
  assert.deepEqual(await counts(company), before);
  assert.deepEqual(await takenFrom(company), []);
  assert.equal((await sendTemplate(company.keys.messaging, json)).body.idempotent_hit, false);
});

Deno.test("a dry run of a repeated request reports a repeat, and says whether the first send succeeded", async () => {
  const company = await newCompany();
  const json = template(anyPhone(), { idempotency_key: "k" });
  await sendTemplate(company.keys.messaging, json);
  assert.deepEqual(
    (await dryRun(company, json)).body,
    { success: true, dry_run: true, outcome: "repeat" },
  );
  const failing = template("+15550132015", { idempotency_key: "fails" });
  assert.equal((await sendTemplate(company.keys.messaging, failing)).status, 422);
  assert.deepEqual(
    (await dryRun(company, failing)).body,
    { success: false, dry_run: true, outcome: "repeat" },
  );
});

Deno.test("a dry run returns the same errors as a send", async () => {
  const company = await companyWithTemplates();
  const refused = await dryRun(company, template(anyPhone(), { body_variables: [] }));
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.details[0].field],
    [422, "template_rejected", "body_variables"],
  );
  const other = await dryRun(company, template(anyPhone(), { phone_number_id: "1" }));
  assert.deepEqual([other.status, other.body.details[0].field], [422, "phone_number_id"]);
  const wrong = await dryRun(company, template("12"));
  assert.deepEqual([wrong.status, wrong.body.details[0].field], [422, "phone"]);
});

Deno.test("a dry run of a template whose media header has no sample fails as the send does", async () => {
  const company = await companyWithTemplates();
  const reason = "The channel lists no sample of the header's media";
  await withDatabase((sql) =>
    sql`
      update templates set sample_url = null, media_problem = ${reason}
      where company_id = ${company.id} and name = 'new_arrival'
    `
  );
  const json = template(anyPhone(), {
    ...{ template_name: "new_arrival", language_code: "en_US", body_variables: ["Ada"] },
    idempotency_key: "k",
  });
  const before = await counts(company);
  for (
    const { status, body } of [
      await dryRun(company, json),
      await sendTemplate(company.keys.messaging, json),
    ]
  ) {
    assert.deepEqual(
      [status, body.code, body.details[0].field],
      [422, "template_rejected", "template_name"],
      JSON.stringify(body),
    );
    assert.ok(body.error.includes(reason), body.error);
  }
  assert.deepEqual(await counts(company), before);
});

Deno.test("`dry_run` must be true or false", async () => {
  const company = await newCompany();
  for (const value of ["1", "TRUE", ""]) {
    const { status, body } = await dryRun(company, template(anyPhone()), value);
    assert.deepEqual([status, body.details[0].field], [422, "dry_run"], value);
  }
  const { body } = await dryRun(company, template(anyPhone()), "false");
  assert.equal(body.idempotent_hit, false);
});
