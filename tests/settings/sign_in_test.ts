// Tests the ways to sign in to the settings page.
import assert from "node:assert/strict";
import type { Page } from "../../tools/node_modules/playwright-core/types/types.d.ts";
import { axeFindings, openBrowser } from "../support/browser.ts";
import { newCompany } from "../support/company.ts";
import { mailsTo } from "../support/mails.ts";
import { anyClient, newPerson, type SignedUp, signIn } from "../support/people.ts";
import { keptSession, nameOfFocus } from "../support/in_page.js";
import { CHROMIUM } from "../support/programs.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import {
  heading,
  openAs,
  opened,
  openSettings,
  SETTINGS,
  signInAs,
  unexpected,
} from "./settings_page.ts";

Deno.test("users sign in to the settings page", { ignore: CHROMIUM === null }, async (t) => {
  const test = t.step.bind(t);
  const [one, two] = await Promise.all([newCompany(), newCompany()]);
  const owner = await newPerson({ company: one.id });
  await using open = await openBrowser();
  const { browser } = open;
  await withDatabase(async (sql) => {
    await sql`update companies set name = 'Ondalva' where id = ${one.id}`;
    await sql`update companies set name = 'Serra & Filhos' where id = ${two.id}`;
  });
  /**
   * Requests a sign-in link on the page. Returns the link, and the browser window that requested
   * it.
   */
  const askForLink = async (email: string, way: string) => {
    const window = await openSettings(browser);
    const { page } = window;
    await page.getByRole("button", { name: way }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText(`If ${email} has an account here`).waitFor();
    await page.getByRole("link", { name: /sandbox\/mail/ }).waitFor();
    assert.deepEqual(unexpected(window), []);
    return { ...window, link: (await mailsTo(email))[0]?.link ?? "none" };
  };
  /**
   * A URL with tokens that this browser did not request. The link in an invitation is such a URL,
   * but an attacker can also send one.
   */
  const addressWithTokens = async (person: SignedUp, type = "magiclink") => {
    const { data: { session } } = await (await signIn(person)).client.auth.getSession();
    const { access_token, refresh_token } = session!;
    const hash = new URLSearchParams({ access_token, refresh_token, type });
    return { address: `${SETTINGS}#${hash}`, refresh_token };
  };
  const note = (page: Page, text: string) => page.locator(".note").getByText(text).waitFor();
  /**
   * Opens a URL. Leaves the page first, because the browser does not reload a page if only the hash
   * of the URL changes.
   */
  const follow = async (page: Page, address: string) => {
    await page.goto("about:blank");
    await page.goto(address);
  };

  await test("a wrong password is reported, and the correct password still works", async () => {
    const window = await openSettings(browser, { route: "#/keys/new" });
    const { page, context } = window;
    await signInAs(page, { ...owner, password: "wrong" });
    await page.getByRole("alert").getByText("The e-mail address or password is wrong.").waitFor();
    await signInAs(page, owner);
    await heading(page, "Create a key").waitFor();
    assert.equal(await page.title(), "Create a key · Ondalva · API settings");
    await page.reload();
    await heading(page, "Create a key").waitFor();

    // Signing out in one window also signs the user out in the browser's other window.
    const other = await context.newPage();
    await other.goto(SETTINGS);
    await heading(other, "API keys").waitFor();
    await page.getByText("Account", { exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    for (const each of [page, other]) await each.getByText("You are signed out.").waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await test("a sign-in link from an e-mail works only once", async () => {
    const { link, page, context } = await askForLink(owner.email, "Send me a link to sign in");
    // A sign-in attempt with the wrong code fails, and the link still works.
    await follow(page, `${SETTINGS}?code=${crypto.randomUUID()}`);
    await note(page, "This link was already used, or is too old.");
    await page.goto(link);
    await heading(page, "API keys").waitFor();
    assert.doesNotMatch(page.url(), /token|code/, "no token remains in the URL");
    const visited: string[] = [];
    page.on("framenavigated", (frame) => visited.push(frame.url()));
    await page.goBack();
    await heading(page, "API keys").waitFor();
    assert.doesNotMatch(visited.join(), /token|code/, "no token is in the URL after going back");
    await follow(page, `${SETTINGS}#access_token=forged&refresh_token=forged&type=recovery`);
    await heading(page, "API keys").waitFor();
    assert.doesNotMatch(page.url(), /token/, "no forged token remains in the URL");
    await context.close();
    const forged = await openSettings(browser, {
      route: "#access_token=YQ.YQ.YQ&refresh_token=forged&type=recovery",
    });
    await note(forged.page, "This link was already used, or is too old.");
    assert.doesNotMatch(forged.page.url(), /token/);
    await follow(forged.page, link);
    await note(forged.page, "This link was already used, or is too old.");
    assert.doesNotMatch(forged.page.url(), /error/);
    await forged.context.close();
  });

  await test("a sign-in link does not work in a browser that did not request it", async () => {
    const { link, context } = await askForLink(owner.email, "Send me a link to sign in");
    const elsewhere = await openSettings(browser);
    await follow(elsewhere.page, link);
    await note(elsewhere.page, "This link was requested in another browser.");
    assert.equal(elsewhere.page.url(), SETTINGS);
    await elsewhere.page.reload();
    await heading(elsewhere.page, "Sign in").waitFor();
    await elsewhere.context.close();
    await context.close();
  });

  await test("the page asks for confirmation before it signs a user in with a link that this browser did not request", async () => {
    const stranger = await newPerson({ company: two.id });
    const window = await openSettings(browser);
    const { page, context } = window;
    const { address, refresh_token } = await addressWithTokens(stranger);
    await follow(page, address);
    await heading(page, "Sign in with this link?").waitFor();
    await page.getByText(`This link signs in ${stranger.email}.`).waitFor();
    await page.getByText("No one requested it in this browser.").waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole("button", { name: "Do not sign in" }).click();
    await heading(page, "Sign in").waitFor();
    assert.equal(await page.evaluate(keptSession), null);
    // The page ends the session that the user refused.
    await until(async () =>
      (await anyClient().auth.refreshSession({ refresh_token })).error !== null
    );
    const invited = await addressWithTokens(stranger, "invite");
    await follow(page, invited.address);
    await page.getByRole("button", { name: `Continue as ${stranger.email}` }).click();
    await heading(page, "Choose a new password").waitFor();
    await page.getByText(`For ${stranger.email}.`).waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await test("the page asks for confirmation before a link for another user replaces the signed-in user", async () => {
    const other = await newPerson({ company: two.id });
    const window = await askForLink(other.email, "Send me a link to sign in");
    const { page, context, link } = window;
    await page.getByRole("button", { name: "Back" }).click();
    await signInAs(page, owner);
    await heading(page, "API keys").waitFor();
    await page.goto(`${SETTINGS}#/keys/new`);
    await page.getByLabel("Name", { exact: true }).fill("Of the owner");
    const second = await context.newPage();
    const question = heading(second, "Change to another account?");

    const { address } = await addressWithTokens(other);
    await follow(second, address);
    await question.waitFor();
    await second.getByText(
      `You are signed in as ${owner.email}. This link signs in ${other.email}.`,
    )
      .waitFor();
    await second.getByText("No one requested it in this browser.").waitFor();
    // The Tab key first reaches the button that keeps the current session.
    await until(async () => await second.locator("h1:focus").count() === 1);
    await second.keyboard.press("Tab");
    assert.equal(await second.evaluate(nameOfFocus), `Stay signed in as ${owner.email}`);
    await second.keyboard.press("Enter");
    await heading(second, "API keys").waitFor();
    await second.getByRole("banner").getByText("Ondalva").waitFor();

    await follow(second, link);
    await question.waitFor();
    assert.equal(await second.getByText("No one requested it in this browser.").count(), 0);
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Of the owner");
    await second.getByRole("button", { name: `Continue as ${other.email}` }).click();
    // Each window now shows the user who is signed in.
    for (const each of [second, page]) {
      await each.getByRole("banner").getByText("Serra & Filhos").waitFor();
    }
    assert.equal(await page.getByLabel("Name", { exact: true }).count(), 0);
    // If the link belongs to the signed-in user, the page does not ask for confirmation.
    await follow(second, (await addressWithTokens(other)).address);
    await heading(second, "API keys").waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await test("a password reset link lets the user choose a new password", async () => {
    const forgetful = await newPerson({ company: one.id });
    const { link, page, context } = await askForLink(forgetful.email, "I forgot my password");
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

  await test("a new password of more than 72 bytes is refused as too long", async () => {
    const person = await newPerson({ company: one.id });
    const window = await openAs(browser, person, { route: "#/password" });
    const { page, context } = window;
    await page.getByLabel("New password").fill("ж".repeat(40));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("This password is too long.").waitFor();
    await page.getByLabel("New password").fill("ж".repeat(36));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your new password is saved.").waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await test("a form without an e-mail field never reports a wrong e-mail address", async () => {
    const { page, context } = await openAs(browser, owner, { route: "#/password" });
    await heading(page, "Choose a new password").waitFor();
    const json = { code: "validation_failed", message: "Too odd" };
    await page.route(
      /auth\/v1\/user/,
      (route) =>
        route.request().method() === "PUT"
          ? route.fulfill({ status: 400, json })
          : route.continue(),
    );
    await page.getByLabel("New password").fill("long enough");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("Too odd").waitFor();
    await context.close();
  });

  await test("the page shows the same message for an unknown and a known e-mail address", async () => {
    const nobody = `${crypto.randomUUID()}@people.example`;
    for (const way of ["I forgot my password", "Send me a link to sign in"]) {
      const { link, context } = await askForLink(nobody, way);
      assert.equal(link, "none");
      await context.close();
    }
  });

  await test("a user without a company sees who can help", async () => {
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

  await test("if a user with two companies chooses one company, later visits show the same company", async () => {
    const both = await newPerson({ company: [one.id, two.id] });
    const { page, context } = await openAs(browser, both, { route: "#/history" });
    await heading(page, "Choose a company").waitFor();
    await page.getByRole("button", { name: "Serra & Filhos" }).click();
    // After the sign-in and the choice, the page shows the URL that the user opened.
    await heading(page, "History").waitFor();
    assert.match(page.url(), new RegExp(`#/c/${two.id}/history$`));
    await page.goto(`${SETTINGS}#/keys`);
    await heading(page, "API keys").waitFor();
    await page.getByRole("banner").getByText("Serra & Filhos").waitFor();
    await page.getByRole("link", { name: "Change company" }).click();
    await page.getByRole("button", { name: "Ondalva" }).click();
    await page.getByRole("banner").getByText("Ondalva").waitFor();
    await context.close();
  });

  await test("a user who is no longer an owner sees an explanation instead of an empty list of keys", async () => {
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
      await page.getByRole("link", { name: "API keys" }).click();
      await page.getByRole("alert").getByText("Only owners and admins").waitFor();
    }
    await context.close();
  });

  await test("a user whose session was ended elsewhere is asked to sign in again", async () => {
    const { page, context } = await openAs(browser, owner);
    await heading(page, "API keys").waitFor();
    // The response of the Data API when the session is no longer valid.
    await page.route(
      /rest\/v1\/api_keys/,
      (route) => route.fulfill({ status: 401, json: { code: "PGRST301", message: "JWT expired" } }),
    );
    await page.reload();
    await heading(page, "Sign in").waitFor();
    await context.close();
  });

  await test("if no response arrives, the page says so and offers to try again", async () => {
    const window = await openAs(browser, owner);
    const { page, context } = window;
    await page.getByRole("link", { name: "Create a key" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Lost");
    await context.setOffline(true);
    await page.getByRole("checkbox", { name: /^Read/ }).check();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").getByText("we do not know whether the key was made").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Lost");
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("alert").getByText("No answer came. Check your connection").waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "Create a key" }).waitFor();

    // The script of this view is loaded when a user opens the view.
    await context.setOffline(true);
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("alert").getByText("No answer came. Check your connection").waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("All changes to the keys, the people").waitFor();
    assert.deepEqual(unexpected(window), []);
    await context.close();
  });

  await test("the page shows different messages for refusals, conflicts and server errors", async () => {
    const { page, context } = await openAs(browser, owner);
    const [{ id }] = await statement`select id from api_keys where company_id = ${one.id} limit 1`;
    await heading(page, "API keys").waitFor();
    await page.goto(`${SETTINGS}#/keys/${id}`);
    const answers = [
      [403, "Only owners and admins of the company may"],
      [409, "This key was already replaced."],
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
    // Another user deletes the key in the meantime.
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Rename" }).click();
    await withDatabase((sql) => sql`delete from api_keys where id = ${id}`);
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("alert").getByText("This no longer exists.").waitFor();
    await context.close();
  });

  await test("all actions can be performed with the keyboard alone", async () => {
    const { page, context } = await openSettings(browser);
    const type = (text: string) => page.keyboard.type(text);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    /** Presses Tab until the element with this name has the focus. */
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
    await opened(page, "API keys");
    await to("Create a key");
    await press("Enter");
    await opened(page, "Create a key");
    await to("Name");
    await type("By keyboard");
    await to("Messages");
    await press("Space", "Enter");
    await opened(page, "By keyboard");
    await to("I have stored it");
    await press("Enter");
    await page.locator("#facts").waitFor();
    await to("Switch off");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(
      await page.locator(":focus").textContent(),
      "Switch off",
      "the focus returns to the button",
    );
    await context.close();
  });
});
