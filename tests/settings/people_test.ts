// Tests in a browser how a company manages its users on the settings page: invitations, roles,
// second factors, sessions and the filters of the history.
import assert from "node:assert/strict";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { mailsTo } from "../support/mails.ts";
import { newPerson, signIn } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { codeOf } from "../support/second_factor.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import { judgeOf } from "./looks.ts";
import { heading, holding, openAs, openSettings, SETTINGS, unexpected } from "./settings_page.ts";

/** A user name that contains HTML. The page must show it as plain text. */
const HOSTILE = "<img src=x onerror=alert(1)> Eva";

Deno.test("a company manages its users on the settings page", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const company = await newCompany();
  const owner = await newPerson({ company: company.id, name: "Olívia" });
  const admin = await newPerson({ company: company.id, role: "admin", name: HOSTILE });
  const email = `${crypto.randomUUID()}@people.example`;
  await using open = await openBrowser();
  const { browser } = open;
  const window = await openAs(browser, owner, { route: `#/c/${company.id}/members` });
  const { page } = window;
  const button = (name: string | RegExp, within = page) =>
    within.getByRole("button", { name, exact: typeof name === "string" });
  const judge = judgeOf(page);

  await t.step("an owner invites a user, who chooses a password and joins", async () => {
    await button("Invite a person").click();
    await judge("the invitation form");
    await page.getByLabel("E-mail", { exact: true }).fill(email);
    await button("Send the invitation").click();
    await page.getByText(`An e-mail is on its way to ${email}`).waitFor();
    const row = page.getByRole("row").filter({ hasText: email });
    assert.match(await row.innerText(), /Waiting for an answer/);
    await judge("people and invitations");

    const [{ link }] = await mailsTo(email);
    const guest = await openSettings(browser);
    await guest.page.goto(link!);
    await button(`Continue as ${email}`, guest.page).click();
    await guest.page.getByLabel("New password").fill("a password of mine");
    await button("Save", guest.page).click();
    await heading(guest.page, "Invitations").waitFor();
    await guest.page.getByLabel("Your name in this company").fill("Marina");
    await button("Join Test", guest.page).click();
    await guest.page.getByText("You now work in Test.").waitFor();
    await guest.page.getByRole("link", { name: "People" }).click();
    // An agent sees the other users, but can only leave the company.
    await guest.page.getByText("Marina").waitFor();
    const acts = await guest.page.getByRole("table").getByRole("button").allInnerTexts();
    assert.deepEqual(acts, ["Leave"]);
    assert.deepEqual(unexpected(guest), []);
    await guest.context.close();
  });

  await t.step("a user who opened a view before joining sees the view after joining", async () => {
    const { id: company_id } = await newCompany();
    const { client } = await signIn(await newPerson({ company: company_id }));
    const invited = await newPerson({});
    const invitation = { company_id, email: invited.email, role: "agent" };
    const { error } = await client.rpc("invite_member", invitation);
    assert.equal(error, null);
    const guest = await openAs(browser, invited, { route: `#/c/${company_id}/sends` });
    await button("Join Test", guest.page).click();
    await heading(guest.page, "Sends").waitFor();
    await guest.page.getByText("You now work in Test.").waitFor();
    await guest.context.close();
  });

  await t.step(
    "an owner changes a role, removes a user after seeing which of their webhooks continue, and finds both changes in the history",
    async () => {
      await page.reload();
      await button("Change Marina").click();
      await page.getByRole("radio", { name: "Admin" }).check();
      // While the view reloads, it still shows its previous content.
      const people = await holding(page, /rpc\/company_people/);
      await button("Save").click();
      await page.getByText("Saved.").waitFor();
      await page.getByRole("row").filter({ hasText: "Marina" }).getByText("Agent").waitFor();
      assert.equal(await page.locator(".loading").count(), 0);
      await people.release();
      await page.getByRole("row").filter({ hasText: "Marina" }).getByText("Admin").waitFor();
      await button("Change Marina").click();
      const [marina] = await statement`
        select user_id from company_members where company_id = ${company.id} and name = 'Marina'
      `;
      await withDatabase(async (sql) => {
        const url = "https://marina.example.com/events?secret";
        await addWebhook(sql, company, { url, created_by: marina.user_id });
        await addWebhook(sql, company, { url: "https://shop.example.com/events" });
      });
      await button("Remove from the company").click();
      await page.getByText("The person created these webhooks, which still send events.").waitFor();
      const named = page.getByRole("dialog").getByRole("listitem");
      assert.deepEqual(await named.allTextContents(), ["marina.example.com/events"]);
      await judge("the confirmation before a user is removed");
      const message = "The removal took too long, probably because of very many conversations";
      const tooLong = { status: 503, json: { code: "PT503", message } };
      await page.route(/rpc\/remove_member/, (route) => route.fulfill(tooLong), { times: 1 });
      await button("Remove").click();
      await page.getByRole("alert").getByText("ask the operator of the service").waitFor();
      await button("Remove").click();
      await page.getByText("The person no longer works in this company.").waitFor();
      await page.getByText("Marina").waitFor({ state: "detached" });
      await page.getByRole("link", { name: "History" }).click();
      const entries = page.locator(".history > li");
      await entries.first().waitFor();
      const deeds = (await entries.locator("b").allInnerTexts()).slice(0, 4);
      assert.deepEqual(deeds, [
        "Person removed",
        "Role changed",
        "Joined the company",
        "Person invited",
      ]);
      await entries.first().getByRole("link", { name: "Marina" }).click();
      await page.waitForURL(/history\?person=/);
      await entries.nth(3).waitFor({ state: "detached" });
      assert.equal(await entries.count(), 3);
      // The user has left the company, but the history's link and filter still show the user's
      // name.
      assert.equal(await page.getByLabel("Person").locator("option:checked").innerText(), "Marina");
      await page.getByLabel("API key").selectOption({ index: 1 });
      await page.getByText("Nothing found").waitFor();
      await judge("a history without entries");
      await page.getByRole("link", { name: "Clear filters" }).first().click();
      await page.getByText("Person invited").waitFor();
      await judge("the history");
    },
  );

  let secret = "";
  await t.step("a user sets up a second factor, and the user's other sessions end", async () => {
    await signIn(owner);
    await page.goto(`${SETTINGS}#/security`);
    await button("End all other sessions").waitFor();
    await judge("the sign-in settings");
    await button("Set up").click();
    await page.getByRole("img", { name: "QR code for your app" }).waitFor();
    await page.getByText("I cannot scan it").click();
    await judge("the QR code for an authenticator app");
    secret = (await page.locator(".secret").innerText()).replaceAll(" ", "");
    const code = page.getByLabel("Code from the app");
    for (const wrong of ["000 000", "letters"]) {
      await code.fill(wrong);
      await button("Finish").click();
      assert.match(await page.locator("#set-up .failure").innerText(), /^This code is not right\./);
    }
    await code.fill(codeOf(secret));
    await button("Finish").click();
    await page.getByText("Your second factor is on.").waitFor();
    assert.equal(await button(/^End /).count(), 0);
    await judge("the sign-in settings with a second factor");
  });

  await t.step("after the setup, the page asks the user for a code at sign-in", async () => {
    await page.getByText("Account", { exact: true }).click();
    await button("Sign out").click();
    await page.getByLabel("E-mail").fill(owner.email);
    await page.getByLabel("Password").fill(owner.password);
    await button("Sign in").click();
    await heading(page, "Enter your code").waitFor();
    await judge("the code prompt");
    await page.getByLabel("Code from the app").fill("letters");
    await button("Sign in").click();
    await page.getByText("This code is not right.").waitFor();
    await page.getByLabel("Code from the app").fill(codeOf(secret));
    await button("Sign in").click();
    await heading(page, "API keys").waitFor();
  });

  await t.step(
    "if a company requires a second factor, the page asks an admin without a second factor to set it up",
    async () => {
      await page.getByRole("link", { name: "People" }).click();
      await button("Require a second factor").click();
      await page.getByText("A second factor is required now.").waitFor();
      const other = await openAs(browser, admin);
      await heading(other.page, "This company requires a second factor").waitFor();
      await other.page.getByRole("link", { name: "Set up the app" }).click();
      await button("Set up", other.page).click();
      await other.page.getByText("I cannot scan it").click();
      const theirs = (await other.page.locator(".secret").innerText()).replaceAll(" ", "");
      await other.page.getByLabel("Code from the app").fill(codeOf(theirs));
      await button("Finish", other.page).click();
      await other.page.getByText("Your second factor is on.").waitFor();
      await other.page.getByRole("link", { name: "API keys" }).click();
      await other.page.getByRole("link", { name: "Create a key" }).waitFor();
      assert.deepEqual(unexpected(other), []);
      await other.context.close();
    },
  );
  assert.deepEqual(unexpected(window), []);
  await window.context.close();
});
