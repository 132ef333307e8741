// Tests in a browser that the page does not lose a webhook's secret. The page receives the secret
// only once.
import assert from "node:assert/strict";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { stack } from "../support/test_stack.ts";
import { heading, holding, openAs, unexpected } from "./settings_page.ts";

Deno.test("the settings page does not lose the secret of a webhook", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const company = await newCompany();
  const owner = await newPerson({ company: company.id });
  await using open = await openBrowser();
  const route = `#/c/${company.id}/webhooks/new`;
  const window = await openAs(open.browser, owner, { route });
  const { page, context } = window;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const secret = page.locator("#new-secret");
  let itsPage = "";

  await t.step("the page shows a new secret even if no other script or style loads", async () => {
    await page.getByLabel("Address").fill(`${stack.receiver_url}/test-${crypto.randomUUID()}`);
    await page.getByRole("checkbox", { name: /^Deals/ }).check();
    await page.route(/settings\/webhooks$/, async (route) => {
      const response = await route.fetch();
      await page.route(/\.(js|css)$/, (file) => file.abort());
      await route.fulfill({ response });
    }, { times: 1 });
    await button("Create a webhook").click();
    assert.match(await secret.innerText(), /^\s*whsec_/);
    itsPage = page.url();
    await page.unroute(/\.(js|css)$/);
    await button("I have stored it").click();
    window.troubles.length = 0;
  });

  for (const [where, returns] of [["left the view", false], ["returned", true]] as const) {
    await t.step(`the page shows a secret that arrives after the user has ${where}`, async () => {
      await button("New secret").click();
      await page.getByRole("radio", { name: "Stop it now" }).check();
      const rotation = await holding(page, /rotate-secret$/);
      await button("Make a new secret").click();
      await page.keyboard.press("Escape");
      await link("History").click();
      await heading(page, "History").waitFor();
      if (returns) {
        await page.goBack();
        await button("New secret").waitFor();
      }
      await rotation.release();
      assert.match(await secret.innerText(), /^\s*whsec_/);
      assert.equal(page.url(), itsPage);
      await button("I have stored it").click();
      await secret.waitFor({ state: "detached" });
    });
  }

  assert.deepEqual(unexpected(window), []);
  await context.close();
});
