// Tests the log of sends and the page of one send in a browser.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { axeFindings, axeFindingsOfLooks, openBrowser } from "../support/browser.ts";
import {
  addSentMessage,
  anyPhone,
  type MessageColumns,
  newCompany,
  type SendColumns,
} from "../support/company.ts";
import { widthOfPage } from "../support/in_page.js";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { until } from "../support/started.ts";
import { withDatabase } from "../support/test_stack.ts";
import { heading, holding, openAs, PHONE, SETTINGS, unexpected } from "./settings_page.ts";

/** When it is evening in this time zone, it is already the next day in UTC. */
const ZONE = "America/Sao_Paulo";
const HOUR = 3600_000;
const HOSTILE = '<img src=x onerror="throw 1">';
const ago = (hours: number) => new Date(Date.now() - hours * HOUR);

const failure = (code: number, reason = "recipient_unreachable") => ({
  failed_at: ago(1).toISOString(),
  failure: { reason, code, message: `Message undeliverable ${HOSTILE}`, details: null },
});

/** Creates a company with users. The company has sent 65 messages in the last two weeks. */
async function makeSender() {
  const company = await newCompany();
  const owner = await newPerson({ company: company.id, name: "Helena" });
  const agent = await newPerson({ company: company.id, role: "agent" });
  const phone = anyPhone();
  await withDatabase(async (sql) => {
    const conversationWith = async (name: string | null, phone: string) => {
      const [{ id }] = await sql`
        with contact as (
          insert into contacts ${sql({ company_id: company.id, name, phone })} returning id
        )
        insert into conversations (company_id, contact_id, messaging_account_id)
        select ${company.id}, id, ${company.account_id} from contact returning id
      `;
      return { id: company.id, conversation_id: id as string };
    };
    const ana = await conversationWith("Ana Conceição", phone);
    const others = await Promise.all(
      ["Rui Costa", HOSTILE, null].map((name) => conversationWith(name, anyPhone())),
    );
    const [{ id: key }] =
      await sql`select id from api_keys where company_id = ${company.id} limit 1`;
    const author = { author_type: "key", author_id: key, author_name: "Web shop" };
    const add = (of: typeof ana, hours: number, columns: SendColumns, message: MessageColumns) =>
      addSentMessage(
        sql,
        of,
        { idempotency_key: null, created_at: ago(hours), ...columns },
        { created_at: ago(hours), ...author, ...message },
      );
    for (let n = 0; n < 56; n++) {
      const read = { sent_at: ago(30), delivered_at: ago(30).toISOString() };
      await add(
        others[n % 3],
        30 + n * 5,
        {},
        n % 4 ? { ...read, read_at: read.delivered_at } : read,
      );
    }
    await add(ana, 20, { idempotency_key: "order-A-1" }, {
      ...{ sent_at: ago(19.9), content: "Olá Ana, o pedido A-1 saiu.", ...failure(131026) },
      rendered_text: "Olá Ana, o pedido *A-1* saiu para entrega.\nAté logo!",
    });
    const odd: [SendColumns, MessageColumns][] = [
      [{}, failure(131049)],
      [{}, failure(131049)],
      [{}, { expired_at: ago(1).toISOString() }],
      [
        { state: "failed", reason: "template_rejected", channel_code: 132001 },
        failure(132001, "template_rejected"),
      ],
      [{ state: "released", reason: "channel_account_error", channel_code: 190 }, {}],
      // Other tests run the job that ends every send whose lease has ended.
      [{ state: "pending", lease_ends_at: ago(-24) }, {}],
      [{}, {}],
      [{ template_name: null, language_code: null }, { delivered_at: ago(2).toISOString() }],
    ];
    for (const [place, [columns, message]] of odd.entries()) {
      await add(others[place % 3], 3 + place, columns, message);
    }
  });
  return { company, owner, agent, phone };
}

const textOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().innerText()).replace(/\s+/g, " ").trim();

Deno.test("the log of sends works in a browser", { ignore: CHROMIUM === null }, async (t) => {
  const test = t.step.bind(t);
  const { company, owner, agent, phone } = await makeSender();
  await using open = await openBrowser();
  const seen = new Set<string>();
  const window = await openAs(open.browser, owner, {
    ...{ timezoneId: ZONE, route: `#/c/${company.id}/sends` },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { page } = window;
  const rows = page.locator(".rows tbody tr");
  const shownLinks = async () =>
    await rows.locator("th a").evaluateAll((all) => all.map((link) => link.getAttribute("href")!));
  const idOf = (link: string) => link.split("/").at(-1)!;
  const judge = async (what: string) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      if (colorScheme === "light") assert.deepEqual(await axeFindings(page), [], what);
      assert.deepEqual(await axeFindingsOfLooks(page, seen), [], `${what} in ${colorScheme}`);
    }
    await page.setViewportSize(PHONE);
    assert.equal(await page.evaluate(widthOfPage), PHONE.width, `${what} is wider than a phone`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: "light" });
  };

  await test("a message that WhatsApp accepted but did not deliver counts as failed", async () => {
    await heading(page, "Sends").waitFor();
    await rows.first().waitFor();
    assert.equal(
      await textOf(page, "#sends-chart"),
      "65 sends in the last 30 days, 5 did not arrive",
    );
    const numbers = await page.locator(".legend a").evaluateAll((links) =>
      links.map((link) => link.getAttribute("aria-label"))
    );
    assert.deepEqual(numbers, [
      ...["Read: 42", "Delivered: 15", "On its way: 1", "In progress: 1"],
      ...["Not accepted: 1", "Refused: 1", "Expired: 1", "Failed: 3"],
    ]);
    const reasons = (await page.locator(".why-list li").allInnerTexts())
      .map((text) => text.replace(/\s+/g, " "));
    assert.deepEqual(reasons, [
      "3 Person cannot be reached Failed",
      "1 WhatsApp did not accept the content Refused",
      "1 WhatsApp refuses your number Not accepted",
    ]);
    await page.locator(".counts summary").click();
    await judge("the log");
  });

  await test("every number in the chart and its table links to the sends that it counts", async () => {
    const places = await page.locator("#main a[href*='sends?']").evaluateAll((links) =>
      links.map((link) => [link.getAttribute("href"), link.textContent!.trim()])
    );
    const chosen = places.filter(([, number]) => Number(number) <= 50).slice(0, 20);
    assert.ok(chosen.length > 12 && chosen.some(([href]) => href!.includes("day=")));
    for (const [href, number] of chosen) {
      const answer = page.waitForResponse(/list_company_sends/);
      await page.evaluate((hash) => location.hash = hash, href!);
      const { sends } = await (await answer).json();
      assert.equal(sends.length, Number(number), href!);
      const ids: string[] = sends.map(({ message_id }: { message_id: string }) => message_id);
      await until(async () => isDeepStrictEqual((await shownLinks()).map(idOf), ids));
    }
    await page.goto(`${SETTINGS}#/c/${company.id}/sends`);
  });

  await test("the button for older sends adds each older send once and focuses the first of them", async () => {
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByRole("status").getByText("15 older entries.").waitFor();
    assert.equal(await rows.count(), 65);
    assert.equal(await page.locator(".rows tbody tr:nth-child(51):focus").count(), 1);
    assert.equal(new Set(await shownLinks()).size, 65);
  });

  await test("the search finds a send by part of the phone number, and the send's page explains its failure and what to do", async () => {
    await page.getByLabel("Search").fill(phone.slice(-6));
    await page.keyboard.press("Enter");
    await page.locator("#log").getByText("What the filters find").waitFor();
    assert.match(
      await textOf(page, ".rows tbody tr"),
      /^Ana Conceição \+\d+ order_update en_US Failed No WhatsApp on this phone Web shop /,
    );
    await page.getByRole("link", { name: "Ana Conceição" }).click();
    await heading(page, "Message to Ana Conceição").waitFor();
    const steps = await page.locator(".timeline b").allInnerTexts();
    assert.deepEqual(steps, [
      "Requested",
      "Accepted by WhatsApp",
      "Sent to the phone",
      "Did not arrive",
    ]);
    const why = await textOf(page, ".timeline .bad");
    assert.match(why, /the number has no WhatsApp\..* Check the number with the person/);
    assert.ok(why.includes(`code 131026: Message undeliverable ${HOSTILE}`), why);
    assert.equal(
      await page.locator(".bubble").textContent(),
      "Olá Ana, o pedido *A-1* saiu para entrega.\nAté logo!",
    );
    assert.equal(await textOf(page, "#idempotency-key"), "order-A-1");
    await judge("a send");
  });

  await test("a colleague can open a shared link to a send, and an agent sees no API keys", async () => {
    const link = await textOf(page, "#send-link");
    const other = await openAs(open.browser, agent, { route: new URL(link).hash });
    await heading(other.page, "Message to Ana Conceição").waitFor();
    const text = await textOf(other.page, "main");
    assert.ok(!text.includes("Web shop") && !text.includes("order-A-1"), text);
    await other.page.getByRole("link", { name: "Sends", exact: true }).click();
    await other.page.locator(".rows").waitFor();
    assert.ok(!(await textOf(other.page, ".rows")).includes("Web shop"));
    // The first view for an agent is the log of sends.
    await other.page.goto("about:blank");
    await other.page.goto(SETTINGS);
    await heading(other.page, "Sends").waitFor();
    assert.deepEqual(unexpected(other), []);
    await other.context.close();
  });

  await test("the log is shown before the chart is loaded, and the button loads both again", async () => {
    const chart = await holding(page, /sends_by_outcome/);
    await page.goto("about:blank");
    await page.goto(`${SETTINGS}#/c/${company.id}/sends`);
    await rows.first().waitFor();
    assert.equal(await rows.count(), 50);
    assert.equal(await page.locator("main .loading").count(), 1);
    await chart.release();
    await page.locator("#sends-chart").waitFor();

    const again = await holding(page, /sends_by_outcome/);
    const log = page.waitForResponse(/list_company_sends/);
    const button = page.getByRole("button", { name: "Refresh" });
    await button.click();
    await (await log).finished();
    assert.ok(await button.isDisabled(), "the button waits for the chart");
    await again.release();
    await page.getByRole("status").getByText(/^Last refreshed: /).waitFor();
    assert.ok(await button.isEnabled());
  });

  await test("if the chart cannot be loaded, the log works, and the chart can be loaded again", async () => {
    await page.route(/sends_by_outcome/, (route) =>
      route.fulfill({
        ...{ status: 500, contentType: "application/json" },
        body: JSON.stringify({ code: "57014", message: "canceling statement" }),
      }));
    await page.goto("about:blank");
    await page.goto(`${SETTINGS}#/c/${company.id}/sends`);
    await rows.first().waitFor();
    assert.equal(await rows.count(), 50);
    await page.getByRole("alert").waitFor();
    await judge("the log without its chart");
    await page.unroute(/sends_by_outcome/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("#sends-chart").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    // Chromium also reports the refused request.
    assert.equal(window.troubles.splice(0).length, 1);
  });

  await test("if a company has very many sends, the chart says that it counts only the newest sends", async () => {
    const day = new Date(Date.now() - 3 * 24 * HOUR).toISOString().slice(0, 10);
    await page.route(/sends_by_outcome/, (route) => {
      assert.equal(route.request().postDataJSON().most, 100_000);
      return route.fulfill({ json: [{ day, outcome: "read", reason: null, sends: 100_000 }] });
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The newest 100,000 sends, all arrived").waitFor();
    const oldest = new Intl.DateTimeFormat("en", {
      ...{ day: "numeric", month: "long", timeZone: "UTC" },
    }).format(new Date(day));
    await page.getByText(
      `Only the newest 100,000 sends are counted. The oldest of them is from ${oldest}.`,
    ).waitFor();
    await judge("a chart of the newest sends");
    await page.unroute(/sends_by_outcome/);
  });

  await test("the log explains what to do next if a search has no match or the company has no sends", async () => {
    await page.goto(`${SETTINGS}#/c/${company.id}/sends?q=nobody`);
    await page.getByRole("heading", { name: "No send matches" }).waitFor();
    await judge("an empty search");
    const { id } = await newCompany();
    const owner = await newPerson({ company: id });
    const fresh = await openAs(open.browser, owner, { route: `#/c/${id}/sends` });
    await fresh.page.getByRole("heading", { name: "No sends yet" }).waitFor();
    assert.deepEqual(await axeFindings(fresh.page), []);
    await fresh.context.close();
  });

  assert.deepEqual(unexpected(window), []);
});
