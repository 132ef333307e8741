// Checks a view's accessibility with axe in light and dark mode, and its width on a phone screen.
import assert from "node:assert/strict";
import type { Page } from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { axeFindings, axeFindingsOfLooks } from "../support/browser.ts";
import { backgroundOfPage, widthOfPage } from "../support/in_page.js";
import { PHONE } from "./settings_page.ts";

/** A dark colour: red, green and blue are all below 100. */
const DARK = /^rgb\(\d\d?, \d\d?, \d\d?\)$/;
/** If this variable names a folder, the checks store a screenshot of each view in the folder. */
const PICTURES = Deno.env.get("PICTURES");
const DESKTOP = { width: 1280, height: 800 };

/**
 * Returns a function that checks the current page. The check fails if axe finds an accessibility
 * error in light or dark mode, or if the page is wider than a phone screen. Elements that look the
 * same are checked only once.
 */
export function judgeOf(page: Page): (what: string) => Promise<void> {
  const seen = new Set<string>();
  const store = async (name: string) => {
    if (!PICTURES) return;
    await page.screenshot({ path: `${PICTURES}/${name.replaceAll(" ", "_")}.png`, fullPage: true });
  };
  return async (what) => {
    // The loading text fades in, so its contrast is too low at first.
    await page.locator(".loading").first().waitFor({ state: "detached" });
    await page.setViewportSize(DESKTOP);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      if (colorScheme === "light") assert.deepEqual(await axeFindings(page), [], what);
      assert.deepEqual(await axeFindingsOfLooks(page, seen), [], `${what} in ${colorScheme}`);
      await store(`${what} ${colorScheme}`);
    }
    assert.match(await page.evaluate(backgroundOfPage), DARK, what);
    await page.setViewportSize(PHONE);
    assert.equal(await page.evaluate(widthOfPage), PHONE.width, `${what} is wider than a phone`);
    for (const colorScheme of PICTURES ? ["light", "dark"] as const : []) {
      await page.emulateMedia({ colorScheme });
      await store(`${what} phone ${colorScheme}`);
    }
    await page.setViewportSize(DESKTOP);
  };
}
