// Tests that the program in docs/syncing.md does what the page says.
import assert from "node:assert/strict";
import { readIfPresent } from "../../local/files.ts";
import { call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { until, withFolder } from "../support/started.ts";
import { stack, statement } from "../support/test_stack.ts";
import { readPage } from "./pages.ts";

const { text } = await readPage("docs/syncing.md");
const [, program = ""] = /^```js\n([\s\S]*?)^```$/m.exec(text) ?? [];

Deno.test("the program in docs/syncing.md keeps a copy up to date, even after a restart", async () => {
  assert.ok(program.includes("5_000"));
  const company = await newCompany();
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/mirror.mjs`, program.replace("5_000", "20"));
    const start = () =>
      new Deno.Command("node", {
        args: [`${folder}/mirror.mjs`], // because of this path, `withFolder` kills the process if the test fails
        cwd: folder,
        env: {
          CRM_API_URL: stack.gateway_url.replace(/\/gateway$/, ""),
          CRM_API_KEY: company.keys.read,
        },
      }).spawn();
    const names = async () => {
      const copy = JSON.parse(await readIfPresent(`${folder}/contacts.json`) ?? "{}");
      return Object.values<{ name: string }>(copy.contacts ?? {}).map(({ name }) => name).sort();
    };
    const shows = (...expected: string[]) =>
      until(async () => JSON.stringify(await names()) === JSON.stringify(expected));
    const change = async (method: string, path: string, name: string) => {
      const json = { phone: anyPhone(), name };
      const { status, body } = await call(company.keys.write, method, path, { json });
      assert.ok(status < 300);
      return body.data.id as string;
    };

    let running = start();
    await shows("Ada");
    const grace = await change("POST", "/contacts", "Grace");
    await change("PATCH", `/contacts/${company.contact_id}`, "Ada Lovelace");
    await shows("Ada Lovelace", "Grace");
    running.kill("SIGKILL");
    await running.status;

    await statement`delete from contacts where id = ${grace}`;
    await change("POST", "/contacts", "Katherine");
    running = start();
    await shows("Ada Lovelace", "Katherine");
    running.kill("SIGKILL");
    await running.status;
  });
});
