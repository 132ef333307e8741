// Tests events about templates and accounts, from the event's body to the next send.
import assert from "node:assert/strict";
import { tellOfAccount, tellOfTemplate, tellOfTrouble } from "../database/hints.ts";
import { anyPhone } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownSender, ownWhatsapp } from "../support/own_functions.ts";
import { accepted, ledgerOf, template } from "../support/sending.ts";
import {
  type ListedTemplate,
  listedTemplate,
  templateChannel,
} from "../support/template_channel.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { type CompanyWithCatalogue, companyWithCatalogue, templatesOf } from "./own_account.ts";
import { itemsOf } from "./reading_events.ts";

/** A template that matches the request from `template`. */
const order = (changes: ListedTemplate = {}) =>
  listedTemplate("order_update", {
    components: [{ type: "BODY", text: "Olá {{1}}, o pedido {{2}} saiu." }],
    quality_score: { score: "GREEN" },
    ...changes,
  });

/**
 * A channel that lists the template `order_update` and accepts messages, and a company that has
 * read the channel's list.
 */
async function listening() {
  let isDown = false;
  const channel = templateChannel({
    templates: [order()],
    answer: ({ url }) =>
      url.endsWith("/messages")
        ? accepted()
        : isDown
        ? new Response("Service Unavailable", { status: 503 })
        : null,
  });
  const company = await companyWithCatalogue();
  const run = await ownWhatsapp(channel.url);
  const synchronise = () => run("template-sync", company.account_id);
  assert.equal((await synchronise()).status, 202);
  const sender = await ownSender(channel.url);
  channel.calls.length = 0;
  return {
    company,
    channel,
    /** Changes the template in the channel's list. */
    list: (changes: ListedTemplate) => channel.templates = [order(changes)],
    /** Makes the channel return a 503, except for messages. */
    break: () => isDown = true,
    mend: () => isDown = false,
    synchronise,
    send: (changes: Record<string, unknown> = {}) =>
      sender(company.keys.messaging, template(anyPhone(), changes)),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

/**
 * The single item of the event in this file, changed to the company's business account and to the
 * current time.
 */
function told(file: string, company: Pick<CompanyWithCatalogue, "business_account_id">) {
  const [item, ...more] = itemsOf(file);
  assert.deepEqual(more, []);
  const at = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
  return { ...item, waba: company.business_account_id, at: item.at && at };
}

/** Applies the template event in this file. */
async function tell(file: string, company: CompanyWithCatalogue, happened?: string) {
  const item = told(file, company);
  if (happened) item.at = happened;
  const outcome = await withDatabase((sql) => tellOfTemplate(sql, [company.account_id], item));
  assert.equal(outcome, "done");
}

const isDue = async ({ account_id }: CompanyWithCatalogue) =>
  (await statement`
    select from due_jobs() where job = 'template-sync' and account_id = ${account_id}
  `).length === 1;

Deno.test("after an event reports that a template is rejected or paused, the next send reads the template again and is refused", async () => {
  const files = { "60_template_rejected": "REJECTED", "61_template_paused": "PAUSED" };
  for (const [file, status] of Object.entries(files)) {
    await using at = await listening();
    at.list({ status });
    await tell(file, at.company);
    const refused = await at.send({ idempotency_key: "once" });
    assert.deepEqual([refused.status, refused.body.code], [422, "template_rejected"], file);
    assert.equal(refused.body.details[0].field, "template_name");
    assert.match(refused.body.details[0].message, new RegExp(`^is ${status} at the channel`));
    assert.deepEqual(at.channel.calls.map((call) => call.split(" ")[0]), ["GET"]);
    assert.deepEqual(await ledgerOf(at.company), []);

    // The job reads the list, and the template can be sent again.
    at.list({ status: "APPROVED" });
    assert.equal(await isDue(at.company), true);
    await at.synchronise();
    assert.equal(await isDue(at.company), false);
    const sent = await at.send({ idempotency_key: "once" });
    assert.deepEqual([sent.status, sent.body.success], [200, true], JSON.stringify(sent.body));
  }
});

Deno.test("a template that became a marketing template is not sent to a contact who has opted out of marketing", async () => {
  await using at = await listening();
  const phone = anyPhone();
  await statement`
    insert into contacts (company_id, phone, marketing_stopped_at, marketing_stop_source)
    values (${at.company.id}, ${phone}, now(), 'preference')
  `;
  const reason = async () => {
    const { status, body } = await at.send({ phone });
    assert.equal(status, 200);
    return body.reason;
  };
  assert.equal(await reason(), undefined);
  await tell("63_category_completed", at.company);
  assert.equal((await templatesOf(at.company))[0].category, "MARKETING");
  at.break();
  await logged(async () => assert.equal(await reason(), "marketing_opt_out"));
  at.mend();
  at.list({ category: "MARKETING" });
  await at.synchronise();
  assert.equal(await reason(), "marketing_opt_out");
});

Deno.test("events about an account or its phone number are stored, but do not stop sends", async () => {
  await using at = await listening();
  const { company } = at;
  await withDatabase(async (sql) => {
    const accounts = [company.account_id];
    for (const file of ["64_phone_throughput", "65_account_restriction", "66_account_disabled"]) {
      assert.equal(await tellOfAccount(sql, accounts, told(file, company)), "done");
    }
    const trouble = told("20_value_errors", company);
    assert.equal(await tellOfTrouble(sql, company.account_id, trouble), "done");
  });
  const notices = await statement`
    select event, stops_sending, until, value from account_notices
    where company_id = ${company.id} order by event
  `;
  assert.deepEqual(
    notices.map(({ event, stops_sending, until }) => [event, stops_sending, until?.toISOString()]),
    [
      ["130429", false, undefined],
      ["ACCOUNT_RESTRICTION", true, "2026-11-28T12:00:00.000Z"],
      ["DISABLED_UPDATE", true, undefined],
      ["THROUGHPUT_UPGRADE", false, undefined],
    ],
  );
  assert.deepEqual(notices[0].value, {
    code: 130429,
    message: "Rate limit hit",
    details: "Cloud API message throughput has been reached.",
  });
  assert.equal((await at.send()).status, 200);
});
