// Tests in a browser how an owner manages webhooks on the settings page, from the first webhook to
// a failing receiver.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { Locator } from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { HAPPENINGS } from "../../settings/page/webhooks/webhook.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/webhooks/event.ts";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { ownWebhooks } from "../support/own_functions.ts";
import { newPerson, signIn } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { until } from "../support/started.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import { judgeOf } from "./looks.ts";
import { heading, openAs, openSettings, PHONE, signInAs, unexpected } from "./settings_page.ts";

/** A description that contains HTML. The page must show it as plain text. */
const HOSTILE = "<img src=x onerror=alert(1)> Shop";

/** A sandbox webhook receiver that only one test uses. */
function ownReceiver() {
  const url = `${stack.receiver_url}/test-${crypto.randomUUID()}`;
  return {
    url,
    /** The requests that the receiver has received, newest first. */
    got: async (): Promise<{ type: string; headers: Record<string, string>; body: string }[]> =>
      (await (await fetch(`${url}.json`)).json()).data,
    answer: async (behaviour: Record<string, unknown>) => {
      const told = await fetch(url, { method: "PUT", body: JSON.stringify(behaviour) });
      assert.equal(told.status, 200, await told.text());
    },
  };
}

Deno.test("the settings page knows every event type", () => {
  assert.deepEqual(HAPPENINGS, EVENT_TYPES);
});

Deno.test("a very long URL does not fill a phone screen, and the webhook's page shows all of it", {
  ignore: CHROMIUM === null,
}, async () => {
  const company = await newCompany();
  const owner = await newPerson({ company: company.id });
  const url = `https://shop.example.com/${"path".repeat(480)}/events`;
  const columns = { url, state: "off" as const, switched_off_at: new Date() };
  await withDatabase((sql) => addWebhook(sql, company, columns));
  await using open = await openBrowser();
  const route = `#/c/${company.id}/webhooks`;
  const window = await openAs(open.browser, owner, { route, viewport: PHONE });
  const { page } = window;
  const heightOf = async (element: Locator) => (await element.first().boundingBox())!.height;
  const link = page.locator(".webhooks h2 a");
  await link.waitFor();
  assert.ok(await heightOf(page.locator(".webhooks > li")) < 300);
  assert.ok(await heightOf(page.getByRole("region", { name: "Problems" })) < 200);
  assert.match(await link.innerText(), /^shop\.example\.com\/path.*….*\/events$/);
  await link.click();
  await page.getByText(url, { exact: true }).waitFor();
  assert.deepEqual(unexpected(window), []);
  await window.context.close();
});

Deno.test("an owner creates a webhook, sees events arrive, and handles a failing receiver", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const company = await newCompany();
  const owner = await newPerson({ company: company.id, name: "Olívia" });
  const shop = ownReceiver();
  const deliver = await ownWebhooks([new URL(stack.url).origin]);
  // A replay ends only after all earlier transactions have ended, including those of other tests.
  /** Delivers until a matching event has arrived after the first `before` events. */
  const delivered = (before: number, isMeant: (event: { type: string }) => boolean) =>
    until(async () => {
      await deliver(company.id);
      const got = await shop.got();
      return got.slice(0, got.length - before).some(isMeant);
    });
  await using open = await openBrowser();
  const window = await openAs(open.browser, owner, { route: `#/c/${company.id}/webhooks` });
  const { page } = window;
  const judge = judgeOf(page);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  let secret = "";

  await t.step(
    "if the company has no webhook, the view explains webhooks with an example",
    async () => {
      await page.getByText("No webhooks yet").waitFor();
      await page.getByText('"type": "deal.won"').waitFor();
      await judge("no webhook");
      await link("Create a webhook").click();
      await heading(page, "Create a webhook").waitFor();
    },
  );

  await t.step("a form with errors says what to enter, and why it refuses a URL", async () => {
    await button("Create a webhook").click();
    await page.getByText("Enter a whole address").waitFor();
    await page.getByText("Choose at least one event.").waitFor();
    await judge("a form with errors");
    await page.getByLabel("Address").fill("http://192.168.0.1/hook");
    await page.getByRole("checkbox", { name: /^Deals/ }).check();
    await button("Create a webhook").click();
    await page.getByText("The address must begin with https://").waitFor();
  });

  await t.step(
    "the page shows the secret of a new webhook once, and asks whether the secret is stored",
    async () => {
      await page.getByLabel("Address").fill(shop.url);
      await page.getByText("Only some").first().click();
      await page.getByRole("checkbox", { name: /contact\.created/ }).check();
      await page.getByLabel("Description").fill(HOSTILE);
      await judge("the webhook form");
      await button("Create a webhook").click();
      await heading(page, HOSTILE).waitFor();
      secret = (await page.locator("#new-secret").innerText()).trim();
      assert.match(secret, /^whsec_/);
      await judge("the webhook's secret");
      await link("Webhooks").click();
      await page.getByRole("dialog").waitFor();
      await button("Go back to the secret").click();
      await button("I have stored it").click();
      await page.locator("#new-secret").waitFor({ state: "detached" });
      await page.reload();
      await heading(page, HOSTILE).waitFor();
      assert.equal(await page.locator("#new-secret").count(), 0);
      const [stored] = await statement`
      select types, payload, created_by from webhooks where company_id = ${company.id}
    `;
      assert.deepEqual({ ...stored }, {
        ...{ types: ["contact.created", "deal.*"], payload: "full", created_by: owner.id },
      });
    },
  );

  await t.step("a test event arrives, and the page immediately shows the response", async () => {
    await button("Send a test event").click();
    await page.getByText("On its way…").waitFor();
    await deliver(company.id);
    const result = page.locator("#test-result");
    await result.getByText("The receiver answered 200").waitFor();
    const [{ type, headers, body }] = await shop.got();
    assert.equal(type, "webhook.test");
    new Webhook(secret).verify(body, headers);
    await judge("a test event");
  });

  const [{ id: webhook_id }] = await statement`
    select id from webhooks where company_id = ${company.id}
  `;

  await t.step("the event of a won deal is delivered, and the log shows it", async () => {
    await statement`
      update deals set status = 'won' where company_id = ${company.id} and id = ${company.deal_id}
    `;
    await deliver(company.id);
    assert.deepEqual((await shop.got()).map(({ type }) => type).sort(), [
      ...["deal.won", "webhook.test"],
    ]);
    await button("Refresh").click();
    const row = page.locator(".deliveries ol.card > li").filter({ hasText: "Deals: won" });
    await row.getByText("Delivered").waitFor();
    await row.locator("summary").click();
    await row.getByText("The receiver answered 200").waitFor();
    await judge("the delivery log");
    await row.getByRole("button", { name: "Deliver again" }).click();
    await page.getByText("It will be delivered in a moment.").waitFor();
    await deliver(company.id);
    assert.equal((await shop.got()).filter(({ type }) => type === "deal.won").length, 2);
    await page.getByLabel("Event", { exact: true }).selectOption("deal.*");
    await page.waitForURL(/type=deal/);
    await page.locator(".deliveries ol.card > li").nth(2).waitFor({ state: "detached" });
    await link("Clear filters").click();
  });

  await t.step("during a rotation, deliveries are signed with both secrets", async () => {
    await button("New secret").click();
    await judge("the confirmation dialog for a new secret");
    await button("Make a new secret").click();
    const fresh = (await page.locator("#new-secret").innerText()).trim();
    assert.notEqual(fresh, secret);
    await button("I have stored it").click();
    await page.getByText("also signs until").waitFor();
    await button("Send a test event").click();
    await page.getByText("On its way…").waitFor();
    await deliver(company.id);
    const [{ headers, body }] = await shop.got();
    for (const each of [secret, fresh]) new Webhook(each).verify(body, headers);
  });

  await t.step(
    "for a failing receiver, the page shows the response and explains what to do",
    async () => {
      await shop.answer({ status: 503 });
      await button("Send a test event").click();
      await page.getByText("On its way…").waitFor();
      await deliver(company.id);
      await page.locator("#test-result").getByText("The receiver answered 503").waitFor();
      await page.getByText("Look into the log of your program").first().waitFor();
      await page.reload();
      await page.getByText("Failing", { exact: true }).waitFor();
      await judge("a failing receiver");
    },
  );

  await t.step(
    "every view shows that a webhook was switched off, and switching it on can also deliver the missed events",
    async () => {
      await statement`select app.switch_off_webhook(${webhook_id}, 'failing')`;
      await statement`
        update deals set status = 'lost' where company_id = ${company.id} and id = ${company.deal_id}
      `;
      await page.getByRole("link", { name: "API keys", exact: true }).click();
      await page.getByText("is off. Nothing is delivered.").waitFor();
      await judge("a switched-off webhook on another view");
      await page.getByRole("link", { name: "See what to do" }).click();
      await page.getByText("The receiver accepted nothing for three days").waitFor();
      await judge("a webhook that is switched off");
      await shop.answer({ status: 200 });
      const before = (await shop.got()).length;
      await button("Switch on").click();
      await page.getByLabel(/Also deliver what it has missed/).waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Switch on" }).click();
      await page.getByText("The webhook is on.").waitFor();
      await page.getByText("On", { exact: true }).waitFor();
      await delivered(before, ({ type }) => type === "deal.lost");
      // While this replay runs, the page refuses another one.
      await until(async () => {
        await deliver(company.id);
        const replays = await statement`select from app.replays where webhook_id = ${webhook_id}`;
        return replays.length === 0;
      });
    },
  );

  await t.step("a replay delivers a day's events again", async () => {
    const before = (await shop.got()).length;
    await button("Deliver again…").click();
    await judge("the confirmation dialog for a replay");
    await page.getByLabel("Which events").selectOption("deal.*");
    await button("Deliver again").last().click();
    await page.getByText("The events will be delivered again").waitFor();
    await delivered(before, ({ type }) => type === "deal.won");
  });

  await t.step("a webhook is paused, changed and resumed", async () => {
    await button("Pause").first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByText("The webhook is paused.").waitFor();
    await page.getByText("Events wait until then.").waitFor();
    await link("Change the webhook").click();
    await page.getByLabel("Description").fill("Web shop");
    await page.getByRole("radio", { name: /Only ids/ }).check();
    await button("Save").click();
    await heading(page, "Web shop").waitFor();
    await button("Switch on").click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch on" }).click();
    await page.getByText("The webhook is on.").waitFor();
    await link("All webhooks").click();
    await page.getByRole("link", { name: "Web shop" }).waitFor();
    await judge("the list of webhooks");
  });

  await t.step(
    "a webhook is deleted, and the history lists every change to the webhook",
    async () => {
      await page.getByRole("link", { name: "Web shop" }).click();
      await button("Delete").click();
      await judge("the confirmation dialog for a deletion");
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("No webhooks yet").waitFor();
      await link("History").click();
      const entries = page.locator(".history > li");
      await entries.first().waitFor();
      const deeds = await entries.locator("b").allInnerTexts();
      assert.deepEqual(deeds.filter((deed) => deed.startsWith("Webhook")), [
        ...["Webhook deleted", "Webhook switched on", "Webhook changed", "Webhook paused"],
        ...["Webhook switched on", "Webhook switched off", "Webhook’s secret replaced"],
        "Webhook created",
      ]);
    },
  );
  assert.deepEqual(unexpected(window), []);
  await window.context.close();

  await t.step("an agent sees no webhooks, and cannot read them through the Data API", async () => {
    const agent = await newPerson({ company: company.id, role: "agent" });
    const { page, context } = await openSettings(open.browser, {
      route: `#/c/${company.id}/webhooks`,
    });
    await signInAs(page, agent);
    await page.getByText("Owners and admins manage webhooks.").waitFor();
    assert.equal(await page.getByRole("link", { name: "Webhooks" }).count(), 0);
    const { client } = await signIn(agent);
    const asked = { company_id: company.id };
    assert.equal((await client.rpc("list_webhooks", asked)).status, 403);
    assert.deepEqual((await client.rpc("webhook_troubles", asked)).data, []);
    await context.close();
  });
});
