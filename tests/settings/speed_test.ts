// Tests that the page requests all resources as early as possible, and that its content does not
// shift. slow_line.ts measures the loading times.
import assert from "node:assert/strict";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { paints, watchPaints } from "../support/in_page.js";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import {
  heading,
  holding,
  openAs,
  openSettings,
  PHONE,
  SETTINGS,
  signInAs,
} from "./settings_page.ts";

/** The maximum allowed layout shift score of the page. */
const MOST_SHIFT = 0.02;

Deno.test(
  "the settings page loads quickly on a slow connection",
  { ignore: CHROMIUM === null },
  async (t) => {
    const company = await newCompany();
    const owner = await newPerson({ company: company.id });
    await using open = await openBrowser();
    const { browser } = open;
    // The first visit may build the page.
    await (await openSettings(browser)).context.close();

    await t.step("texts and config.json are requested before the scripts are loaded", async () => {
      const { page, context } = await openSettings(browser, { route: "none.html" });
      const scripts = await holding(page, /supabase|\/main-/);
      const asked = ["en-", "config.json"].map((name) =>
        page.waitForRequest((request) => request.url().includes(`/settings/${name}`))
      );
      await page.goto(SETTINGS, { waitUntil: "commit" });
      await Promise.all(asked);
      await page.locator("header svg").waitFor();
      await scripts.release();
      await heading(page, "Sign in").waitFor();
      await context.close();
    });

    await t.step(
      "a returning user sees the API keys before the companies are loaded again",
      async () => {
        const { page, context } = await openAs(browser, owner);
        await heading(page, "API keys").waitFor();
        const companies = await holding(page, /company_members\?select=role/);
        await page.reload();
        await page.getByRole("link", { name: "Create a key" }).waitFor();
        await companies.release();
        await context.close();
      },
    );

    await t.step(
      "for a stored session, the companies are requested only once, before the scripts are loaded",
      async () => {
        const { page, context } = await openAs(browser, owner);
        await heading(page, "API keys").waitFor();
        await page.evaluate("localStorage.removeItem('settings.companies')");
        const scripts = await holding(page, /supabase|\/main-/);
        let times = 0;
        page.on("request", (request) => {
          if (request.url().includes("company_members?select=role")) times++;
        });
        const asked = page.waitForRequest(/company_members\?select=role/);
        await page.reload({ waitUntil: "commit" });
        await asked;
        await scripts.release();
        await page.getByRole("link", { name: "Create a key" }).waitFor();
        assert.equal(times, 1);
        await context.close();
      },
    );

    await t.step("the layout does not shift in the first view and after the sign-in", async () => {
      for (const viewport of [{ width: 1280, height: 800 }, PHONE]) {
        const { page, context } = await openSettings(browser, { viewport, route: "none.html" });
        await context.addInitScript(watchPaints);
        await page.goto(SETTINGS);
        await signInAs(page, owner);
        await page.getByRole("link", { name: "Create a key" }).waitFor();
        const { shift: signedIn } = await page.evaluate(paints);
        assert.ok(signedIn <= MOST_SHIFT, `${signedIn} after the sign-in`);
        await page.reload();
        await page.getByRole("link", { name: "Create a key" }).waitFor();
        const { shift: again } = await page.evaluate(paints);
        assert.ok(again <= MOST_SHIFT, `${again} at the next visit`);
        await context.close();
      }
    });
  },
);
