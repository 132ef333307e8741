// Who comes to the settings page, and how.
import assert from "node:assert/strict";
import { openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { mailsTo } from "../support/mails.ts";
import { newPerson } from "../support/people.ts";
import { nameOfFocus } from "../support/in_page.js";
import { CHROMIUM } from "../support/programs.ts";
import { until } from "../support/started.ts";
import { withDatabase } from "../support/test_stack.ts";
import { heading, openAs, openSettings, SETTINGS, signInAs, unexpected } from "./settings_page.ts";

Deno.test("people come to the settings page", { ignore: CHROMIUM === null }, async (t) => {
  const [one, two] = await Promise.all([newCompany(), newCompany()]);
  const owner = await newPerson({ company: one.id });
  await using open = await openBrowser();
  const { browser } = open;
  await withDatabase(async (sql) => {
    await sql`update companies set name = 'Ondalva' where id = ${one.id}`;
    await sql`update companies set name = 'Serra & Filhos' where id = ${two.id}`;
  });
  /** Has a link sent from the page, and returns it. */
  const mailedLink = async (email: string, way: string) => {
    const window = await openSettings(browser);
    const { page, context } = window;
    await page.getByRole("button", { name: way }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText(`If ${email} has an account here`).waitFor();
    await page.getByRole("link", { name: /sandbox\/mail/ }).waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
    return (await mailsTo(email))[0]?.link ?? "none";
  };

  await t.step("a wrong password is told, and the right one then signs in", async () => {
    const window = await openSettings(browser, { route: "#/keys/new" });
    const { page, context } = window;
    await signInAs(page, { ...owner, password: "wrong" });
    await page.getByRole("alert").getByText("E-mail or password is wrong.").waitFor();
    await signInAs(page, owner);
    await heading(page, "Create a key").waitFor();
    assert.equal(await page.title(), "Create a key · Ondalva · API settings");
    await page.reload();
    await heading(page, "Create a key").waitFor();

    // Another window of the browser is signed out, too.
    const other = await context.newPage();
    await other.goto(SETTINGS);
    await heading(other, "API keys").waitFor();
    await page.getByText("Account", { exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    for (const each of [page, other]) await each.getByText("You are signed out.").waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await t.step("a mailed link signs in once", async () => {
    const link = await mailedLink(owner.email, "Send me a link to sign in");
    const { page, context } = await openSettings(browser);
    await page.goto(link);
    await heading(page, "API keys").waitFor();
    assert.doesNotMatch(page.url(), /token/, "no token is left in the address");
    const visited: string[] = [];
    page.on("framenavigated", (frame) => visited.push(frame.url()));
    await page.goBack();
    await heading(page, "API keys").waitFor();
    assert.doesNotMatch(visited.join(), /token/, "nor on the way back");
    await page.goto("about:blank");
    await page.goto(`${SETTINGS}#access_token=forged&refresh_token=forged&type=recovery`);
    await heading(page, "API keys").waitFor();
    assert.doesNotMatch(page.url(), /token/, "nor one that signs nobody in");
    await context.close();
    const forged = await openSettings(browser, {
      route: "#access_token=YQ.YQ.YQ&refresh_token=forged&type=recovery",
    });
    await forged.page.getByText("This link was used before, or is too old.").waitFor();
    assert.doesNotMatch(forged.page.url(), /token/);
    await forged.context.close();
    const again = await openSettings(browser);
    await again.page.goto(link);
    await again.page.getByText("This link was used before, or is too old.").waitFor();
    await again.context.close();
  });

  await t.step("whoever signs in in another window is who every window is of", async () => {
    const other = await newPerson({ company: two.id });
    const link = await mailedLink(other.email, "Send me a link to sign in");
    const { page, context } = await openAs(browser, owner, { route: "#/keys/new" });
    await heading(page, "Create a key").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Of the owner");
    const second = await context.newPage();
    await second.goto(link);
    for (const each of [second, page]) {
      await each.getByRole("banner").getByText("Serra & Filhos").waitFor();
    }
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "");
    await context.close();
  });

  await t.step("the link of a forgotten password leads to a new one", async () => {
    const forgetful = await newPerson({ company: one.id });
    const link = await mailedLink(forgetful.email, "I forgot my password");
    const { page, context } = await openSettings(browser);
    await page.goto(link);
    await heading(page, "Choose a new password").waitFor();
    await page.getByLabel("New password").fill("a new and better one");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your new password is saved.").waitFor();
    await context.close();
    const after = await openAs(browser, { ...forgetful, password: "a new and better one" });
    await heading(after.page, "API keys").waitFor();
    await after.context.close();
  });

  await t.step("a mail to nobody is answered as one to somebody", async () => {
    const nobody = `${crypto.randomUUID()}@people.example`;
    assert.equal(await mailedLink(nobody, "I forgot my password"), "none");
    assert.equal(await mailedLink(nobody, "Send me a link to sign in"), "none");
  });

  await t.step("a person of no company is told whom to ask", async () => {
    const alone = await newPerson({});
    const { page, context } = await openAs(browser, alone);
    await heading(page, "No company yet").waitFor();
    await withDatabase((sql) =>
      sql`insert into company_members ${
        sql({ company_id: one.id, user_id: alone.id, role: "admin" })
      }`
    );
    await page.getByRole("button", { name: "Try again" }).click();
    await heading(page, "API keys").waitFor();
    await context.close();
  });

  await t.step("a person of two companies chooses one, which is remembered", async () => {
    const both = await newPerson({ company: [one.id, two.id] });
    const { page, context } = await openAs(browser, both, { route: "#/history" });
    await heading(page, "Choose a company").waitFor();
    await page.getByRole("button", { name: "Serra & Filhos" }).click();
    await heading(page, "API keys").waitFor();
    await page.reload();
    await heading(page, "API keys").waitFor();
    await page.getByRole("banner").getByText("Serra & Filhos").waitFor();
    await page.getByRole("link", { name: "Change company" }).click();
    await page.getByRole("button", { name: "Ondalva" }).click();
    await page.getByRole("banner").getByText("Ondalva").waitFor();
    await context.close();
  });

  await t.step("to whoever is an owner no more, the keys do not seem to be gone", async () => {
    const former = await newPerson({ company: one.id });
    const { page, context } = await openAs(browser, former);
    await page.getByRole("link", { name: "Create a key" }).waitFor();
    for (const role of ["agent", null]) {
      await withDatabase((sql) =>
        role
          ? sql`update company_members set role = ${role} where user_id = ${former.id}`
          : sql`delete from company_members where user_id = ${former.id}`
      );
      await page.getByRole("link", { name: "History" }).click();
      await heading(page, "History").waitFor();
      await page.getByRole("link", { name: "Keys" }).click();
      await page.getByRole("alert").getByText("Only owners and admins").waitFor();
    }
    await context.close();
  });

  await t.step("who is signed out elsewhere is asked to sign in again", async () => {
    const { page, context } = await openAs(browser, owner);
    await heading(page, "API keys").waitFor();
    // As the project answers once the session has ended and its key was revoked.
    await page.route(
      /rest\/v1\/api_keys/,
      (route) => route.fulfill({ status: 401, json: { code: "PGRST301", message: "JWT expired" } }),
    );
    await page.reload();
    await heading(page, "Sign in").waitFor();
    await context.close();
  });

  await t.step("without an answer the page says so, and tries again when asked", async () => {
    const window = await openAs(browser, owner);
    const { page, context } = window;
    await heading(page, "API keys").waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Create a key" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Lost");
    await page.getByRole("checkbox", { name: /^Read/ }).check();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").getByText("we do not know whether the key was made").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Lost");
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("alert").getByText("No answer came. Check your connection").waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "Create a key" }).waitFor();

    // The script of this view is loaded when somebody comes to it.
    await context.setOffline(true);
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("alert").getByText("No answer came. Check your connection").waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("What was done to the keys").waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await t.step("a refusal, a conflict and a fault of the server are told apart", async () => {
    const { page, context } = await openAs(browser, owner);
    const [{ id }] = await withDatabase((sql) =>
      sql`select id from api_keys where company_id = ${one.id} limit 1`
    );
    await heading(page, "API keys").waitFor();
    await page.goto(`${SETTINGS}#/keys/${id}`);
    const answers = [
      [403, "Only owners and admins of the company may"],
      [409, "This key was replaced already."],
      [500, "nothing was changed"],
      [504, "we do not know whether the key was made"],
    ] as const;
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    for (const [status, sentence] of answers) {
      await page.route(
        /rotate_api_key/,
        (route) => route.fulfill({ status, json: { message: "" } }),
      );
      await page.getByRole("button", { name: "Create the new key" }).click();
      await page.getByRole("alert").getByText(sentence).waitFor();
      await page.unroute(/rotate_api_key/);
    }
    // Somebody else deletes the key meanwhile.
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Rename" }).click();
    await withDatabase((sql) => sql`delete from api_keys where id = ${id}`);
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("alert").getByText("This is not there any more.").waitFor();
    await context.close();
  });

  await t.step("everything is done from the keyboard", async () => {
    const { page, context } = await openSettings(browser);
    const type = (text: string) => page.keyboard.type(text);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    /** Goes on to the next stop that has this name. */
    const to = async (name: string) => {
      for (let stops = 0; stops < 40; stops++) {
        await press("Tab");
        const words = await page.evaluate(nameOfFocus);
        if (words.includes(name)) return;
      }
      throw new Error(`the keyboard does not reach ${name}`);
    };
    await heading(page, "Sign in").waitFor();
    await to("E-mail");
    await type(owner.email);
    await to("Password");
    await type(owner.password);
    await press("Enter");
    await heading(page, "API keys").waitFor();
    await until(async () => await page.locator("h1:focus").count() === 1);
    await to("Create a key");
    await press("Enter");
    await heading(page, "Create a key").waitFor();
    await to("Name");
    await type("By keyboard");
    await to("Messages");
    await press("Space", "Enter");
    await heading(page, "By keyboard").waitFor();
    await to("I have stored it");
    await press("Enter");
    await page.locator("#facts").waitFor();
    await to("Switch off");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.locator(":focus").textContent(), "Switch off", "the focus comes back");
    await context.close();
  });
});
