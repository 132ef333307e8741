// Tests in a browser what the page says if the user's rights change while the page is open.
import assert from "node:assert/strict";
import { openBrowser } from "../support/browser.ts";
import { newChannelApp } from "../support/channel_apps.ts";
import { newCompany } from "../support/company.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { statement } from "../support/test_stack.ts";
import { heading, openAs, unexpected } from "./settings_page.ts";

Deno.test("the settings page notices that the user's rights have changed", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const company = await newCompany();
  const admin = await newPerson({ company: company.id, role: "admin" });
  const [{ id, name }] = await statement`
    select id, name from api_keys where company_id = ${company.id} order by created_at limit 1
  `;
  const { id: app_id } = await newChannelApp();
  await statement`
    update channel_apps set owner_company_id = ${company.id},
      sealed_previous_secret = sealed_secret, rotation_began_at = now()
    where id = ${app_id}
  `;
  await using open = await openBrowser();
  const route = `#/c/${company.id}/keys/${id}`;
  const window = await openAs(open.browser, admin, { route });
  const { page, context } = window;
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const alert = page.getByRole("alert");
  const requireSecondFactor = (isRequired: boolean) =>
    statement`
      update companies set managers_need_second_factor = ${isRequired} where id = ${company.id}
    `;
  const SECOND_FACTOR = "sign in with a code from an app on their phone";

  await t.step("a key that the user may no longer delete is not reported as deleted", async () => {
    await button("Delete").click();
    await page.getByLabel(/To be sure, type/).fill(name);
    await requireSecondFactor(true);
    await button("Delete permanently").click();
    await page.getByRole("dialog").getByText(SECOND_FACTOR).waitFor();
    assert.equal((await statement`select from api_keys where id = ${id}`).length, 1);
    await page.keyboard.press("Escape");
  });

  await t.step("hidden keys and history entries are not reported as missing", async () => {
    for (const name of ["API keys", "History"]) {
      await link(name).click();
      await heading(page, name).waitFor();
      await alert.getByText(SECOND_FACTOR).waitFor();
    }
  });

  await t.step("another try shows the view for the user's current rights", async () => {
    await button("Try again").click();
    await heading(page, "This company requires a second factor").waitFor();
    await requireSecondFactor(false);
    await page.reload();
    await heading(page, "History").waitFor();
    await page.locator(".history").or(page.getByText("Nothing has happened yet")).waitFor();
    await link("WhatsApp").click();
    await button("End the old secret").waitFor();
  });

  await t.step("a secret that the user may no longer end is not reported as ended", async () => {
    await statement`update company_members set role = 'agent' where user_id = ${admin.id}`;
    await button("End the old secret").click();
    await alert.getByText("Only owners and admins").waitFor();
    await link("API keys").click();
    await alert.getByText("Only owners and admins").waitFor();
    await button("Try again").click();
    await page.getByText(/^Only owners and admins of .* manage its API keys/).waitFor();
    await link("API keys").waitFor({ state: "detached" });
  });

  assert.deepEqual(unexpected(window), []);
  await context.close();
});
