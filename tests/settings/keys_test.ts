// Tests in a browser how owners and admins manage a company's API keys.
import assert from "node:assert/strict";
import { copiedText } from "../support/in_page.js";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { companyWithTemplates } from "../support/known_templates.ts";
import { newPerson, signIn } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import {
  gatewayStatus,
  heading,
  openAs,
  SETTINGS,
  storedKey,
  unexpected,
} from "./settings_page.ts";

/** Runs a command line in a shell and returns its output. */
async function pasted(line: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", line], stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("the page for API keys works in a browser", { ignore: CHROMIUM === null }, async (t) => {
  const test = t.step.bind(t);
  const company = await newCompany();
  const owner = await newPerson({ company: company.id, name: "Olívia" });
  await using open = await openBrowser();
  const { browser } = open;
  const window = await openAs(browser, owner, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { page, context } = window;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const inDialog = (name: string) => page.getByRole("dialog").getByRole("button", { name });
  const keysNamed = (name: string) =>
    withDatabase((sql) =>
      sql`
        select id, name, is_active, expires_at, replaces from api_keys
        where company_id = ${company.id} and name = ${name} order by created_at`
    );
  const create = async (name: string) => {
    await page.goto(`${SETTINGS}#/keys/new`);
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("checkbox", { name: /^Read/ }).check();
  };
  let key = "";

  await test("a form without a name or permission shows the error next to the field", async () => {
    await page.getByRole("link", { name: "Create a key" }).click();
    await heading(page, "Create a key").waitFor();
    await button("Create key").click();
    const name = page.getByLabel("Name", { exact: true });
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator("#name-fault").textContent(), "Give the key a name.");
    assert.equal(
      await page.locator("#scopes-fault").textContent(),
      "Choose at least one permission.",
    );
    assert.equal(await page.locator("#name:focus").count(), 1);
  });

  await test("a double click creates only one API key, which works and is shown once", async () => {
    await create("Web shop");
    await button("Create key").dblclick();
    await heading(page, "Web shop").waitFor();
    await button("Copy the key").click();
    key = await page.evaluate(copiedText);
    assert.match(key, /^sk_live_[\w-]{43}$/);
    assert.equal(await page.locator("#new-key").textContent(), key);
    assert.equal(await gatewayStatus(key), 200);
    assert.equal((await keysNamed("Web shop")).length, 1);
  });

  await test("a user who leaves without storing the key is asked to confirm, even with the back button", async () => {
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("dialog", { name: "Have you stored the key?" }).waitFor();
    await inDialog("Go back to it").click();
    await page.goBack();
    await page.getByRole("dialog", { name: "Have you stored the key?" }).waitFor();
    // The click and the change of the URL happen in one task. So the page handles the new URL
    // before the browser reports that the dialog was closed.
    await inDialog("Go back to it").evaluate((stay) => {
      (stay as unknown as { click(): void }).click();
      (globalThis as unknown as { location: { hash: string } }).location.hash = "#/history";
      dispatchEvent(new Event("hashchange"));
    });
    await inDialog("Go back to it").click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.equal(await page.locator("#new-key").textContent(), key);
    assert.equal(await storedKey(page), key);
    assert.equal((await page.content()).includes(key), false, "the key is no longer shown");
  });

  await test("reloading the page asks for confirmation, and the reloaded page no longer shows the key", async () => {
    await create("Reloaded");
    await button("Create key").click();
    await heading(page, "Reloaded").waitFor();
    const asked: string[] = [];
    page.once("dialog", (dialog) => {
      asked.push(dialog.type());
      dialog.accept();
    });
    await page.reload();
    assert.deepEqual(asked, ["beforeunload"]);
    await heading(page, "Reloaded").waitFor();
    await page.getByText("The whole key was shown once").waitFor();
  });

  await test("an API key can be renamed, switched off and switched on again", async () => {
    await page.getByRole("link", { name: "All keys" }).click();
    await page.getByRole("link", { name: "Web shop" }).click();
    await button("Rename").click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true })
      .fill(" \u202eOnline\u200b shop\u00a0");
    await inDialog("Rename").click();
    await heading(page, "Online shop").waitFor();
    await button("Switch off").click();
    await inDialog("Switch off").click();
    await page.getByRole("status").getByText("The key is switched off.").waitFor();
    assert.equal(await gatewayStatus(key), 401);
    await button("Switch on").click();
    await page.getByText("The key is switched on again.").waitFor();
    assert.equal(await gatewayStatus(key), 200);
  });

  await test("the text for the developer contains the URL and the key's permissions, but not the key", async () => {
    const text = await page.locator("#hand-over-text").innerText();
    assert.match(text, /http:\/\/127\.0\.0\.1:\d+\/functions\/v1\n/);
    assert.match(text, /Online shop \(sk_live_….{4}\)\n/);
    assert.ok(!text.includes(key), text);
  });

  await test("a replaced key and its successor both work, and the page shows them as a pair", async () => {
    await button("Replace").click();
    // The focus is on the recommended option, not on the option that switches the old key off
    // immediately.
    assert.equal(await page.locator("input[value='24']:focus:checked").count(), 1);
    await page.getByRole("radio", { name: /^One more hour/ }).check();
    await inDialog("Create the new key").click();
    await page.locator("#new-key").waitFor();
    const successor = await storedKey(page);
    assert.deepEqual(await Promise.all([key, successor].map(gatewayStatus)), [200, 200]);
    await page.getByText(/^Replaces/).getByRole("link", { name: "Online shop" }).waitFor();
    const [old, made] = await keysNamed("Online shop");
    assert.equal(made.replaces, old.id);
    await page.getByRole("link", { name: "All keys" }).click();
    const pair = page.getByRole("listitem").filter({ hasText: "Replaced by" });
    assert.match(await pair.textContent() ?? "", /Expires in (1 hour|60 minutes|59 minutes)/);
    await pair.getByRole("link").click();
    await page.locator("#facts").waitFor();
    assert.equal(await button("Replace").count(), 0, "a replaced key cannot be replaced again");
  });

  await test("an expiry cannot be in the past, and a key that has been replaced always has an expiry", async () => {
    await button("Change expiry").click();
    await page.getByRole("dialog").getByText("Current expiry: ").waitFor();
    assert.equal(await page.getByLabel("Expires", { exact: true }).getByText("Never").count(), 0);
    await page.getByLabel("Last day").fill("2020-01-31");
    await inDialog("Change expiry").click();
    await page.getByText("Choose a day in the future.").waitFor();
    assert.equal(await page.locator("#date:focus").count(), 1);
    await page.getByLabel("Expires", { exact: true }).selectOption("month");
    await inDialog("Change expiry").click();
    await page.getByText("The expiry is changed.").waitFor();
    await page.locator("#facts").waitFor();
    const [{ expires_at }] = await keysNamed("Online shop");
    assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 30 * 86_400_000) < 60_000);
  });

  await test("before one key of a pair is switched off, the page asks for confirmation and names the other key", async () => {
    await button("Switch off").click();
    await page.getByRole("dialog").getByText(
      /The key ….{4} has replaced this one, which works until/,
    )
      .waitFor();
    // Pressing Enter must not switch the key off.
    assert.equal(await page.locator(":focus").textContent(), "Cancel");
    await page.keyboard.press("Escape");
    await page.getByText(/^Replaced by/).getByRole("link").click();
    await page.getByText(/^Replaces/).waitFor();
    await button("Delete").click();
    await page.getByRole("dialog").getByText(/This key replaces ….{4}, which works only until/)
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByText(/^Replaces/).getByRole("link").click();
    await page.getByText(/^Replaced by/).waitFor();
  });

  await test("before a key is replaced, the page names the webhooks that “Stop it now” switches off", async () => {
    const { client } = await signIn(owner);
    const made = await client.rpc("create_api_key", { name: "Hooks", scopes: ["webhooks"] });
    const url = "https://thief.example.com/events?secret";
    await withDatabase(async (sql) => {
      await addWebhook(sql, company, { url, created_by_key_id: made.data.id });
      await addWebhook(sql, company, { url: "https://shop.example.com/of-no-key" });
    });
    const shown = page.url();
    await page.goto(`${SETTINGS}#/keys/${made.data.id}`);
    await button("Replace").click();
    await page.getByRole("dialog").getByText("also switches off these webhooks").waitFor();
    const named = page.getByRole("dialog").getByRole("listitem");
    assert.deepEqual(await named.allTextContents(), ["thief.example.com/events"]);
    await page.getByRole("radio", { name: /^Stop it now/ }).check();
    await inDialog("Create the new key").click();
    await page.locator("#new-key").waitFor();
    await page.getByText("thief.example.com/events").waitFor();
    await storedKey(page);
    const [{ why }] = await statement`
      select why from webhooks where company_id = ${company.id} and url = ${url}
    `;
    assert.equal(why, "key_ended");
    await statement`delete from webhooks where company_id = ${company.id}`;
    await statement`delete from api_keys where company_id = ${company.id} and name = 'Hooks'`;
    await page.goto(shown);
    await page.getByText(/^Replaced by/).waitFor();
  });

  await test("an API key is deleted only after the user has typed its name", async () => {
    await button("Delete").click();
    const typed = page.getByLabel("To be sure, type: Online shop");
    await typed.fill("online shop");
    await inDialog("Delete permanently").click();
    await page.getByText("This is not the name of the key.").waitFor();
    await typed.fill("Online shop");
    await inDialog("Delete permanently").click();
    await heading(page, "API keys").waitFor();
    assert.equal((await keysNamed("Online shop")).length, 1);
    assert.equal(await gatewayStatus(key), 401);
  });

  await test("the page shows names exactly, with all special characters", async () => {
    const names = ["<img src=x onerror=alert(1)>", "W".repeat(100), "שלום", "👩‍💻 <b>site</b>"];
    const { client } = await signIn(owner);
    for (const name of names) {
      const { error } = await client.rpc("create_api_key", { name, scopes: ["read"] });
      assert.equal(error, null);
    }
    await page.reload();
    for (const name of names) await page.getByRole("link", { name }).waitFor();
    assert.equal(await page.locator("main img, main a b").count(), 0);
    // Users do not type the invisible character that joins the parts of an emoji.
    await page.getByRole("link", { name: names[3] }).click();
    await button("Delete").click();
    await page.getByLabel(/To be sure, type/).fill("👩💻 <b>site</b>");
    await inDialog("Delete permanently").click();
    await page.getByText("The key is deleted.").waitFor();
  });

  await test("the list points out keys that cause only errors, expire soon or were never used, and explains what to do", async () => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    await withDatabase(async (sql) => {
      const rows = [
        { name: "Broken", last_used_at: day(0), expires_at: day(3) },
        { name: "Soon", last_used_at: day(0), expires_at: day(13) },
        { name: "Unused", last_used_at: null, expires_at: null },
        { name: "Well", last_used_at: day(0), expires_at: day(15) },
      ];
      for (const row of rows) {
        const key_hash = crypto.randomUUID().replaceAll("-", "").repeat(2);
        const [{ id }] = await sql`insert into api_keys ${
          sql({
            ...{ company_id: company.id, key_hash, hint: "abcd", scopes: ["read"] },
            ...{ created_at: day(-2), ...row },
          })
        } returning id`;
        const counts = row.name === "Broken"
          ? [[401, 7]]
          : row.name === "Unused"
          ? []
          : [[200, 1], [404, 9]];
        for (const [status, requests] of counts) {
          const used = {
            company_id: company.id,
            key_id: id,
            hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000),
            status,
            requests,
          };
          await sql`insert into api_key_usage ${sql(used)}`;
        }
      }
    });
    await page.goto(`${SETTINGS}#/keys`);
    await page.reload();
    const said = async (name: string) =>
      (await page.getByRole("listitem").filter({ hasText: name }).first().innerText())
        .replace(/\s+/g, " ");
    await page.getByRole("link", { name: "Broken" }).waitFor();
    assert.match(await said("Broken"), /Only errors All 7 requests of the last 72 hours were/);
    assert.match(await said("Soon"), /Expires in 13 days Replace the key before then/);
    assert.match(await said("Unused"), /Never used No program has used this key yet\./);
    assert.match(await said("Well"), /^Well Active sk_live/);
  });

  await test("a search finds one of 200 keys, and expired keys are collapsed", async () => {
    await statement`
        insert into api_keys (company_id, name, key_hash, hint, scopes, created_at, expires_at)
        select ${company.id}, 'Key ' || n, encode(sha256(${company.id}::text::bytea || int4send(n)), 'hex'),
          lpad(n::text, 4, '0'), '{read}', now() - make_interval(days => n), case when n > 150 then now() end
        from generate_series(1, 200) as n`;
    await page.reload();
    await page.getByText("Expired keys (50)").waitFor();
    assert.equal(await page.getByRole("link", { name: "Key 160" }).isVisible(), false);
    await page.getByLabel("Find a key").fill("key 16");
    assert.equal(await page.getByRole("link", { name: /^Key / }).count(), 11);
    assert.equal(await page.getByRole("link", { name: "Key 160" }).isVisible(), true);
  });

  await test("another company's keys are not shown", async () => {
    const other = await newCompany();
    const [{ id }] =
      await statement`select id from api_keys where company_id = ${other.id} limit 1`;
    await page.goto(`${SETTINGS}#/keys/${id}`);
    await page.getByRole("alert").getByText("This company does not have this key.").waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await test("a user who follows the page's instructions on the local stack sends a first message", async () => {
    // The command on the page sends the message to a contact of the demo company. This test uses
    // another company, because the demo company's conversations appear in the recorded examples.
    const { id } = await companyWithTemplates();
    const window = await openAs(browser, await newPerson({ company: id }));
    const { page } = window;
    await page.getByRole("link", { name: "Create a key" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("First message");
    await page.getByRole("checkbox", { name: /^Read/ }).check();
    await page.getByRole("checkbox", { name: /^Messages/ }).check();
    await page.getByRole("button", { name: "Create key" }).click();
    const answers = { "#try-read": /"data"/, "#try-send": /"success": ?true/ };
    for (const [line, answer] of Object.entries(answers)) {
      assert.match(await pasted(await page.locator(line).textContent() ?? ""), answer);
    }
    await storedKey(page);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("To be sure, type: First message").fill("First message");
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("The key is deleted.").waitFor();
    assert.deepEqual(unexpected(window), []);
    await window.context.close();
  });

  await test("an agent sees no API keys, and the page says who may manage them", async () => {
    const agent = await newPerson({ company: company.id, role: "agent", name: "Ari" });
    const window = await openAs(browser, agent);
    const { page } = window;
    await page.getByRole("navigation").getByRole("link", { name: "WhatsApp" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "API keys" }).count(), 0);
    for (const route of ["#/keys", "#/keys/new", `#/keys/${crypto.randomUUID()}`]) {
      await page.goto(`${SETTINGS}${route}`);
      await page.getByText("Olívia (owner)").waitFor();
      assert.equal(await page.getByRole("button", { name: /key/i }).count(), 0);
    }
    assert.deepEqual(unexpected(window), []);
    await window.context.close();
  });
});
