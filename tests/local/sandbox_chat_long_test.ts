// Tests the sandbox's chats in a browser.
import assert from "node:assert/strict";
import { sandboxHost } from "../../sandbox/host.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { axeFindings, axeFindingsOfLooks, openBrowser, openWindow } from "../support/browser.ts";
import { widthOfPage } from "../support/in_page.js";
import { CHROMIUM } from "../support/programs.ts";

const NUMBER = "900000000000011";
const FROM = "+14155550123";

/** Starts a web server for a sandbox that has a chat with messages of many kinds. */
async function servedChat() {
  const url = () => `http://127.0.0.1:${server.addr.port}`;
  const host = sandboxHost({ webhook: () => ({ url: `${url()}/webhook`, secret: "s" }) });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) =>
      request.url.endsWith("/webhook") ? new Response() : await host.fetch(request),
  );
  const post = async (path: string, json: object) => {
    const response = await fetch(`${url()}/sandbox${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${SANDBOX_TOKEN}` },
      body: JSON.stringify(json),
    });
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    return body;
  };
  const plays = (json: object) =>
    post("/inbound", { phone_number_id: NUMBER, from: FROM, ...json });
  const send = (json: object) =>
    post(`/v26.0/${NUMBER}/messages`, { messaging_product: "whatsapp", to: FROM, ...json });

  const { user_id, message_id } = await plays({ name: "Maya", text: "Hello", hours_ago: 1 });
  await plays({ medium: "picture", caption: "This one" });
  await plays({ medium: "voice" });
  await send({ type: "text", text: { body: "Good morning" }, context: { message_id } });
  await send({ type: "reaction", reaction: { message_id, emoji: "👍" } });
  const parameters = (...texts: string[]) => texts.map((text) => ({ type: "text", text }));
  const components = [
    { type: "header", parameters: parameters("S-204") },
    { type: "body", parameters: parameters("Maya", "2 May") },
  ];
  const template = { name: "service_visit", language: { code: "en_US" }, components };
  await send({ type: "template", template });
  const { messages: [list] } = await send({
    type: "interactive",
    interactive: {
      ...{ type: "list", body: { text: "What is it about?" } },
      action: { button: "Choose", sections: [{ rows: [{ id: "late", title: "It is late" }] }] },
    },
  });
  const stop = async () => {
    await host.stop();
    await server.shutdown();
  };
  const react = (emoji: string) =>
    plays({ message: { type: "reaction", reaction: { message_id: list.id, emoji } } });
  return { url: url(), path: `/sandbox/chat/${NUMBER}/${user_id}`, send, react, stop };
}

Deno.test({
  name: "a reader can write and tap as the person in the chat, and new messages appear in the chat",
  ignore: !CHROMIUM,
  fn: async () => {
    const { url, path, send, react, stop } = await servedChat();
    await using _stopping = { [Symbol.asyncDispose]: stop };
    await using opened = await openBrowser();
    const { context, page, troubles, foreign } = await openWindow(opened.browser, url);
    await page.goto(path);
    await page.click("summary");
    await send({ type: "text", text: { body: "Are you there?" } });
    await page.waitForSelector(".sent:has-text('Are you there?')");
    await react("🎉");
    await page.waitForSelector(".sent:has-text('What is it about?'):has-text('🎉')");
    // The list that the reader opened is still open, although the message around it has changed.
    await page.click("[data-tap=late]");
    await page.waitForSelector(".received:has-text('It is late')");
    await page.click("[data-tap='Another day']");
    await page.waitForSelector(".received blockquote:has-text('Service order S-204')");
    await page.fill("[name=text]", "Thanks <b>!");
    await page.click("text=Send as the person");
    await page.waitForSelector(".received:has-text('Thanks <b>!')");
    assert.equal(await page.inputValue("[name=text]"), "");
    await page.selectOption("[name=medium]", "pdf");
    await page.click("text=Send as the person");
    await page.waitForSelector("a[download='invoice.pdf']");
    assert.deepEqual(troubles, []);

    await page.selectOption("[name=medium]", "voice");
    await page.fill("[name=text]", "A caption");
    await page.click("text=Send as the person");
    await page.waitForSelector("#trouble:has-text('caption needs a medium that is not a voice')");
    await page.goto("/sandbox/chat");
    await page.fill("[name=from]", "+14155550188");
    await page.fill("[name=hours_ago]", "25");
    await page.click("text=Send as the person");
    await page.waitForSelector("#state:has-text('The window for free replies closed at')");
    assert.deepEqual(foreign, []);
    await context.close();
  },
});

Deno.test({
  name: "the chats are accessible in light and dark mode, and fit the screen of a phone",
  ignore: !CHROMIUM,
  fn: async () => {
    const { url, path, stop } = await servedChat();
    await using _stopping = { [Symbol.asyncDispose]: stop };
    await using opened = await openBrowser();
    for (const colorScheme of ["light", "dark"] as const) {
      const viewport = { width: 360, height: 800 };
      const { context, page } = await openWindow(opened.browser, url, { viewport, colorScheme });
      for (const address of ["/sandbox/chat", path]) {
        await page.goto(address);
        assert.deepEqual(await axeFindings(page), []);
        assert.deepEqual(await axeFindingsOfLooks(page, new Set()), []);
        assert.equal(await page.evaluate(widthOfPage), 360);
      }
      await context.close();
    }
  },
});
