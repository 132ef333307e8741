// Tests in a browser what the page says about a change that failed.
import assert from "node:assert/strict";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { heading, openAs, unexpected } from "./settings_page.ts";

Deno.test("the page says that nothing was changed only if this is certain", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const company = await newCompany();
  const owner = await newPerson({ company: company.id, name: "Olívia" });
  await using open = await openBrowser();
  const route = `#/c/${company.id}/keys/new`;
  const window = await openAs(open.browser, owner, { route });
  const { page, context } = window;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const alert = page.getByRole("alert");

  await t.step(
    "the database's error code decides what the page says about the change",
    async () => {
      const unknown = "we do not know whether the key was made";
      const answers = [
        [500, "XX000", "nothing was changed"],
        [422, "PT422", "This was not accepted."],
        [504, "", unknown],
        // Without a code: a proxy has responded, or the connection broke during the statement.
        [400, "", unknown],
        [520, "", unknown],
        // The database was shut down.
        [503, "57P01", unknown],
      ] as const;
      await page.getByLabel("Name", { exact: true }).fill("Web shop");
      await page.getByRole("checkbox", { name: /^Read/ }).check();
      for (const [status, code, sentence] of answers) {
        const answer = { status, json: { code, message: "" } };
        await page.route(/rpc\/create_api_key/, (route) => route.fulfill(answer), { times: 1 });
        await button("Create key").click();
        await alert.getByText(sentence).waitFor();
      }
    },
  );

  await t.step(
    "the settings function's error text decides what the page says about the change",
    async () => {
      const answers = [
        [
          503,
          "The database took too long; nothing was changed, so try again",
          "nothing was changed",
        ],
        [503, "The database does not answer; check whether the change was made", "do not know"],
        [422, "name is required", "This was not accepted."],
        [500, "Internal error", "do not know"],
      ] as const;
      await page.getByRole("link", { name: "WhatsApp", exact: true }).click();
      await heading(page, "WhatsApp").waitFor();
      await button("Add an app").click();
      await page.getByLabel("Name", { exact: true }).fill("Ours");
      await page.getByLabel("App secret").fill("0123456789abcdef");
      await page.getByLabel("Verify token").fill("0123456789abcdef");
      for (const [status, error, sentence] of answers) {
        const answer = { status, json: { error, code: "any" } };
        await page.route(/settings\/apps$/, (route) => route.fulfill(answer), { times: 1 });
        await page.getByRole("dialog").getByRole("button", { name: "Add an app" }).click();
        await alert.getByText(sentence).waitFor();
      }
    },
  );

  await t.step(
    "after a 504 for a member's new name, the page says that the outcome is unknown",
    async () => {
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "People", exact: true }).click();
      await button("Change Olívia").click();
      await page.getByLabel("Name", { exact: true }).fill("Lívia");
      const answer = { status: 504, json: { code: "", message: "" } };
      await page.route(/company_members/, (route) => route.fulfill(answer), { times: 1 });
      await button("Save").click();
      await alert.getByText("we do not know whether it was done").waitFor();
    },
  );

  assert.deepEqual(unexpected(window), []);
  await context.close();
});
