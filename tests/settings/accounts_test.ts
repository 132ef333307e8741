// Tests in a browser how an owner connects a phone number, sees that WhatsApp refuses it, and
// disconnects it. The stack's sandbox replaces WhatsApp.
import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { judgeOf } from "./looks.ts";
import { heading, openAs, unexpected } from "./settings_page.ts";

const NUMBER = `77${Date.now() % 1_000_000_000}`;

Deno.test(
  "an owner connects a phone number, sees that WhatsApp refuses the number, and disconnects it",
  {
    ignore: CHROMIUM === null || stack.sandbox_url === null,
  },
  async (t) => {
    const company = await newCompany();
    const [owner, agent] = await Promise.all([
      newPerson({ company: company.id, name: "Olívia" }),
      newPerson({ company: company.id, role: "agent" }),
    ]);
    await statement`delete from messages where company_id = ${company.id}`;
    await statement`delete from conversations where company_id = ${company.id}`;
    await statement`delete from messaging_accounts where company_id = ${company.id}`;
    await using open = await openBrowser();
    const window = await openAs(open.browser, owner);
    const { page } = window;
    const judge = judgeOf(page);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const alert = page.getByRole("alert");
    await heading(page, "API keys").waitFor();
    await page.getByRole("link", { name: "WhatsApp", exact: true }).click();

    await t.step("the page of a company without a phone number explains what to do", async () => {
      await page.getByText("No number is connected yet").waitFor();
      await page.getByRole("heading", { name: "Apps of your company" }).waitFor();
      await judge("no number");
    });

    await t.step(
      "the page highlights an invalid field and reports that WhatsApp refuses a token",
      async () => {
        await page.getByRole("link", { name: "Connect a number" }).click();
        await heading(page, "Connect a number").waitFor();
        await page.getByLabel("Phone number id").fill("+55 11 98765-4321");
        await button("Check and connect").click();
        assert.equal(await page.evaluate("document.activeElement.id"), "number");
        await page.getByLabel("Phone number id").fill(NUMBER);
        await page.getByLabel("Access token").fill("a-wrong-token");
        await button("Check and connect").click();
        await alert.getByText("WhatsApp does not accept this token").waitFor();
        assert.equal(await page.getByLabel("Phone number id").inputValue(), NUMBER);
        await judge("a refused token");
        const rows = await statement`
      select from messaging_accounts where company_id = ${company.id}
    `;
        assert.equal(rows.length, 0);
      },
    );

    await t.step(
      "a valid token connects the phone number, and the page shows the number's health",
      async () => {
        await page.getByLabel("Access token").fill(SANDBOX_TOKEN);
        await button("Check and connect").click();
        await page.getByText(" is connected.").waitFor();
        await heading(page, "WhatsApp").waitFor();
        const health = await page.locator(".health").innerText();
        for (const part of ["Access token", "Restrictions", "Quality", "Messaging limit"]) {
          assert.ok(health.includes(part), health);
        }
        assert.match(health, /High/);
        assert.ok(
          !(await page.content()).includes(SANDBOX_TOKEN),
          "the page does not contain the token",
        );
        await judge("a number");
      },
    );

    const [{ id, display_phone: phone }] = await statement`
    select id, display_phone from messaging_accounts where company_id = ${company.id}
  `;

    await t.step(
      "every view shows that WhatsApp refuses the number, and the number's card explains what to do",
      async () => {
        await withDatabase(async (sql) => {
          for (const event of ["190", "190", "131042"]) {
            await sql`select app.note_refusal(${id}, 'refusal', ${event}, 1)`;
          }
          await sql`select app.note_refusal(${id}, 'reported_refusal', '368', 1)`;
        });
        await page.goto("about:blank");
        await page.goBack();
        await page.getByText("The payment at Meta failed").waitFor();
        await page.getByText("2 sends were stopped.").waitFor();
        await page.getByText("Sends are stopped", { exact: true }).waitFor();
        const stopped = page.locator('a[href*="outcome=failed&reason=channel_account_error"]');
        assert.equal(await stopped.innerText(), "1 send was stopped.");
        await judge("a refused number");
        await page.getByRole("link", { name: "API keys", exact: true }).click();
        await heading(page, "API keys").waitFor();
        await page.getByRole("link", { name: "See what to do" }).click();
        await heading(page, "WhatsApp").waitFor();
      },
    );

    await t.step("a new token removes the notice that WhatsApp refused the old token", async () => {
      await page.getByRole("link", { name: `Enter a new token for ${phone}` }).click();
      await heading(page, `Enter a new token for ${phone}`).waitFor();
      assert.equal(await page.getByLabel("Phone number id").inputValue(), NUMBER);
      await page.getByLabel("Access token").fill(SANDBOX_TOKEN);
      await button("Check and connect").click();
      await page.getByText("has the new token.").waitFor();
      await page.getByText("The payment at Meta failed").waitFor();
      assert.equal(await page.getByText("WhatsApp refuses the access token").count(), 0);
    });

    await t.step("a phone number is disconnected only after the user has typed it", async () => {
      await button(`Disconnect ${phone}`).click();
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      assert.equal(await page.evaluate("document.activeElement.id"), "typed");
      await judge("the confirmation dialog of a phone number");
      await page.keyboard.type("123");
      await page.keyboard.press("Enter");
      await dialog.getByText("This is not the number").waitFor();
      await dialog.getByRole("textbox").fill(phone.replace(/(\d{3})/g, "$1 "));
      await page.keyboard.press("Enter");
      await page.getByText(" is disconnected.").waitFor();
      await page.getByRole("link", { name: `Connect again: ${phone}` }).waitFor();
      await judge("a disconnected number");
      const events = await statement`
      select action, actor_id from company_events where account_id = ${id} order by created_at
    `;
      assert.deepEqual([...events], [
        ...["account_connected", "account_token_replaced", "account_disconnected"].map((
          action,
        ) => ({
          ...{ action, actor_id: owner.id },
        })),
      ]);
    });

    await t.step(
      "the page shows the webhook URL for Meta, but never an app's secrets",
      async () => {
        await button("Add an app").click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Name").fill(`Ours <img src=x onerror="document.title='taken'">`);
        await dialog.getByLabel("App secret").fill("short");
        await dialog.getByRole("button", { name: "Add an app" }).click();
        await dialog.getByText("Enter 8 to 255 characters").first().waitFor();
        await dialog.getByLabel("App secret").fill("0123456789abcdef");
        await dialog.getByLabel("Verify token").fill("verify-token-42");
        await judge("a new app");
        await dialog.getByRole("button", { name: "Add an app" }).click();
        await page.locator(".app code").getByText("/functions/v1/whatsapp/webhook/").waitFor();
        assert.ok(!(await page.content()).includes("0123456789abcdef"));
        await judge("an app");
      },
    );

    await t.step("an agent sees the phone number, but cannot change anything", async () => {
      const other = await openAs(open.browser, agent);
      await other.page.getByRole("link", { name: "WhatsApp", exact: true }).click();
      await other.page.getByText(phone).first().waitFor();
      for (const name of ["Disconnect", "Connect", "Apps of your company"]) {
        assert.equal(await other.page.getByRole("button", { name }).count(), 0);
        assert.equal(await other.page.getByRole("link", { name }).count(), 0);
      }
      assert.deepEqual(unexpected(other), []);
    });

    assert.deepEqual(unexpected(window), []);
  },
);
