// Tests in a browser what happens if a response arrives after the user has left the view.
import assert from "node:assert/strict";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { statement } from "../support/test_stack.ts";
import { heading, holding, openAs, SETTINGS, storedKey, unexpected } from "./settings_page.ts";

Deno.test("a late response is shown in the company for which the user sent the request", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const [one, two] = await Promise.all([newCompany(), newCompany()]);
  await statement`update companies set name = 'Ondalva' where id = ${one.id}`;
  const owner = await newPerson({ company: [one.id, two.id] });
  await using open = await openBrowser();
  const route = `#/c/${one.id}/keys/new`;
  const window = await openAs(open.browser, owner, { route });
  const { page, context } = window;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const openOther = async () => {
    await page.evaluate((hash) => location.hash = hash, `#/c/${two.id}/history`);
    await page.getByRole("banner").getByText("Test").waitFor();
    await heading(page, "History").waitFor();
  };
  const isOf = async (company: { id: string }, path: string) => {
    await page.waitForURL(`${SETTINGS}#/c/${company.id}/${path}`);
    await page.getByRole("banner").getByText("Ondalva").waitFor();
  };
  const idOf = async (name: string) => {
    const [{ id }] = await statement`
      select id from api_keys where company_id = ${one.id} and name = ${name}
      order by created_at desc limit 1
    `;
    return id;
  };

  await t.step("a new key is shown in its own company", async () => {
    await page.getByLabel("Name", { exact: true }).fill("Web shop");
    await page.getByRole("checkbox", { name: /^Read/ }).check();
    const creation = await holding(page, /rpc\/create_api_key/);
    await button("Create key").click();
    await openOther();
    await creation.release();
    await page.locator("#new-key").waitFor();
    await isOf(one, `keys/${await idOf("Web shop")}`);
    await storedKey(page);
  });

  await t.step("the successor of a key is shown in its own company", async () => {
    await button("Replace").click();
    const rotation = await holding(page, /rpc\/rotate_api_key/);
    await button("Create the new key").click();
    await page.keyboard.press("Escape");
    await openOther();
    await rotation.release();
    await page.locator("#new-key").waitFor();
    await isOf(one, `keys/${await idOf("Web shop")}`);
    await storedKey(page);
  });

  await t.step("after a deletion, the list of the same company is shown", async () => {
    await button("Delete").click();
    await page.getByLabel(/To be sure, type/).fill("Web shop");
    const deletion = await holding(page, /rest\/v1\/api_keys/);
    await button("Delete permanently").click();
    await page.keyboard.press("Escape");
    await openOther();
    await deletion.release();
    await page.getByText("The key is deleted.").waitFor();
    await isOf(one, "keys");
  });

  assert.deepEqual(unexpected(window), []);
  await context.close();
});
