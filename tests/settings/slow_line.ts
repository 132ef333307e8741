// Measures the settings page on a slow connection (400 ms latency, 1.4 Mbit/s, empty cache). The
// script needs a running stack and a user who can sign in:
// deno run --allow-all tests/settings/slow_line.ts <page URL> <e-mail> <password>
import { openBrowser, openWindow } from "../support/browser.ts";
import { paints, watchPaints } from "../support/in_page.js";

const LINE = {
  ...{ offline: false, latency: 400 },
  ...{ downloadThroughput: 175_000, uploadThroughput: 175_000 },
};

const [address, email, password] = Deno.args;
if (!password) {
  throw new Error("Pass the page URL, a user's e-mail address and the user's password.");
}

await using open = await openBrowser();
const { page, context } = await openWindow(open.browser, new URL(address).origin, {
  locale: "en-US",
});
await context.addInitScript(watchPaints);
const line = await context.newCDPSession(page);
await line.send("Network.enable");
await line.send("Network.setCacheDisabled", { cacheDisabled: true });

let bytes = 0;
line.on("Network.loadingFinished", ({ encodedDataLength }) => bytes += encodedDataLength);
const visit = async (what: string, go: () => Promise<unknown>, ready: string) => {
  bytes = 0;
  await go();
  await page.locator(ready).first().waitFor();
  // The browser reports a paint shortly after it happens.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return { what, ...await page.evaluate(paints), kB: Math.round(bytes / 1000) };
};
const signIn = async () => {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
};

// The local stack builds the page on the first visit.
await page.goto(address);
await page.locator("#password").waitFor();
await line.send("Network.emulateNetworkConditions", LINE);
const rows = [await visit("first visit: the sign-in", () => page.reload(), "#password")];
await signIn();
await page.locator("a.button.main").waitFor();
rows.push(await visit("signed in: the keys", () => page.reload(), "a.button.main"));
await page.evaluate("localStorage.removeItem('settings.companies')");
rows.push(await visit("signed in: no stored companies", () => page.reload(), "a.button.main"));
console.table(rows);
