// Tests that a user can manage webhooks on the settings page with the keyboard alone.
import assert from "node:assert/strict";
import type { Page } from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { nameOfFocus } from "../support/in_page.js";
import { ownWebhooks } from "../support/own_functions.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { stack } from "../support/test_stack.ts";
import { heading, openAs, unexpected } from "./settings_page.ts";

/**
 * The maximum number of times that the test presses Tab. Every view has fewer elements that can
 * have the focus.
 */
const MOST_TABS = 80;

/** The first 60 characters of the focused element's name, on one line. */
const focus = async (page: Page): Promise<string> =>
  String(await page.evaluate(nameOfFocus) ?? "").replace(/\s+/g, " ").trim().slice(0, 60);

/** Presses Tab until the focus is on an element whose name begins with `name`. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    await page.keyboard.press("Tab");
    passed.push(await focus(page));
    if (passed.at(-1)!.startsWith(name)) return;
  }
  assert.fail(`Tab does not reach ${name}, but ${passed.join(" | ")}`);
}

Deno.test("a user creates, tests, pauses and deletes a webhook with the keyboard alone", {
  ignore: CHROMIUM === null,
}, async () => {
  const company = await newCompany();
  const owner = await newPerson({ company: company.id, name: "Olívia" });
  const deliver = await ownWebhooks([new URL(stack.url).origin]);
  await using open = await openBrowser();
  const window = await openAs(open.browser, owner, { route: `#/c/${company.id}/webhooks` });
  const { page } = window;
  const press = (key: string) => page.keyboard.press(key);
  const url = `${stack.receiver_url}/keys-${crypto.randomUUID()}`;

  await page.getByText("No webhooks yet").waitFor();
  await tabTo(page, "Create a webhook");
  await press("Enter");
  await heading(page, "Create a webhook").waitFor();

  // If a form has errors, the first invalid field receives the focus.
  await tabTo(page, "Address");
  await press("Enter");
  await page.getByText("Enter a whole address").waitFor();
  assert.match(await focus(page), /^Address/);
  await page.keyboard.type(url);
  await tabTo(page, "Only some");
  await press("Enter");
  await tabTo(page, "added");
  await press("Space");
  // The list of events stays open even if no event is chosen any more.
  await press("Space");
  assert.match(await focus(page), /^added/);
  assert.ok(await page.locator(":focus").isVisible());
  await press("Space");
  await tabTo(page, "Description");
  await page.keyboard.type("Web shop");
  await press("Enter");
  await heading(page, "Web shop").waitFor();

  await page.locator("#new-secret").waitFor();
  await tabTo(page, "I have stored it");
  await press("Enter");
  await page.locator("#new-secret").waitFor({ state: "detached" });
  assert.notEqual(await page.evaluate("document.activeElement.tagName"), "BODY");

  await tabTo(page, "Send a test event");
  await press("Enter");
  await page.getByText("On its way…").waitFor();
  await deliver(company.id);
  await page.locator("#test-result").getByText("The receiver answered 200").waitFor();
  await tabTo(page, "Webhooks: test");
  await press("Enter");
  await page.locator(".deliveries details[open]").waitFor();
  await tabTo(page, "Deliver again");
  await press("Enter");
  await page.getByText("It will be delivered in a moment.").waitFor();
  assert.notEqual(await page.evaluate("document.activeElement.tagName"), "BODY");

  // An open dialog keeps the focus. Escape closes the dialog, and the focus returns to the button.
  await page.locator("h1").focus();
  await tabTo(page, "Pause");
  await press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  assert.equal(await dialog.locator(":focus").count(), 1);
  await press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await focus(page), "Pause");
  await press("Enter");
  await dialog.waitFor();
  await tabTo(page, "Pause");
  await press("Enter");
  await page.getByText("The webhook is paused.").waitFor();
  assert.notEqual(await page.evaluate("document.activeElement.tagName"), "BODY");

  await tabTo(page, "Delete");
  await press("Enter");
  await dialog.waitFor();
  await tabTo(page, "Delete");
  await press("Enter");
  await page.getByText("No webhooks yet").waitFor();
  await page.locator("h1:focus").waitFor();
  assert.deepEqual(unexpected(window), []);
  await window.context.close();
});
