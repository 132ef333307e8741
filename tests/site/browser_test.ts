// Tests the documentation site in a real browser: its pages, the API reference, and a request sent
// from the reference.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { serveDocs } from "../../local/docs.ts";
import { answerFile } from "../../local/static_files.ts";
import { SITE_FOLDER } from "../../local/site_sources.ts";
import { newCompany } from "../support/company.ts";
import { CHROMIUM } from "../support/programs.ts";
import { until } from "../support/started.ts";
import { stack } from "../support/test_stack.ts";
import { axeFindings, axeFindingsOfLooks, openBrowser, openWindow } from "../support/browser.ts";
import { backgroundOfPage, copiedText, isDarkReference, widthOfPage } from "../support/in_page.js";

/** A path under which a static host serves the site. */
const STATIC = "/below/a/path/";
/** A dark colour: its red, green and blue values are each below 100. */
const DARK = /^rgb\(\d\d?, \d\d?, \d\d?\)$/;
const PHONE = { width: 360, height: 740 };
/**
 * The URL of an operation in the reference. The reference renders an operation only when the reader
 * scrolls near the operation.
 */
const OPERATION = "reference.html#tag/contacts/GET/gateway/contacts";
/** For each search, a heading that must be among the first three results. */
const FOUND_FIRST = {
  "rate limit": "Limits",
  "upsert": "Create or update in one request",
  "opt out": "opt",
  "webhook": "Webhooks",
  "sdk": "The client",
  "attachment": "Sending templates",
  "idempotncy": "Idempotency",
  "list contacts": "List contacts",
};
/**
 * The maximum number of errors that axe may find in the reference. Each error is a button without a
 * name. Scalar creates the HTML, and a new Scalar release must not add errors.
 */
const MOST_FINDINGS_OF_REFERENCE = 4;

/**
 * Serves two sites on one origin: the site with the functions, as on the local stack, and the site
 * alone, as on a static host.
 * @param apiKey the API key for the reference.
 */
async function serveSite(apiKey: string | null) {
  const docs = serveDocs({ apiKey, port: 54321, folder: `${root}.local`, patienceMs: 120_000 });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith(STATIC)) {
      return answerFile(request, SITE_FOLDER, pathname.slice(STATIC.length), STATIC);
    }
    if (pathname.startsWith("/docs/")) return docs.fetch(request);
    const { method, headers, body } = request;
    return fetch(stack.url + pathname + search, { method, headers, body });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  // The first visit builds the site.
  const first = await fetch(`${origin}/docs/`);
  assert.equal(first.status, 200, await first.text());
  return {
    origin,
    async [Symbol.asyncDispose]() {
      docs.stop();
      await server.shutdown();
    },
  };
}

/** The paths of all pages of the site except the reference. */
function ownPages(folder = ""): string[] {
  return Array.from(Deno.readDirSync(`${SITE_FOLDER}/${folder}`)).flatMap(
    ({ name, isDirectory }) => {
      if (isDirectory) return ownPages(`${folder}${name}/`);
      return name.endsWith(".html") && name !== "reference.html" ? [`${folder}${name}`] : [];
    },
  ).sort();
}

Deno.test("the site works in a browser", { ignore: CHROMIUM === null }, async (t) => {
  const test = t.step.bind(t);
  const company = await newCompany();
  await using site = await serveSite(company.keys.read);
  await using open = await openBrowser();
  const { browser } = open;

  await test("axe finds no error on our pages in light or dark mode, and no page is wider than a phone screen", async () => {
    const pages = ownPages();
    assert.ok(pages.length > 25 && pages.includes("index.html"));
    const { context, page, troubles, foreign } = await openWindow(browser, site.origin);
    const seen = new Set<string>();
    for (const path of pages) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`/docs/${path}`);
      assert.deepEqual(await axeFindings(page), []);
      assert.deepEqual(await axeFindingsOfLooks(page, seen), []);
      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await axeFindingsOfLooks(page, seen), [], `${path} in dark`);
      await page.setViewportSize(PHONE);
      assert.equal(
        await page.evaluate(widthOfPage),
        PHONE.width,
        `${path} is wider than a phone`,
      );
      assert.match(await page.evaluate(backgroundOfPage), DARK, `${path} is dark`);
    }
    assert.ok(seen.size > 50, "axe checked the elements");
    assert.deepEqual([troubles, foreign], [[], []]);
    await context.close();
  });

  await test("a page works without scripts and with the keyboard, and a button copies the text of a code block", async () => {
    const { context, page } = await openWindow(browser, site.origin, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto("/docs/index.html");
    await page.keyboard.press("Tab");
    const first = page.locator(":focus");
    assert.match(
      await first.getAttribute("href") ?? "",
      /^#/,
      "the first Tab stop skips to the content",
    );
    await first.press("Enter");
    await page.keyboard.press("Tab");
    assert.ok(
      await page.locator("main :focus").count() === 1,
      "the next Tab stop is in the content",
    );

    const block = page.locator(".code").first();
    await block.getByRole("button", { name: "Copy" }).click();
    const copied = await page.evaluate(copiedText);
    assert.equal(copied, (await block.locator("pre").textContent())!.trimEnd());
    await context.close();

    const without = await openWindow(browser, site.origin, { javaScriptEnabled: false });
    await without.page.goto("/docs/index.html");
    await without.page.getByRole("main").getByRole("link", { name: "Finding records" }).first()
      .click();
    assert.equal(await without.page.locator("h1").textContent(), "Finding records");
    await without.context.close();
  });

  await test("a reader chooses the language of the code examples once for all pages", async () => {
    const { context, page } = await openWindow(browser, site.origin, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto("/docs/finding.html");
    const block = () => page.locator(".code", { has: page.getByRole("group") }).nth(2);
    const chosen = () => block().locator("[aria-pressed=true]").textContent();
    assert.equal(await chosen(), "curl");
    await block().getByRole("button", { name: "Python" }).click();
    assert.match(
      await block().locator("pre").textContent() ?? "",
      /^import os\n.*\n\nanswer = requests/,
    );
    await page.goto("/docs/writing.html");
    assert.equal(await chosen(), "Python");
    await block().getByRole("button", { name: "JavaScript" }).click();
    await block().getByRole("button", { name: "Copy" }).click();
    assert.match(await page.evaluate(copiedText), /= await fetch\(/);
    await context.close();
  });

  await test("the search finds guides and operations by synonyms and with a misspelled letter", async () => {
    const { context, page, troubles } = await openWindow(browser, site.origin);
    await page.goto("/docs/recipes/sync-contacts.html");
    await page.keyboard.press("Control+k");
    const input = page.getByRole("searchbox");
    const results = page.getByRole("dialog").getByRole("link");
    for (const [words, heading] of Object.entries(FOUND_FIRST)) {
      await input.fill(words);
      // Until the search is done, the page shows the results of the previous words.
      await until(async () => {
        const headings = await results.locator("strong").allTextContents();
        return headings.slice(0, 3).some((each) => each.includes(heading));
      });
    }
    await input.fill("qwxz");
    await page.getByText("Nothing was found.").waitFor();
    await input.fill("merge two contacts");
    await results.filter({ hasText: "POST /gateway/contacts/{id}/merge" }).click();
    await page.getByRole("heading", { name: "Merge two contacts" }).waitFor();
    const guide = page.getByRole("link", { name: "Merging contacts" });
    await guide.click();
    assert.equal(await page.locator("h1").textContent(), "Merging contacts");
    await page.getByRole("link", { name: "POST /contacts/{id}/merge" }).first().click();
    await page.getByRole("heading", { name: "Merge two contacts" }).waitFor();
    assert.deepEqual(troubles, []);
    await context.close();
  });

  const reference = await openWindow(browser, site.origin, { colorScheme: "light" });
  await test("on the local stack, a request sent from the API reference returns the rows of the key's company", async () => {
    const { page } = reference;
    await page.goto(`/docs/${OPERATION}`);
    await page.getByRole("button", { name: /^Test Request.*get \/gateway\/contacts\)/ }).click();
    const answered = page.waitForResponse((answer) => answer.url().includes("/functions/v1/"));
    await page.getByRole("button", { name: /^Send/ }).first().click();
    const answer = await answered;
    assert.equal(answer.url(), `${site.origin}/functions/v1/gateway/contacts`);
    assert.equal(answer.status(), 200);
    assert.deepEqual((await answer.json()).data.map(({ id }: { id: string }) => id), [
      company.contact_id,
    ]);
    await page.getByText(company.contact_id).first().waitFor();
    await page.keyboard.press("Escape");
  });

  await test("the reference shows every group of operations in light mode, in dark mode and on a phone screen", async () => {
    const { context, page, troubles, foreign } = reference;
    const menu = page.getByRole("complementary");
    const { tags } = JSON.parse(await Deno.readTextFile(`${SITE_FOLDER}/openapi.json`));
    for (const { name } of tags) {
      await menu.getByText(name, { exact: true }).first().waitFor();
    }
    await page.getByRole("heading", { name: "List contacts" }).waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(isDarkReference);
    const found = await axeFindings(page);
    assert.ok(found.length <= MOST_FINDINGS_OF_REFERENCE, `${found.length}: ${found.join("\n")}`);
    await page.setViewportSize(PHONE);
    assert.equal(await page.evaluate(widthOfPage), PHONE.width);
    assert.deepEqual([troubles, foreign], [[], []]);
    await context.close();
  });

  await test("on a static host, the reference sends no request to other hosts or to the API", async () => {
    const { context, page, troubles, foreign } = await openWindow(browser, site.origin);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${STATIC}${OPERATION}`);
    await page.getByRole("heading", { name: "List contacts" }).waitFor();
    assert.equal(await page.getByRole("button", { name: /Test Request/ }).count(), 0);
    assert.deepEqual(asked.filter((path) => !path.startsWith(STATIC)), []);
    assert.deepEqual([troubles, foreign], [[], []]);
    await context.close();
  });
});
