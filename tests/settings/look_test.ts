// Tests the look and the texts of the settings page in a browser.
import assert from "node:assert/strict";
import { widthOfPage } from "../support/in_page.js";
import { openBrowser } from "../support/browser.ts";
import { addTemplate, newCompany } from "../support/company.ts";
import { newPerson, signIn } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { withDatabase } from "../support/test_stack.ts";
import { judgeOf } from "./looks.ts";
import { heading, openAs, openSettings, PHONE, SETTINGS, unexpected } from "./settings_page.ts";

/**
 * The expected texts in each language: the button and labels of the sign-in form, and the
 * permissions of an API key.
 */
const SPOKEN = [
  ["pt-BR", "Entrar", "E-mail", "Senha", ["Leitura", "Escrita", "Mensagens", "Webhooks"]],
  ["es-MX", "Iniciar sesión", "Correo electrónico", "Contraseña", [
    "Lectura",
    "Escritura",
    "Mensajes",
    "Webhooks",
  ]],
  ["fr", "Sign in", "E-mail", "Password", ["Read", "Write", "Messages", "Webhooks"]],
] as const;

Deno.test("the settings page is accessible, fits a phone screen and uses the browser's language", {
  ignore: CHROMIUM === null,
}, async (t) => {
  const company = await newCompany();
  await withDatabase(async (sql) => {
    const id = await addTemplate(sql, company.id, {
      components: [{ type: "BODY", text: "Olá {{1}}" }],
      variables: { body: [{ name: "1", example: "Ana" }] },
    });
    const numbers = [company.phone_number_id];
    await sql`update templates set phone_number_ids = ${numbers} where id = ${id}`;
  });
  const owner = await newPerson({ company: company.id, name: "Olívia" });
  const { client } = await signIn(owner);
  const { data: made } = await client.rpc("create_api_key", {
    name: `Long ${"w".repeat(95)}`,
    scopes: ["read", "write", "messaging", "webhooks"],
  });
  await client.rpc("rotate_api_key", { key_id: made.id, overlap_hours: 1 });
  await using open = await openBrowser();
  const { browser } = open;

  await t.step(
    "axe finds no error in any view in light or dark mode, and no view is wider than a phone screen",
    async () => {
      const window = await openSettings(browser);
      const { page, context } = window;
      const judge = judgeOf(page);
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      await button("Sign in").waitFor();
      await judge("sign-in");
      await page.getByLabel("E-mail").fill(owner.email);
      await page.getByLabel("Password").fill("wrong");
      await button("Sign in").click();
      await page.locator(".failure").waitFor();
      await judge("a wrong password");
      await page.getByLabel("Password").fill(owner.password);
      await button("Sign in").click();
      await page.getByText("Replaced by").waitFor();
      await judge("the list");
      await page.getByText("Account", { exact: true }).click();
      await judge("the user menu");
      await page.getByRole("link", { name: "Create a key" }).click();
      await button("Create key").click();
      await page.getByLabel("Expires").selectOption("date");
      await judge("a form with errors");
      await page.getByRole("textbox", { name: "Name" }).fill("Shop");
      for (const box of await page.getByRole("checkbox").all()) await box.check();
      await page.getByLabel("Expires").selectOption("year");
      await button("Create key").click();
      await page.locator("#try-send").waitFor();
      await judge("a new API key, which is shown only once");
      await page.getByRole("link", { name: "API keys", exact: true }).click();
      await page.getByRole("dialog").waitFor();
      await judge("the question whether the key is stored");
      await button("I have stored it, leave").click();
      await page.getByRole("link", { name: "Shop" }).click();
      await page.locator("#facts").waitFor();
      await judge("a key");
      for (const change of ["Rename", "Switch off", "Replace", "Delete"]) {
        await button(change).click();
        await page.getByRole("dialog").waitFor();
        await judge(change);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
      await page.goto(`${SETTINGS}#/password`);
      await button("Save").waitFor();
      await judge("a new password");
      for (const [route, title] of [["accounts", "WhatsApp"], ["history", "History"]]) {
        await page.goto(`${SETTINGS}#/${route}`);
        await heading(page, title).waitFor();
        await page.locator(".loading").waitFor({ state: "detached" });
        await judge(route);
      }
      assert.deepEqual(unexpected(window), []);
      await context.close();
    },
  );

  for (const [locale, signIn, email, password, scopes] of SPOKEN) {
    await t.step(
      `a browser with the locale ${locale} gets the closest available language`,
      async () => {
        const window = await openSettings(browser, { locale, route: "#/keys/new" });
        const { page, context } = window;
        await page.getByLabel(email).fill(owner.email);
        await page.getByLabel(password).fill(owner.password);
        await page.getByRole("button", { name: signIn, exact: true }).click();
        await page.locator("fieldset").waitFor();
        assert.deepEqual(await page.locator("fieldset b").allTextContents(), scopes);
        const language = await page.locator("html").getAttribute("lang");
        assert.equal(language, locale === "fr" ? "en" : locale);
        await page.setViewportSize(PHONE);
        assert.equal(await page.evaluate(widthOfPage), PHONE.width);
        assert.deepEqual(unexpected(window), []);
        await context.close();
      },
    );
  }

  await t.step(
    "the page remembers the chosen language, and a change of language keeps text entered in a form",
    async () => {
      const { page, context } = await openAs(browser, owner, { route: "#/keys/new" });
      await page.getByRole("textbox", { name: "Name" }).fill("Loja");
      await page.getByText("Account", { exact: true }).click();
      await page.getByLabel("Language").selectOption("pt");
      await page.getByRole("heading", { name: "Criar uma chave" }).waitFor();
      assert.equal(await page.getByRole("textbox", { name: "Nome" }).inputValue(), "Loja");
      await page.reload();
      await page.getByRole("heading", { name: "Criar uma chave" }).waitFor();
      await context.close();
    },
  );

  await t.step(
    "an error in config.json is reported with the name of the invalid setting",
    async () => {
      const wrong = [
        [{ status: 404, body: "Not found" }, "its file config.json is missing or cannot be read"],
        [{ json: { project_url: "ftp://x" } }, "“publishable_key” in its file config.json"],
        [
          { json: { project_url: "nowhere", publishable_key: "sb_publishable_x" } },
          "“project_url” in its file config.json",
        ],
        [
          { json: { project_url: "https://x.example", publishable_key: "sb_secret_x" } },
          "“publishable_key” in its file config.json",
        ],
      ] as const;
      const { page, context } = await openSettings(browser);
      for (const [answer, sentence] of wrong) {
        await page.route(/config\.json/, (route) => route.fulfill(answer));
        await page.reload();
        await page.getByRole("alert").getByText(sentence).waitFor();
        await page.unroute(/config\.json/);
      }
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await context.close();
    },
  );
});
