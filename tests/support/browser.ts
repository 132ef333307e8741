// A headless Chromium for browser tests.
import { root } from "../../local/checkout.ts";
import type {
  Browser,
  BrowserContext,
  Page,
} from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { CHROMIUM } from "./programs.ts";
import { hasAxe, markNewLooks, runAxe } from "./in_page.js";

const TOOLS = `${root}tools/node_modules/`;

const FLAGS = [
  "--no-sandbox", // Chromium cannot run as root with a sandbox
  "--disable-gpu",
  "--disable-quic",
  // A page can send requests only to this machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Starts the browser. `using` closes it. */
export async function openBrowser(): Promise<AsyncDisposable & { browser: Browser }> {
  const { chromium } = await import(`${TOOLS}playwright-core/index.mjs`);
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

/** A browser window with a page and the errors of that page. */
export interface Window {
  page: Page;
  /** The console errors, console warnings and uncaught errors so far. */
  troubles: string[];
  /** The URLs of requests to origins other than the pages' origin. */
  foreign: string[];
}

/** Opens a window in which URLs are relative to an origin such as `http://127.0.0.1:8000`. */
export async function openWindow(
  browser: Browser,
  origin: string,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Window & { context: BrowserContext }> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  const foreign: string[] = [];
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type())) {
      troubles.push(`${page.url()}: ${line.text()}`);
    }
  });
  page.on("pageerror", (error) => troubles.push(`${page.url()}: ${error}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    const isOwn = url.origin === origin || ["data:", "blob:"].includes(url.protocol);
    if (!isOwn) foreign.push(`${page.url()} asks for ${url.href}`);
  });
  return { context, page, troubles, foreign };
}

const axe = Deno.readTextFileSync(`${TOOLS}axe-core/axe.min.js`);

/** The rules for WCAG 2.2 A and AA, and axe's best-practice rules. */
const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules about an element's appearance. They need most of the time of a check. */
const LOOKS = ["color-contrast", "link-in-text-block", "target-size"];

/**
 * The problems that axe finds on the page, except in the appearance. There is one line for each
 * element.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  return await findings(page, null, {
    runOnly: { type: "tag", values: STANDARDS },
    resultTypes: ["violations"],
    rules: Object.fromEntries(LOOKS.map((rule) => [rule, { enabled: false }])),
  });
}

/**
 * The problems that axe finds in the colour contrast and the size of click targets. Elements with
 * the same colours, font and surroundings have one look. axe checks one element of each new look.
 * @param seen the looks that axe has already checked. The function adds this page's looks.
 */
export async function axeFindingsOfLooks(page: Page, seen: Set<string>): Promise<string[]> {
  const looks: string[] = await page.evaluate(markNewLooks, [...seen]);
  const isNew = looks.length > seen.size;
  for (const look of looks) seen.add(look);
  return isNew
    ? await findings(page, "[data-judged]", { runOnly: LOOKS, resultTypes: ["violations"] })
    : [];
}

/** @param context the selector of the checked element, or null for the whole page. */
async function findings(page: Page, context: string | null, options: unknown): Promise<string[]> {
  // Runs like a script from the developer tools, so the page's content security policy does not
  // block it.
  if (!await page.evaluate(hasAxe)) await page.evaluate(axe);
  return await page.evaluate(runAxe, [context, options] as [unknown, unknown]);
}
