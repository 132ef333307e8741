// Tests the parts that all views share: URLs, the menu, and the end of a session.
import assert from "node:assert/strict";
import type { Page } from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { nameOfFocus } from "../support/in_page.js";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { until } from "../support/started.ts";
import { withDatabase } from "../support/test_stack.ts";
import { heading, openAs, opened, PHONE, SETTINGS, signInAs, unexpected } from "./settings_page.ts";

/** The response of the Data API when a session is no longer valid. */
const EXPIRED = { status: 401, json: { code: "PGRST301", message: "JWT expired" } };

Deno.test(
  "the URLs, the menu and the sessions of the settings page work in a browser",
  { ignore: CHROMIUM === null },
  async (t) => {
    const test = t.step.bind(t);
    const [one, two] = await Promise.all([newCompany(), newCompany()]);
    const owner = await newPerson({ company: one.id });
    await using open = await openBrowser();
    const { browser } = open;
    await withDatabase((sql) => sql`update companies set name = 'Ondalva' where id = ${one.id}`);
    const routeOf = (page: Page) => page.url().slice(SETTINGS.length);

    await test("the URL contains the company's id, and the page refuses a company that the user does not belong to", async () => {
      const window = await openAs(browser, owner, { route: `#/c/${two.id}/history` });
      const { page, context } = window;
      await heading(page, "You do not work in this company").waitFor();
      assert.equal(await page.getByRole("navigation").count(), 0);
      await page.getByRole("button", { name: "Ondalva" }).click();
      await heading(page, "API keys").waitFor();
      assert.equal(routeOf(page), `#/c/${one.id}/keys`);
      for (const [old, now] of [["#/history", "history"], ["", "keys"], ["#/c/", "keys"]]) {
        await page.goto("about:blank");
        await page.goto(`${SETTINGS}${old}`);
        await page.locator(".zone").waitFor();
        assert.equal(routeOf(page), `#/c/${one.id}/${now}`);
      }
      assert.deepEqual(unexpected(window), []);
      await context.close();
    });

    await test("on a phone screen, the menu opens above the content and can be used with the keyboard", async () => {
      const window = await openAs(browser, owner, { viewport: PHONE });
      const { page, context } = window;
      await opened(page, "API keys");
      const top = async () => (await page.locator("h1").boundingBox())!.y;
      const before = await top();
      const menu = page.getByRole("button", { name: "Menu" });
      const navigation = page.getByRole("navigation");
      assert.equal(await navigation.isVisible(), false);
      await menu.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Menu", expanded: true }).waitFor();
      assert.equal(await top(), before);
      await page.keyboard.press("Escape");
      await navigation.waitFor({ state: "hidden" });
      assert.equal(await page.evaluate(nameOfFocus), "Menu");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "History" }).press("Enter");
      await heading(page, "History").waitFor();
      await navigation.waitFor({ state: "hidden" });
      assert.deepEqual(unexpected(window), []);
      await context.close();
    });

    await test("when a view opens, its heading receives the keyboard focus, except in a hidden tab", async () => {
      const { page, context } = await openAs(browser, owner);
      await heading(page, "API keys").waitFor();
      const open = async (path: string, title: string) => {
        await page.evaluate((hash) => location.hash = hash, `#/c/${one.id}/${path}`);
        await heading(page, title).waitFor();
        await page.locator(".loading").waitFor({ state: "detached" });
      };
      const focused = page.locator("h1:focus");
      await open("history", "History");
      await focused.waitFor();
      await focused.blur();
      // The test browser never hides a tab, so the test overrides the tab's visibility.
      await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })");
      await open("keys", "API keys");
      await open("history", "History");
      assert.equal(await focused.count(), 0);
      await context.close();
    });

    await test("when a session ends, a half-filled form is kept and the same user can continue with it", async () => {
      const window = await openAs(browser, owner, { route: "#/keys/new" });
      const { page, context } = window;
      await page.getByRole("textbox", { name: "Name" }).fill("Half-filled");
      await page.getByRole("checkbox", { name: /^Read/ }).check();
      await page.route(/rpc\/create_api_key/, (route) => route.fulfill(EXPIRED), { times: 1 });
      await page.getByRole("button", { name: "Create key" }).click();
      const question = page.getByRole("dialog", { name: "Sign in again" });
      await question.getByText("Your session has ended.").waitFor();
      await page.keyboard.press("Escape");
      await question.waitFor();
      await until(async () => await question.locator("#password:focus").count() === 1);
      assert.equal(await question.getByLabel("E-mail").inputValue(), owner.email);
      await question.getByLabel("Password").fill(owner.password);
      await page.keyboard.press("Enter");
      await question.waitFor({ state: "detached" });
      assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Half-filled");
      await page.getByRole("button", { name: "Create key" }).click();
      await heading(page, "Half-filled").waitFor();
      await context.close();
    });

    await test("a form asks for the password if the settings function refuses the session", async () => {
      const window = await openAs(browser, owner, { route: "#/webhooks/new" });
      const { page, context } = window;
      await page.getByLabel("Address").fill("https://shop.example.com/events");
      await page.getByRole("checkbox", { name: /^Deals/ }).check();
      const refusal = {
        status: 401,
        json: { code: "not_signed_in", error: "No one is signed in" },
      };
      await page.route(/settings\/webhooks$/, (route) => route.fulfill(refusal), { times: 1 });
      await page.getByRole("button", { name: "Create a webhook" }).click();
      const question = page.getByRole("dialog", { name: "Sign in again" });
      await question.getByLabel("Password").fill(owner.password);
      await page.keyboard.press("Enter");
      await question.waitFor({ state: "detached" });
      const address = await page.getByLabel("Address").inputValue();
      assert.equal(address, "https://shop.example.com/events");
      await context.close();
    });

    await test("if the session ended before a view is shown, the sign-in page gives the reason and leads back to the view", async () => {
      const window = await openAs(browser, owner);
      const { page, context } = window;
      await heading(page, "API keys").waitFor();
      await page.route(/company_events/, (route) => route.fulfill(EXPIRED), { times: 1 });
      await page.getByRole("link", { name: "History" }).click();
      await page.locator(".note").getByText("Your session has ended, so sign in again.").waitFor();
      await signInAs(page, owner);
      await heading(page, "History").waitFor();
      await context.close();
    });

    await test("the browser's back button leads only to views that were actually shown", async () => {
      const window = await openAs(browser, owner, { route: "#/history" });
      const { page, context } = window;
      await heading(page, "History").waitFor();
      await page.getByRole("link", { name: "API keys" }).click();
      await page.getByRole("link", { name: "Create a key" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Shown once");
      await page.getByRole("checkbox", { name: /^Read/ }).check();
      await page.getByRole("button", { name: "Create key" }).click();
      await page.locator("#new-key").waitFor();
      // The user goes back, is asked about the key, and leaves anyway.
      await page.goBack();
      await page.getByRole("button", { name: "I have stored it, leave" }).click();
      await heading(page, "API keys").waitFor();
      assert.equal(routeOf(page), `#/c/${one.id}/keys`);
      await page.goBack();
      await heading(page, "History").waitFor();
      await page.goForward();
      await heading(page, "API keys").waitFor();
      await page.goForward();
      await heading(page, "Shown once").waitFor();
      assert.deepEqual(unexpected(window), []);
      await context.close();
    });
  },
);
