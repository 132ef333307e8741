// Helpers that open the settings page in a browser for tests.
import type {
  Browser,
  BrowserContext,
  Page,
  Route,
} from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { openWindow, type Window } from "../support/browser.ts";
import { showMessagesLonger } from "../support/in_page.js";
import { stack } from "../support/test_stack.ts";

/** The URL of the page on the local stack. */
export const SETTINGS = stack.settings_url!;

export const PHONE = { width: 360, height: 740 };

/**
 * How long a test waits for something on the page. The first visit may build the page, which takes
 * long on a busy machine.
 */
const PATIENCE_MS = 60_000;

/**
 * Lets a window's tests wait long for something on the page. Messages of the page are shown as
 * long, so that a slow test still sees them.
 */
export async function waitLong(context: BrowserContext) {
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(showMessagesLonger, PATIENCE_MS);
}

/** Opens the page in a new window. The browser's language is English unless another locale is given. */
export async function openSettings(
  browser: Browser,
  { route = "", ...options }: { route?: string } & Parameters<Browser["newContext"]>[0] = {},
): Promise<Awaited<ReturnType<typeof openWindow>>> {
  const window = await openWindow(browser, stack.url, { locale: "en-US", ...options });
  await waitLong(window.context);
  await window.page.goto(`${SETTINGS}${route}`);
  return window;
}

/** Opens the page and signs a user in. */
export async function openAs(
  browser: Browser,
  person: { email: string; password: string },
  options: Parameters<typeof openSettings>[1] = {},
): Promise<Awaited<ReturnType<typeof openWindow>>> {
  const window = await openSettings(browser, options);
  await signInAs(window.page, person);
  return window;
}

/** Fills in the English sign-in form and submits it. */
export async function signInAs(
  page: Page,
  { email, password }: { email: string; password: string },
) {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Finds the heading of a view, which appears when the view is loaded. */
export function heading(page: Page, name: string) {
  return page.getByRole("heading", { level: 1, name, exact: true });
}

/**
 * Waits until a view is loaded and its heading has received the focus. After that, the page moves
 * the focus only when the user acts.
 */
export async function opened(page: Page, name: string): Promise<void> {
  await heading(page, name).and(page.locator(":focus")).waitFor();
}

/**
 * Confirms on the page that the new key is stored.
 * @returns the key.
 */
export async function storedKey(page: Page): Promise<string> {
  const key = await page.locator("#new-key").textContent();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.locator("#facts").waitFor();
  return key!;
}

/**
 * The errors in a window, and the window's requests to other hosts. The browser's messages about
 * error responses are left out.
 */
export function unexpected({ troubles, foreign }: Window): string[] {
  return [...troubles.filter((line) => !line.includes("Failed to load resource")), ...foreign];
}

/** The HTTP status that the gateway returns for a key. */
export async function gatewayStatus(key: string): Promise<number> {
  const answer = await fetch(`${stack.gateway_url}/contacts?limit=1`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await answer.body?.cancel();
  return answer.status;
}

/** Delays requests to matching URLs until `release` is called. */
export async function holding(page: Page, address: RegExp): Promise<{ release(): Promise<void> }> {
  const held: Route[] = [];
  await page.route(address, (route) => void held.push(route));
  return {
    release: async () => {
      await Promise.all(held.splice(0).map((route) => route.continue()));
      await page.unroute(address);
    },
  };
}
