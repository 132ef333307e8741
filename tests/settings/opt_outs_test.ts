// Tests in a browser how a user reads the list of opt-outs and lifts an opt-out.
import assert from "node:assert/strict";
import { tell } from "../database/inbound.ts";
import { openBrowser } from "../support/browser.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { withDatabase } from "../support/test_stack.ts";
import { judgeOf } from "./looks.ts";
import { heading, openAs, unexpected } from "./settings_page.ts";

const HOSTILE = `<img src=x onerror="document.title='taken'"> ${"w".repeat(80)}`;

Deno.test("an agent sees a contact's opt-out, and lifts it with a reason", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const company = await newCompany();
  const agent = await newPerson({ company: company.id, role: "agent", name: "Teresa" });
  await using open = await openBrowser();
  const window = await openAs(open.browser, agent);
  const { page } = window;
  const judge = judgeOf(page);
  const rows = page.locator(".rows tbody tr");
  await page.getByRole("link", { name: "Opt-outs" }).click();

  await t.step("if a company has no opt-outs, the view explains the empty list", async () => {
    await heading(page, "Opt-outs").waitFor();
    await page.getByText("No one has opted out").waitFor();
    await judge("no opt-outs");
  });

  await t.step(
    "the list shows the contact, the message and the time, and renders all values as plain text",
    async () => {
      await withDatabase(async (sql) => {
        const say = (content: string, name: string, seconds: number, rest = {}) =>
          tell(sql, company.account_id, {
            ...{
              kind: "message",
              at: new Date(Date.now() - seconds * 1000).toISOString(),
              content,
            },
            ...{ person: { phone: anyPhone(), name }, ...rest },
          });
        await say(`PARE ${HOSTILE}`, HOSTILE, 60, { word: "stop" });
        await say("Chega de ofertas", "Ana", 120, { word: "stop_promotions", type: "button" });
      });
      await page.reload();
      await rows.first().waitFor();
      const texts = await rows.allInnerTexts();
      assert.equal(texts.length, 2);
      assert.ok(texts[0].includes(HOSTILE) && texts[0].includes("No messages"), texts[0]);
      assert.match(texts[1], /Ana[^]*No marketing[^]*Tapped\s“?Chega de ofertas/);
      await judge("the opt-outs");
      assert.match(await page.title(), /^Opt-outs/);
    },
  );

  await t.step("a filter is part of the URL and remains after a reload", async () => {
    await page.getByLabel("Find a person").fill("an");
    await page.keyboard.press("Enter");
    await page.waitForURL(/opt-outs\?q=an$/);
    await rows.nth(1).waitFor({ state: "detached" });
    await page.reload();
    await rows.first().waitFor();
    assert.match((await rows.allInnerTexts()).join(), /^[^<]*Ana[^<]*$/);
  });

  await t.step("lifting an opt-out requires a reason, which is stored", async () => {
    const lift = page.getByRole("button", { name: "Lift the opt-out of Ana" });
    await lift.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Lift" }).click();
    await dialog.getByText("Write down why you lift the opt-out.").waitFor();
    await judge("the question");
    await dialog.getByLabel("Reason").fill("Asked at the counter");
    await page.keyboard.press("Enter");
    await page.getByText("No opt-out matches").waitFor();
    await page.getByLabel("Show").selectOption("lifted");
    await page.getByText("Asked at the counter").waitFor();
    assert.match((await rows.allInnerTexts()).join(), /Ana[^]*No marketing[^]*Teresa/);
    await judge("the lifted opt-outs");
  });

  await t.step("an opt-out cannot be lifted if the contact has since opted out again", async () => {
    await page.getByLabel("Show").selectOption("");
    await page.getByRole("button", { name: /^Lift the opt-out/ }).click();
    await withDatabase(async (sql) => {
      await sql`
        update contacts set stop_word_at = now() where company_id = ${company.id} and do_not_contact
      `;
    });
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("Old news");
    await dialog.getByRole("button", { name: "Lift" }).click();
    await dialog.getByText("Someone else has just changed this.").waitFor();
    assert.deepEqual(unexpected(window), []);
  });
});
