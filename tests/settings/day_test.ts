// Tests a typical day of a company on the settings page in a browser, from an invitation to a
// contact's STOP message. Outside the browser, the test also acts as WhatsApp, as the operator who
// creates the company and runs the jobs, and as the company's program.
import assert from "node:assert/strict";
import { history } from "../../settings/page/texts/en/history.ts";
import { openBrowser } from "../support/browser.ts";
import { send } from "../support/calls.ts";
import { signatureOf } from "../support/channel_apps.ts";
import { anyPhone, anyPhoneNumberId } from "../support/company.ts";
import { mailsTo } from "../support/mails.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { sendTemplate, takenFrom, template } from "../support/sending.ts";
import { until } from "../support/started.ts";
import { stack, statement } from "../support/test_stack.ts";
import { SANDBOX_BUSINESS_ACCOUNT_ID, SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import {
  gatewayStatus,
  heading,
  openAs,
  openSettings,
  storedKey,
  unexpected,
} from "./settings_page.ts";

const APP_SECRET = "the-secret-of-our-app";
const VERIFY_TOKEN = "a-text-that-we-chose";
/**
 * The sandbox refuses every message to this phone number with error 131031: the account is locked.
 */
const LOCKED = "+15550131031";

/** Acts as WhatsApp: calls the webhook URL that the company has entered at Meta. */
function whatsAppAt(callback: string, phone_number_id: string) {
  return {
    async verifies() {
      const asked = { "hub.mode": "subscribe", "hub.verify_token": VERIFY_TOKEN };
      const query = new URLSearchParams({ ...asked, "hub.challenge": "1158201444" });
      assert.equal(await (await fetch(`${callback}?${query}`)).text(), "1158201444");
    },
    async tells(parts: Record<string, unknown>) {
      const value = { metadata: { phone_number_id }, ...parts };
      const entry = [{ id: SANDBOX_BUSINESS_ACCOUNT_ID, changes: [{ field: "messages", value }] }];
      const body = new TextEncoder().encode(
        JSON.stringify({ object: "whatsapp_business_account", entry }),
      );
      const signature = await signatureOf(body, APP_SECRET);
      const headers = { "X-Hub-Signature-256": signature, "Content-Length": String(body.length) };
      const answer = await fetch(callback, { method: "POST", headers, body });
      assert.equal(answer.status, 200, await answer.text());
    },
  };
}

const now = () => String(Math.floor(Date.now() / 1000));

/** Runs the operator's job that reads the templates of a phone number from the channel. */
async function readTemplatesOf(phone_number_id: string) {
  const [{ id: account_id }] = await statement`
    select id from messaging_accounts where phone_number_id = ${phone_number_id}
  `;
  const secret = Deno.env.get("JOBS_SECRET");
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
  const url = `${stack.whatsapp_url}/jobs/template-sync`;
  const { status, body } = await send(url, "POST", headers, JSON.stringify({ account_id }));
  assert.equal(status, 202, JSON.stringify(body));
  await until(async () =>
    (await statement`
      select from job_runs where account_id = ${account_id} and ended_at is not null and failure is null
    `).length > 0
  );
}

Deno.test("a company's typical day on the settings page", {
  ignore: CHROMIUM === null || stack.sandbox_url === null,
}, async (t) => {
  const [{ id: company }] = await statement`
    insert into companies (name) values ('Café Aurora') returning id
  `;
  const owner = await newPerson({ company, name: "Olívia" });
  const email = `marina-${crypto.randomUUID()}@people.example`;
  const phone_number_id = anyPhoneNumberId();
  await using open = await openBrowser();
  const window = await openSettings(open.browser);
  const { page } = window;
  const button = (name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });
  const dialogButton = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true });
  const menu = (name: string) =>
    page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

  await t.step(
    "a user is invited by e-mail, chooses a password and joins the company",
    async () => {
      const invites = await openAs(open.browser, owner);
      const { page: owners } = invites;
      await owners.getByRole("link", { name: "People", exact: true }).click();
      await owners.getByRole("button", { name: "Invite a person" }).click();
      await owners.getByLabel("E-mail", { exact: true }).fill(email);
      await owners.getByRole("radio", { name: "Admin" }).check();
      await owners.getByRole("button", { name: "Send the invitation" }).click();
      await owners.getByText(`An e-mail is on its way to ${email}`).waitFor();
      assert.deepEqual(unexpected(invites), []);
      await invites.context.close();

      const [{ link }] = await mailsTo(email);
      await page.goto(link!);
      await button(`Continue as ${email}`).click();
      await page.getByLabel("New password").fill("a password of mine");
      await button("Save").click();
      await heading(page, "Invitations").waitFor();
      await page.getByLabel("Your name in this company").fill("Marina");
      await button("Join Café Aurora").click();
      await heading(page, "API keys").waitFor();
      await page.getByText("You now work in Café Aurora.").waitFor();
    },
  );

  await t.step("the new admin connects the company's phone number", async () => {
    await menu("WhatsApp");
    await page.getByRole("link", { name: "Connect a number" }).click();
    await page.getByLabel("Phone number id").fill(phone_number_id);
    await page.getByLabel("Access token").fill(SANDBOX_TOKEN);
    await button("Check and connect").click();
    await page.getByText(" is connected.").waitFor();
    await page.getByText("being read for the first time").waitFor();
  });

  let callback = "";
  await t.step(
    "the admin adds the company's Meta app, and Meta verifies the webhook URL",
    async () => {
      await button("Add an app").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Aurora");
      await dialog.getByLabel("App secret").fill(APP_SECRET);
      await dialog.getByLabel("Verify token").fill(VERIFY_TOKEN);
      await dialogButton("Add an app").click();
      const address = page.locator(".app code");
      await address.waitFor();
      callback = await address.innerText();
      await whatsAppAt(callback, phone_number_id).verifies();
    },
  );
  const channel = whatsAppAt(callback, phone_number_id);

  let key = "";
  await t.step("the admin creates the company's first API key, with an expiry", async () => {
    await menu("API keys");
    await page.getByText("No API keys yet").waitFor();
    await page.getByRole("link", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Web shop");
    for (const scope of [/^Read/, /^Write/, /^Messages/]) {
      await page.getByRole("checkbox", { name: scope }).check();
    }
    await page.getByLabel("Expires").selectOption({ label: "In 90 days" });
    await button("Create key").click();
    key = await storedKey(page);
    await page.locator("#facts ~ dl").getByText(/in 3 months|in 90 days/).waitFor();
  });

  /** Sends an API request as the company's program. */
  const programWrites = (phone: string) =>
    send(`${stack.gateway_url}/contacts`, "POST", {
      ...{ Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    }, JSON.stringify({ name: "Ana", phone }));
  const answers = await Promise.all([1, 2, 3].map(() => programWrites("11 98765-4321")));
  assert.deepEqual(answers.map(({ status }) => status), [422, 422, 422]);
  await readTemplatesOf(phone_number_id);

  await t.step(
    "the admin sends herself a test message from a template and sees that it is delivered",
    async () => {
      const phone = anyPhone();
      await menu("Templates");
      await page.getByRole("row").filter({ hasText: /^\s*order_update\s+Brazilian/ })
        .getByRole("link").click();
      await page.getByLabel("Your phone").fill(phone);
      await button("Send test").click();
      const steps = page.locator("#test-steps");
      await steps.getByText("Accepted by WhatsApp").waitFor();
      const [{ id, message }] = await takenFrom({ phone_number_id }, phone);
      for (const status of ["sent", "delivered"]) {
        const recipient_id = phone.slice(1);
        const mark = message.biz_opaque_callback_data;
        const report = { id, status, recipient_id, biz_opaque_callback_data: mark };
        await channel.tells({ statuses: [{ ...report, timestamp: now() }] });
      }
      await steps.getByText("Delivered", { exact: true }).waitFor();
    },
  );

  await t.step(
    "the page explains why WhatsApp rejected a template, and what to change",
    async () => {
      await menu("Templates");
      await page.getByLabel("Status").selectOption({ label: "Rejected" });
      // A click on a link of the unfiltered list may miss, because the page replaces the list.
      await page.getByRole("link", { name: "order_update" }).first().waitFor({ state: "hidden" });
      await page.getByRole("link", { name: "free_machine" }).click();
      await page.getByText("WhatsApp takes the content for fraud.").waitFor();
      await page.getByText("This template cannot be sent now.").waitFor();
    },
  );

  await t.step("when WhatsApp restricts the account, the next view shows a warning", async () => {
    const { status, body } = await sendTemplate(key, template(LOCKED));
    assert.deepEqual([status, body.code], [500, "channel_account_error"]);
    await menu("Sends");
    const banner = page.getByRole("region", { name: "Problems" });
    await banner.getByText("WhatsApp refuses +999").waitFor();
    await banner.getByRole("link", { name: "See what to do" }).click();
    await page.getByText("WhatsApp has locked or limited the account").waitFor();
    await page.getByText("See the reason in Meta’s Business Support Home.").waitFor();
    await page.locator(".health .bad").getByText("WhatsApp limits this account").waitFor();
    await page.getByRole("link", { name: "1 send was stopped." }).click();
    await page.locator(".rows").getByText("WhatsApp refuses your number").waitFor();
  });

  await t.step("when WhatsApp accepts a send again, the warning disappears", async () => {
    assert.equal((await sendTemplate(key, template(anyPhone()))).status, 200);
    await menu("WhatsApp");
    await page.getByText("Works", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "See what to do" }).waitFor({ state: "detached" });
  });

  await t.step(
    "the admin finds a program's errors, and the error text is enough to correct the request",
    async () => {
      await menu("Requests");
      const error = page.locator(".errors > li").filter({ hasText: "3 times" });
      // A gateway instance writes its request counts to the database only at intervals.
      await until(async () => {
        await page.reload();
        await heading(page, "Requests and errors").waitFor();
        return await error.count() > 0;
      });
      const words = (await error.innerText()).replace(/\s+/g, " ");
      assert.match(words, /^422 phone must be .* POST \/gateway\/contacts Key: Web shop 3 times/);
      const [example] = /\+\d{8,}/.exec(words) ?? ["no example"];
      assert.equal((await programWrites(example)).status, 201);
    },
  );

  await t.step(
    "the admin replaces the API key, and deletes the old key when the program uses the new key",
    async () => {
      const old = key;
      await page.locator(".errors").getByRole("link", { name: "Web shop" }).first().click();
      await button("Replace").click();
      await dialogButton("Create the new key").click();
      await page.locator("#new-key").waitFor();
      key = await storedKey(page);
      assert.deepEqual(await Promise.all([old, key].map(gatewayStatus)), [200, 200]);
      await page.locator(".note").filter({ hasText: "Replaces" }).getByRole("link").click();
      await button("Delete").click();
      await page.getByLabel("To be sure, type: Web shop").fill("Web shop");
      await dialogButton("Delete permanently").click();
      await page.getByText("The key is deleted.").waitFor();
      assert.deepEqual(await Promise.all([old, key].map(gatewayStatus)), [401, 200]);
    },
  );

  await t.step(
    "a contact sends STOP, and the list of opt-outs shows the contact's name and message",
    async () => {
      const from = anyPhone().slice(1);
      await channel.tells({
        contacts: [{ wa_id: from, profile: { name: "Rui Costa" } }],
        messages: [{
          ...{ from, id: `wamid.${crypto.randomUUID()}`, timestamp: now() },
          ...{ type: "text", text: { body: "STOP" } },
        }],
      });
      await menu("Opt-outs");
      const row = page.locator(".rows tbody tr");
      await row.waitFor();
      assert.match(await row.innerText(), /Rui Costa[^]*No messages[^]*STOP/);
    },
  );

  await t.step("the history lists every change that the admin made", async () => {
    await menu("History");
    const entries = page.locator(".history > li");
    await entries.first().waitFor();
    const { deeds, createdAsSuccessor, joined } = history;
    assert.deepEqual(await entries.locator("b").allInnerTexts(), [
      ...[deeds.deleted, deeds.rotated, createdAsSuccessor, deeds.created],
      ...[deeds.app_registered, deeds.account_connected, joined, deeds.invited, deeds.member_added],
    ]);
  });
  assert.deepEqual(unexpected(window), []);
});
