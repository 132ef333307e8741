// Tests the template views, and a test send with its live timeline, in a browser.
import assert from "node:assert/strict";
import { axeFindings, openBrowser } from "../support/browser.ts";
import { addTemplate, anyPhone, newCompany } from "../support/company.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { judgeOf } from "./looks.ts";
import { openAs, unexpected } from "./settings_page.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

/** A company whose account has one template that can be sent, and two templates that cannot. */
async function companyWithTemplates() {
  const company = await newCompany();
  await withDatabase(async (sql) => {
    const business_account_id = `2${company.phone_number_id.slice(1)}`;
    await sql`update messaging_accounts set ${
      sql({ business_account_id })
    } where id = ${company.account_id}`;
    const variable = (name: string, example: string) => ({ name, example });
    await addTemplate(sql, company.id, {
      ...{ business_account_id, name: "order_update", language: "pt_BR" },
      variables: { body: [variable("1", "Ana"), variable("2", HOSTILE)] },
      rendering: { header: null, body: ["Olá ", 0, ": ", 1], footer: null, buttons: [] },
      components: [
        { type: "BODY", text: "*Olá* {{1}}: {{2}}" },
        { type: "FOOTER", text: "Loja" },
        { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Parar" }] },
      ],
    });
    await addTemplate(sql, company.id, {
      ...{ business_account_id, name: "black_friday", status: "REJECTED", header_format: "IMAGE" },
      ...{ rejected_reason: "INVALID_FORMAT", components: [{ type: "HEADER", format: "IMAGE" }] },
    });
    await addTemplate(sql, company.id, { business_account_id, name: HOSTILE, status: "WEIRD" });
    await sql`update template_catalogues set synced_at = now() where company_id = ${company.id}`;
  });
  return company;
}

Deno.test(
  "users see the templates and why one is rejected, and an owner sees a test message arrive",
  {
    ignore: CHROMIUM === null,
  },
  async () => {
    const company = await companyWithTemplates();
    const empty = await newCompany();
    const [owner, agent, newcomer] = [
      await newPerson({ company: company.id }),
      await newPerson({ company: company.id, role: "agent" }),
      await newPerson({ company: empty.id }),
    ];
    await using open = await openBrowser();
    const window = await openAs(open.browser, owner, { route: `#/c/${company.id}/templates` });
    const { page, context } = window;
    const judge = judgeOf(page);
    const rows = page.locator(".rows tbody tr");
    await rows.nth(2).waitFor();
    await judge("the list");
    await page.getByLabel("Status").selectOption("REJECTED");
    await rows.nth(1).waitFor({ state: "detached" });
    assert.match(await rows.innerText(), /black_friday[^]*Rejected/);
    await page.getByRole("link", { name: "black_friday" }).click();
    await page.getByText("Check that the variables are numbered without gaps").waitFor();
    await page.getByText("This template cannot be sent now.").waitFor();
    assert.equal(await page.getByText("The request for a program").count(), 0);
    await judge("a rejected template");

    await page.getByRole("link", { name: "All templates" }).click();
    await rows.nth(2).waitFor();
    await page.getByRole("searchbox", { name: "Name" }).fill("order");
    await page.keyboard.press("Enter");
    // A click on a link of the unfiltered list may miss, because the page replaces the list.
    await rows.nth(1).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "order_update" }).click();
    const bubble = page.locator(".bubble .text");
    assert.equal(await bubble.innerText(), `Olá Ana: ${HOSTILE}`);
    assert.equal(await bubble.locator("b").innerText(), "Olá");
    await page.getByLabel("Text, {{2}}").fill("42");
    assert.equal(await bubble.innerText(), "Olá Ana: 42");
    const request = await page.locator("#template-request").innerText();
    assert.match(request, /"Ana",\s+"42"\s+\]/);
    // A reader who fills in the phone in both places gets another idempotency key for each phone.
    assert.equal(request.split("<phone>").length, 3);

    await page.getByLabel("Your phone").fill("11 98765");
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByText("Type the phone with a plus sign").waitFor();
    const phone = anyPhone();
    await page.getByLabel("Your phone").fill(phone);
    await page.getByRole("button", { name: "Send test" }).click();
    const steps = page.locator("#test-steps");
    await steps.getByText("The channel has not reported", { exact: false }).or(
      steps.locator("li").nth(1),
    )
      .waitFor();
    const [{ id }] = await statement`
    select messages.id from messages join sends on message_id = messages.id
    where sends.company_id = ${company.id} and author_type = 'member'
  `;
    await statement`update messages set sent_at = now(), delivered_at = now() where id = ${id}`;
    await steps.getByText("Delivered", { exact: true }).waitFor();
    await judge("a template with a test");
    assert.match(
      await steps.getByRole("link").getAttribute("href") ?? "",
      new RegExp(`sends/${id}$`),
    );
    await page.reload();
    assert.equal(await page.getByLabel("Your phone").inputValue(), phone);
    assert.doesNotMatch(await page.title(), /owned/);
    assert.deepEqual(unexpected(window), []);
    await context.close();

    const asAgent = await openAs(open.browser, agent, { route: `#/c/${company.id}/templates` });
    await asAgent.page.getByRole("link", { name: "order_update" }).click();
    await asAgent.page.getByText("Owners and admins can send a test.").waitFor();
    assert.equal(await asAgent.page.getByRole("button", { name: "Send test" }).count(), 0);
    await asAgent.context.close();

    const asNewcomer = await openAs(open.browser, newcomer, { route: `#/c/${empty.id}/templates` });
    await asNewcomer.page.getByRole("heading", { name: "The templates were not read yet" })
      .waitFor();
    assert.deepEqual(await axeFindings(asNewcomer.page), []);
    await asNewcomer.context.close();
  },
);

Deno.test(
  "if the status of a test message cannot be read, a second click does not send the message again",
  {
    ignore: CHROMIUM === null,
  },
  async () => {
    const company = await companyWithTemplates();
    const owner = await newPerson({ company: company.id });
    await using open = await openBrowser();
    const route = `#/c/${company.id}/templates`;
    const { page, context } = await openAs(open.browser, owner, { route });
    await page.getByRole("link", { name: "order_update" }).click();
    await page.getByLabel("Your phone").fill(anyPhone());
    await page.route(/rpc\/get_company_send/, (route) => route.abort(), { times: 1 });
    const press = page.getByRole("button", { name: "Send test" });
    await press.click();
    await page.getByRole("alert").getByText("No answer came.").waitFor();
    await press.click();
    await page.locator("#test-steps").waitFor();
    const sends = await statement`
    select from sends join messages on messages.id = message_id
    where sends.company_id = ${company.id} and author_type = 'member'
  `;
    assert.equal(sends.length, 1);
    await context.close();
  },
);

Deno.test(
  "a changed test message is sent and shown, even if the status of the previous message could not be read",
  {
    ignore: CHROMIUM === null,
  },
  async () => {
    const company = await companyWithTemplates();
    const owner = await newPerson({ company: company.id });
    await using open = await openBrowser();
    const route = `#/c/${company.id}/templates`;
    const { page, context } = await openAs(open.browser, owner, { route });
    await page.getByRole("link", { name: "order_update" }).click();
    await page.getByLabel("Your phone").fill(anyPhone());
    await page.getByLabel("Text, {{2}}").fill("first");
    await page.route(/rpc\/get_company_send/, (route) => route.abort(), { times: 1 });
    const press = page.getByRole("button", { name: "Send test" });
    await press.click();
    await page.getByRole("alert").getByText("No answer came.").waitFor();
    await page.getByLabel("Text, {{2}}").fill("second");
    await press.click();
    const toSend = page.locator("#test-steps").getByRole("link");
    const shown = (await toSend.getAttribute("href"))!.split("/").at(-1);
    const sent = await statement`
    select messages.id, content from messages join sends on message_id = messages.id
    where sends.company_id = ${company.id} and author_type = 'member'
    order by messages.created_at
  `;
    assert.deepEqual(sent.map(({ content }) => content), ["Olá Ana: first", "Olá Ana: second"]);
    assert.equal(shown, sent[1].id);
    await context.close();
  },
);
