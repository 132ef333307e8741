// Tests the list of errors and the page of one request in a browser.
import assert from "node:assert/strict";
import { operationsOf } from "../../site/operations.ts";
import { referenceOf } from "../../settings/page/requests/error_kind.ts";
import { requests as texts } from "../../settings/page/texts/en/requests.ts";
import { STATUS } from "../../supabase/functions/_shared/errors.ts";
import { axeFindings, axeFindingsOfLooks, openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { widthOfPage } from "../support/in_page.js";
import { keyIds } from "../support/key_usage.ts";
import { newPerson } from "../support/people.ts";
import { CHROMIUM } from "../support/programs.ts";
import { withDatabase } from "../support/test_stack.ts";
import { openAs, PHONE, SETTINGS, unexpected } from "./settings_page.ts";

Deno.test("the page has advice for each error code, and a link to the documentation of each operation", async () => {
  assert.deepEqual(Object.keys(texts.advice).sort(), Object.keys(STATUS).sort());
  const document = JSON.parse(
    await Deno.readTextFile("supabase/functions/gateway/openapi.json"),
  );
  for (const { name, address } of operationsOf(document)) {
    const [method, path] = name.split(" ");
    const error = { method, path } as Parameters<typeof referenceOf>[0];
    assert.equal(referenceOf(error, "https://docs.example"), `https://docs.example/${address}`);
  }
});

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

Deno.test("owners see equal errors as one entry, filter the errors, and find a request by its id", {
  ignore: CHROMIUM === null,
}, async () => {
  const company = await newCompany();
  const [owner, agent] = [
    await newPerson({ company: company.id }),
    await newPerson({ company: company.id, role: "agent" }),
  ];
  const { read, write } = await withDatabase(async (sql) => {
    const ids = await keyIds(sql, company);
    const at = new Date();
    const error = (key_id: string, changes: Record<string, unknown>) => ({
      ...{ company_id: company.id, key_id, status: 422, code: "invalid_request", method: "POST" },
      ...{ operation: "createContact", path: "/gateway/contacts", field: "phone", errors: 1204 },
      ...{ problem: "must be in E.164 format", first_at: at, last_at: at, ...changes },
      requests: sql.json([{ id: changes.id ?? "a/b?c", at: at.toISOString() }] as never),
      id: crypto.randomUUID(),
    });
    await sql`insert into api_key_errors ${sql(error(ids.read, {}))}`;
    await sql`insert into api_key_errors ${
      sql(error(ids.write, { id: HOSTILE, problem: HOSTILE, status: 500, code: "internal" }))
    }`;
    return ids;
  });
  await using open = await openBrowser();
  const window = await openAs(open.browser, owner, { route: `#/c/${company.id}/requests` });
  const { page, context } = window;
  const errors = page.locator(".errors > li");
  const seen = new Set<string>();
  const judge = async (what: string) => {
    await page.locator(".loading").first().waitFor({ state: "detached" });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      if (colorScheme === "light") assert.deepEqual(await axeFindings(page), [], what);
      assert.deepEqual(await axeFindingsOfLooks(page, seen), [], `${what} in ${colorScheme}`);
    }
    await page.setViewportSize(PHONE);
    assert.equal(await page.evaluate(widthOfPage), PHONE.width, `${what} is wider than a phone`);
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  await errors.nth(1).waitFor();
  await judge("the errors");
  const phone = errors.filter({ hasText: "E.164" });
  assert.match(
    (await phone.innerText()).replace(/\s+/g, " "),
    /^422 phone must be in E\.164 format POST \/gateway\/contacts Key: test 1,204 times, since .* What to change Correct phone in the program\./,
  );

  await page.getByLabel("Who must act").selectOption("failed");
  await errors.nth(1).waitFor({ state: "detached" });
  await page.locator(".problem", { hasText: HOSTILE }).waitFor();
  assert.equal(await errors.count(), 1);
  await page.getByLabel("API key").selectOption(read);
  await page.getByText("No such errors").waitFor();
  await judge("no error that matches the filters");
  await page.getByRole("link", { name: "Clear filters" }).first().click();
  await errors.nth(1).waitFor();
  await page.getByLabel("API key").selectOption(write);
  await page.locator(".problem", { hasText: HOSTILE }).waitFor();

  for (const id of ["a/b?c", HOSTILE]) {
    await page.goto(`${SETTINGS}#/c/${company.id}/requests`);
    await page.getByRole("searchbox", { name: "Request id" }).fill(id);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: `Request ${id}` }).waitFor();
    await page.getByText("This request was answered with an error").waitFor();
    assert.equal(await errors.count(), 1);
  }
  await judge("a request");
  await page.goto(`${SETTINGS}#/c/${company.id}/requests/unknown%zz`);
  await page.getByText("No error has this request id").waitFor();
  await judge("an unknown request");
  assert.doesNotMatch(await page.title(), /owned/);
  assert.deepEqual(unexpected(window), []);
  await context.close();

  const asAgent = await openAs(open.browser, agent, { route: `#/c/${company.id}/requests` });
  await asAgent.page.getByText("Ask one of them:").waitFor();
  assert.equal(await asAgent.page.locator(".errors").count(), 0);
  await asAgent.context.close();
});
