// Tests how sends read a template again: one send reads the template, and the other sends wait.
import assert from "node:assert/strict";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { companyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { channelTokenSource } from "../../supabase/functions/_shared/key/token.ts";
import { readChannelConfig } from "../../supabase/functions/_shared/channel/channel_config.ts";
import { rereadTemplate } from "../../supabase/functions/_shared/templates/template_reread.ts";
import {
  listedTemplate,
  type TemplateChannel,
  templateChannel,
} from "../support/template_channel.ts";
import { until } from "../support/started.ts";
import { environment, statement } from "../support/test_stack.ts";
import { type CompanyWithCatalogue, companyWithCatalogue, templatesOf } from "./own_account.ts";

const config = await readConfig(environment());
const db = companyDb(config, channelTokenSource(config.signingKey));

function reread(channel: TemplateChannel, company: CompanyWithCatalogue, isElsewhere = false) {
  const source = { ...sourceOf(company), isElsewhere };
  return rereadTemplate(db, readChannelConfig({ WHATSAPP_API_URL: channel.url }), source, "order");
}

const sourceOf = ({ account_id, business_account_id }: CompanyWithCatalogue) => ({
  accountId: account_id,
  businessAccountId: business_account_id,
  token: "EAAB",
  beganAt: new Date().toISOString(),
});

Deno.test("if the templates with a given name are read again, only these templates change in the database", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel({
    templates: [listedTemplate("order"), listedTemplate("order_2")],
  });
  assert.equal(await reread(channel, company), true);
  assert.deepEqual((await templatesOf(company)).map(({ name }) => name), ["order"]);
  channel.templates = [];
  assert.equal(await reread(channel, company), true);
  assert.deepEqual((await templatesOf(company)).map(({ status }) => status), ["DELETED"]);
});

Deno.test("only one of several simultaneous sends reads the template, and the others use that send's result", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel({ templates: [listedTemplate("order")] });
  // The first send reads the template. The database tells the other sends that the template is
  // being read.
  const others = Array.from({ length: 10 }, () => reread(channel, company, true));
  const [first, ...rest] = await Promise.all([reread(channel, company), ...others]);
  assert.deepEqual([first, rest], [true, Array(10).fill(true)]);
  assert.equal(channel.calls.length, 1);
  // The database may tell a send about the read only after the read has ended. This send then uses
  // the same result.
  assert.equal(await reread(channel, company, true), true);
  assert.equal(channel.calls.length, 1);
});

Deno.test("if the read fails, the send that reads the template gets an error, and the waiting sends get `false`", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel({ answer: () => new Response("", { status: 503 }) });
  const failing = reread(channel, company);
  const other = reread(channel, company, true);
  await assert.rejects(failing, /^ChannelTrouble: .*HTTP 503/);
  assert.equal(await other, false);
});

Deno.test("no send waits for a slow read, and the result is stored when the read ends", async () => {
  const company = await companyWithCatalogue();
  const answer = Promise.withResolvers<null>();
  await using channel = templateChannel({
    templates: [listedTemplate("order")],
    answer: () => answer.promise,
  });
  const source = sourceOf(company);
  const config = readChannelConfig({ WHATSAPP_API_URL: channel.url });
  const slow = rereadTemplate(db, config, source, "order", 100);
  const other = rereadTemplate(db, config, { ...source, isElsewhere: true }, "order");
  await assert.rejects(
    slow,
    /^ChannelTrouble: The channel took more than 0.1 s to list a template$/,
  );
  assert.equal(await other, false);
  answer.resolve(null);
  await until(async () => (await templatesOf(company)).length === 1);
});

Deno.test("a read stores no templates if the account leaves the business account in the meantime", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel({
    templates: [listedTemplate("order")],
    answer: async () => {
      await statement`
        update messaging_accounts set business_account_id = '77' where id = ${company.account_id}
      `;
      return null;
    },
  });
  await assert.rejects(
    reread(channel, company),
    /^ChannelTrouble: The account has left business account \d+ while its templates were read$/,
  );
  assert.deepEqual(await templatesOf(company), []);
});

Deno.test("a send waits only briefly while another instance reads the template", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel();
  assert.equal(await reread(channel, company, true), false);
  assert.deepEqual(channel.calls, []);
});
