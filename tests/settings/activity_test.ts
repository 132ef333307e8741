// Tests the history of API keys and accounts in a browser.
import assert from "node:assert/strict";
import type { Page } from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { axeFindings, axeFindingsOfLooks, openBrowser, openWindow } from "../support/browser.ts";
import { copiedText, widthOfPage } from "../support/in_page.js";
import { connectAccount, newCompany } from "../support/company.ts";
import { newPerson, type SignedUp, signIn } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { PHONE, SETTINGS, unexpected, waitLong } from "./settings_page.ts";

/**
 * The time zone of this test, and the number of hours by which the zone is behind UTC. The zone has
 * no summer time. An evening in this zone is already the next day in UTC. The test must not run at
 * midnight of its zone. In São Paulo, midnight is at 03:00 UTC. From 02:00 to 04:00 UTC, the test
 * therefore uses the time zone of Phoenix.
 */
const [ZONE, HOURS] = [2, 3].includes(new Date().getUTCHours())
  ? ["America/Phoenix", 7]
  : ["America/Sao_Paulo", 3];
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/** 22:00 in ZONE this many days ago, or 00:00 for today. */
function evening(ago: number): Date {
  const day = new Date(Date.now() - HOURS * HOUR - ago * DAY).toISOString().slice(0, 10);
  return new Date(`${day}T${ago === 0 ? "00" : "22"}:00-0${HOURS}:00`);
}

/** The date of a moment in ZONE, such as "November 20". */
function dayOf(moment: Date, month: "long" | "short"): string {
  return new Intl.DateTimeFormat("en-US", { month, day: "numeric", timeZone: ZONE }).format(moment);
}

/**
 * Creates a company with an owner and an agent. The company's API keys have requests with every
 * kind of result.
 */
async function makeBusyCompany() {
  const company = await newCompany();
  const [owner, agent] = await Promise.all([
    newPerson({ company: company.id, role: "owner", name: "Helena" }),
    newPerson({ company: company.id, role: "agent" }),
  ]);
  return await withDatabase(async (sql) => {
    const key = async (name: string, usage: [number, number, number][]) => {
      const hash = Array.from(
        crypto.getRandomValues(new Uint8Array(32)),
        (byte) => byte.toString(16).padStart(2, "0"),
      ).join("");
      const row = { company_id: company.id, name, key_hash: hash, hint: "x7Qa", scopes: ["read"] };
      const [{ id }] = await sql`insert into api_keys ${sql(row)} returning id`;
      for (const [ago, status, requests] of usage) {
        const counted = {
          company_id: company.id,
          key_id: id,
          hour: evening(ago),
          status,
          requests,
        };
        await sql`insert into api_key_usage ${sql(counted)}`;
      }
      return id as string;
    };
    const keys = {
      usual: await key("ERP", [[0, 200, 40], [3, 200, 900], [3, 201, 61], [3, 422, 25], [
        29,
        429,
        2,
      ], [30, 200, 7]]),
      unused: await key("Unused", []),
      young: await key("Young", [[0, 200, 1]]),
      large: await key("Large", [[0, 200, 9_999_996], [0, 404, 1], [0, 503, 3], [
        1,
        200,
        8_000_000,
      ]]),
      storm: await key("Storm", [[3, 200, 120], [2, 503, 8004]]),
    };
    const errors = Array.from({ length: 6 }, (_, index) => {
      const at = new Date(evening(2).getTime() + 30 * 60_000 + 15_000 - index * 1000);
      return {
        ...{
          company_id: company.id,
          key_id: keys.storm,
          status: 503,
          code: "database_unavailable",
        },
        ...{
          method: "GET",
          ...index > 0 && { operation: "listContacts", path: "/gateway/contacts" },
        },
        ...{ problem: `Problem ${index}`, errors: 8004, first_at: at, last_at: at },
        requests: sql.json([{ id: `request-${index}`, at: at.toISOString() }]),
      };
    });
    for (const error of errors) await sql`insert into api_key_errors ${sql(error)}`;
    return { company, keys, owner, agent };
  });
}

/** Signs a user in. Returns the session in the format in which the page stores it. */
async function sessionOf(person: SignedUp): Promise<string> {
  const { data } = await (await signIn(person)).client.auth.getSession();
  return JSON.stringify(data.session);
}

/** The text of an element, with consecutive whitespace reduced to one space. */
async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().innerText()).replace(/\s+/g, " ").trim();
}

/** Asserts that the chart of requests has this title. */
async function assertTitle(page: Page, title: string) {
  assert.equal(await textOf(page, "#requests"), title);
}

Deno.test("the history page works in a browser", { ignore: CHROMIUM === null }, async (t) => {
  const test = t.step.bind(t);
  const { company, keys, owner, agent } = await makeBusyCompany();
  await using open = await openBrowser();
  const sessions = { owner: await sessionOf(owner), agent: await sessionOf(agent) };
  const windows: Awaited<ReturnType<typeof openWindow>>[] = [];

  /** A browser window in which this user is signed in. */
  const windowOf = async (who: "owner" | "agent", more: Parameters<typeof openWindow>[2] = {}) => {
    const options = { locale: "en-US", timezoneId: ZONE, ...more };
    const window = await openWindow(open.browser, stack.url, options);
    await window.context.addInitScript(
      (session: string) => localStorage.setItem("settings.session", session),
      sessions[who],
    );
    await waitLong(window.context);
    windows.push(window);
    return window;
  };
  const go = async (page: Page, route: string, ready: string) => {
    await page.goto(`${SETTINGS}#/${route}`);
    await page.locator(ready).first().waitFor();
  };

  const { page, context } = await windowOf("owner", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const seen = new Set<string>();

  await test("the chart uses the user's time zone, its title shows the main number, and its legend and table show all numbers", async () => {
    await go(page, `keys/${keys.usual}`, "#requests");
    await assertTitle(page, "1,028 requests in the last 30 days, 27 of them refused");
    const legend = await page.locator(".legend li").allInnerTexts();
    const counted = legend.map((text) => text.replace(/\s+/g, " ").split(/ [245]xx/)[0].trim());
    assert.deepEqual(counted, ["Succeeded 1,001 97.4%", "Refused 27 2.6%", "Failed 0"]);
    const plot = page.getByRole("img", { name: "1,028 requests" });
    assert.match(await plot.getAttribute("aria-label") ?? "", /The most on one day: 986, on /);
    assert.equal(await plot.locator("g").count(), 30);
    assert.equal(await plot.locator(".peak").textContent(), "986");
    assert.match(
      await plot.locator("g").nth(26).locator("title").textContent() ?? "",
      new RegExp(`^${dayOf(evening(3), "long")}: 986\nSucceeded: 961\nRefused: 25$`),
    );
    const summary = page.getByText("The numbers: requests by day and by status");
    await summary.focus();
    await page.keyboard.press("Enter");
    const rows = await page.locator(".counts tr").allInnerTexts();
    const cells = rows.map((row) => row.split("\t").slice(1).join(" "));
    assert.equal(rows.length, 32);
    assert.equal(cells[0], "All 200 201 422 429");
    assert.equal(cells[1], "40 40 0 0 0");
    assert.equal(cells[4], "986 900 61 25 0");
    assert.equal(cells[31], "1,028 940 61 25 2");
    assert.match(await textOf(page, ".reading"), /in your time zone\..* Last refreshed: \d/);
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(await axeFindingsOfLooks(page, seen), []);
  });

  await test("a button reloads the history", async () => {
    await statement`
      update api_key_usage set requests = 45 where key_id = ${keys.usual} and hour = ${evening(0)}
    `;
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("1,033 requests in the last 30 days").waitFor();
    assert.match(await textOf(page, "[role=status]"), /^Last refreshed: /);
    await context.setOffline(true);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("alert").getByText("Check your connection, then try again.").waitFor();
    await context.setOffline(false);
    await page.getByText("1,033 requests in the last 30 days").waitFor();
  });

  await test("the chart is correct for a key with no request, one request, millions of requests or many errors", async () => {
    await go(page, `keys/${keys.unused}`, "#requests");
    await assertTitle(page, "No request in the last 30 days");
    assert.equal(await page.locator("[role=img], .counts, .legend").count(), 0);
    await page.getByText("No error in the last 30 days.").waitFor();

    await go(page, `keys/${keys.young}`, "#requests");
    await assertTitle(page, "1 request in the last 30 days, none refused or failed");

    await go(page, `keys/${keys.large}`, "#requests");
    await assertTitle(page, "18,000,000 requests in the last 30 days, 3 of them failed");
    assert.deepEqual(await page.locator(".axis text").allTextContents(), ["0", "5M", "10M"]);
    // Even three failures among ten million requests are visible in the chart.
    const shown = await page.locator("g:last-of-type rect:not(.place)").evaluateAll((parts) =>
      parts.map((part) => ["class", "height", "fill"].map((name) => part.getAttribute(name)))
    );
    // In the chart, each kind of result has its own pattern and colour.
    assert.deepEqual(shown, [
      ["succeeded", "144", null],
      ["refused", "3", "url(#requests-refused)"],
      ["failed", "3", "url(#requests-failed)"],
    ]);
    const patterns = page.locator("pattern#requests-refused, pattern#requests-failed");
    assert.equal(await patterns.count(), 2);

    await go(page, `keys/${keys.storm}`, "#requests");
    await assertTitle(page, "8,124 requests in the last 30 days, 8,004 of them failed");
  });

  await test("a key's page shows the latest errors of the key, and the user can copy the request ids of these errors", async () => {
    const first = page.locator(".errors > li").first();
    await first.getByText("The request id").click();
    assert.match(
      (await first.innerText()).replace(/\s+/g, " "),
      new RegExp(
        `^503 Problem 0 GET no such path 8,004 times, .* ${
          dayOf(evening(2), "short")
        }, 10:30:15 PM request-0 Copy$`,
      ),
    );
    await first.getByRole("button", { name: "Copy the request id request-0" }).click();
    await page.getByRole("status").getByText("Copied.").waitFor();
    assert.equal(await page.evaluate(copiedText), "request-0");
    assert.equal(await page.locator(".errors > li").count(), 5);
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(await axeFindingsOfLooks(page, seen), []);
    await page.getByRole("link", { name: "All errors of this key" }).click();
    await page.locator(".errors > li").nth(5).waitFor();
  });

  await test("each account shows its state, its templates and the channel's notices", async () => {
    await withDatabase(async (sql) => {
      const notice = { company_id: company.id, account_id: company.account_id, value: {} };
      await sql`insert into account_notices ${
        sql({
          ...{ ...notice, kind: "event", event: "ACCOUNT_RESTRICTION", stops_sending: true },
          ...{ happened_at: new Date(), until: new Date(Date.now() + DAY) },
        })
      }`;
      await connectAccount(sql, company.id, { display_phone: "+15550177" });
    });
    await go(page, "accounts", ".accounts");
    const account = page.getByRole("article", { name: "+15550100" });
    const text = (await account.innerText()).replace(/\s+/g, " ");
    assert.match(
      text,
      /^\+15550100 Sends are stopped What WhatsApp reports about this number WhatsApp limits the account Since /,
    );
    assert.match(text, /Sends are stopped or limited\. WhatsApp limits what the account may send/);
    assert.match(text, /Restrictions WhatsApp limits this account Until /);
    assert.match(text, /Replies and reports Do not arrive/);
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(await axeFindingsOfLooks(page, seen), []);
  });

  await test("the pages of the history contain each entry exactly once", async () => {
    await withDatabase(async (sql) => {
      await sql`delete from company_events where company_id = ${company.id}`;
      // Many entries have the same time, so they are ordered by id.
      const events = Array.from({ length: 120 }, (_, index) => ({
        ...{
          company_id: company.id,
          key_id: keys.usual,
          key_name: `Key ${index}`,
          key_hint: "x7Qa",
        },
        ...{ action: "switched_off", actor_kind: "person", actor_name: "Helena" },
        ...{ client_address: "203.0.113.5", created_at: "2026-11-20T12:00:00.123456Z" },
      }));
      await sql`insert into company_events ${sql(events)}`;
      const other = {
        company_id: company.id,
        key_id: keys.usual,
        key_name: "New name",
        key_hint: "x7Qa",
      };
      await sql`insert into company_events ${
        sql({
          ...other,
          action: "renamed",
          details: sql.json({ from: "ERP", to: "New name" }),
          actor_kind: "platform",
        })
      }`;
    });
    await go(page, "history", ".history");
    const entries = page.locator(".history > li");
    assert.match(
      (await entries.nth(0).innerText()).replace(/\s+/g, " "),
      /^Key renamed New name sk_live_…x7Qa From “ERP” to “New name” The operator of this service · /,
    );
    assert.equal(
      (await entries.nth(1).innerText()).replace(/\s+/g, " ").replace(/Key \d+/, "Key"),
      `Key switched off Key sk_live_…x7Qa Helena · Nov 20, 2026, ${12 - HOURS}:00 AM · ` +
        "from 203.0.113.5",
    );
    assert.equal(await entries.count(), 50);
    const older = page.getByRole("button", { name: "Older", exact: true });
    await older.click();
    await page.getByText("50 older entries.").waitFor();
    // The focus moves to the first of the older entries.
    assert.equal(await page.locator(".history > li:nth-child(51):focus").count(), 1);
    assert.deepEqual(await axeFindings(page), []);
    await older.click();
    await page.getByText("21 older entries.").waitFor();
    assert.equal(await older.count(), 0);
    const names = await page.locator(".history .subject bdi").allInnerTexts();
    assert.equal(new Set(names).size, 121);
    assert.equal(names.length, 121);
  });

  await test("if a user takes another user's name, the history still shows which of them made a change", async () => {
    const bob = await newPerson({ company: company.id, role: "admin", name: "Bob" });
    const { client } = await signIn(bob);
    const rename = (name: string) =>
      client.from("company_members").update({ name }).eq("user_id", bob.id).throwOnError();
    await statement`delete from company_events where company_id = ${company.id} and member_id is null`;
    await rename("Helena");
    await client.rpc("create_api_key", { name: "Mine", scopes: ["read"] }).throwOnError();
    await rename("Bob");
    const asOwner = (await signIn(owner)).client;
    await asOwner.rpc("create_api_key", { name: "Hers", scopes: ["read"] }).throwOnError();
    await withDatabase(async (sql) => {
      await sql`update company_members set role = 'agent' where user_id = ${bob.id}`;
    });
    /** The entries as the page shows them, newest first, without times and IP addresses. */
    const read = async () => {
      await go(page, "history", ".history");
      const texts = await page.locator(".history > li").allInnerTexts();
      return texts.slice(0, 6).map((text) =>
        text.replace(/\s+/g, " ").replace(/ · .*/, "").replace(/…[\w-]{4}/, "…")
      );
    };
    const [code, ofOwner] = [bob, owner].map(({ id }) => id.slice(0, 8));
    await page.reload();
    assert.deepEqual(await read(), [
      `Role changed Bob ${code} From admin to agent Someone with access to the database`,
      `Key created Hers sk_live_… Permissions: Read Helena (you) ${ofOwner}`,
      `Person renamed Bob ${code} From “Helena” to “Bob” Bob (called “Helena” then) ${code}`,
      `Key created Mine sk_live_… Permissions: Read Bob (called “Helena” then) ${code}`,
      `Person renamed Bob (called “Helena” then) ${code} From “Bob” to “Helena” Bob ${code}`,
      `Person added Bob ${code} Role: admin Someone with access to the database`,
    ]);
    assert.equal(await page.locator("code[title]").first().getAttribute("title"), bob.id);
    assert.deepEqual(await axeFindings(page), []);
    await withDatabase((sql) => sql`delete from company_members where user_id = ${bob.id}`);
    await page.reload();
    assert.equal(
      (await read())[4],
      "Key created Mine sk_live_… Permissions: Read " +
        `Helena (no longer in the company) ${code}`,
    );
  });

  await test("the history is complete on a phone screen, in dark mode and in two languages", async () => {
    const window = await windowOf("owner", {
      ...{ viewport: PHONE, colorScheme: "dark", locale: "pt-BR" },
    });
    const dark = new Set<string>();
    const places = [[`keys/${keys.large}`, "#requests"], [`keys/${keys.storm}`, "#errors"], [
      "accounts",
      ".accounts",
    ], ["history", ".history"]];
    for (const [route, ready] of places) {
      await go(window.page, route, ready);
      for (const summary of await window.page.locator("main summary").all()) {
        await summary.click();
      }
      assert.ok(await window.page.evaluate(widthOfPage) <= PHONE.width, route);
      assert.deepEqual(await axeFindingsOfLooks(window.page, dark), [], route);
    }
    await go(window.page, `keys/${keys.storm}`, "#requests");
    await assertTitle(
      window.page,
      "8.124 requisições nos últimos 30 dias, das quais 8.004 com falha",
    );
    await window.context.close();
    const spanish = await windowOf("owner", { locale: "es" });
    await go(spanish.page, `keys/${keys.storm}`, "#requests");
    await assertTitle(
      spanish.page,
      "8124 solicitudes en los últimos 30 días, de ellas 8004 fallidas",
    );
    await spanish.context.close();
  });

  await test("an agent sees the accounts, and the pages say that owners and admins can do more", async () => {
    const window = await windowOf("agent");
    await go(window.page, "accounts", ".accounts");
    await window.page.getByText("Owners and admins connect and disconnect numbers.").waitFor();
    assert.equal(await window.page.getByRole("button", { name: /^Disconnect/ }).count(), 0);
    await go(window.page, "history", "main > p");
    await window.page.getByText("Owners and admins see the history.").waitFor();
  });

  await test("the pages had no errors and sent no request to another host", async () => {
    assert.deepEqual(windows.flatMap(unexpected), []);
    await context.close();
  });
});
