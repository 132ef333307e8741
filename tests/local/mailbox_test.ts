// Tests the page where the local stack shows the e-mails that a hosted project would send.
import assert from "node:assert/strict";
import { type Mail, mailbox } from "../../local/auth/mailbox.ts";
import { stack } from "../support/test_stack.ts";

const ADDRESS = "http://127.0.0.1/sandbox/mail";
const MAIL = { kind: "magic_link", link: "http://127.0.0.1/?a=1&b=2", code: "123456" } as const;

const json = async (box: ReturnType<typeof mailbox>): Promise<Mail[]> =>
  await box.fetch(new Request(ADDRESS, { headers: { Accept: "application/json" } })).json();
const html = async (box: ReturnType<typeof mailbox>) =>
  await box.fetch(new Request(ADDRESS)).text();

Deno.test("the page shows the newest fifty mails, newest first", async () => {
  const box = mailbox(() => new Date("2026-11-22T12:00:00Z"));
  assert.deepEqual(await json(box), []);
  assert.match(await html(box), /There is no mail yet/);
  for (let number = 1; number <= 60; number++) box.keep({ ...MAIL, to: `${number}@a.example` });
  const mails = await json(box);
  assert.equal(mails.length, 50);
  assert.deepEqual(mails[0], { at: "2026-11-22T12:00:00.000Z", ...MAIL, to: "60@a.example" });
  assert.equal(mails[49].to, "11@a.example");
});

Deno.test("a mail is shown as a page with its link, and the recipient's address is escaped in the HTML", async () => {
  const box = mailbox();
  box.keep({ ...MAIL, to: '"<script>"@a.example' });
  box.keep({ to: "b@a.example", kind: "reauthentication", link: null, code: "654321" });
  const text = await html(box);
  assert.ok(text.includes('<a href="http://127.0.0.1/?a=1&amp;b=2">'));
  assert.ok(text.includes("&quot;&lt;script>&quot;@a.example"));
  assert.match(text, /The code is 654321\./);
});

Deno.test("other sites cannot load the mail page, and the page accepts no writes", async () => {
  const page = await fetch(stack.mail_url!);
  assert.match(await page.text(), /<h1>Mail of the local stack<\/h1>/);
  assert.equal(page.headers.get("Content-Type"), "text/html; charset=utf-8");
  assert.equal(page.headers.get("Cross-Origin-Resource-Policy"), "same-origin");
  assert.equal(page.headers.get("Access-Control-Allow-Origin"), null);
  const written = await fetch(stack.mail_url!, { method: "POST" });
  assert.deepEqual([written.status, (await written.json()).message], [
    405,
    "POST is not allowed here; use GET, HEAD",
  ]);
});
