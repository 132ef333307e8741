// Tests the client through a proxy that damages a third of the responses. The proxy resets the
// connection, delays or truncates the response, or returns a 502.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { BUN, CLIENT, folderWithClient, ran } from "../support/built_client.ts";
import { anyPhone, newCompanyWithTemplate } from "../support/company.ts";
import { runs } from "../support/runs.ts";
import { takenFrom, template } from "../support/sending.ts";
import { stack, statement } from "../support/test_stack.ts";
import { DELAY, flakyProxy } from "./flaky_proxy.ts";

const PROGRAM = `${root}tests/client/flaky_program.mjs`;
/** The number of sends by each runtime, which is large enough for each kind of damage to occur. */
const SENDS = Math.max(20, runs(67));
const DEALS = 5;

/**
 * Deno imports the client's source code. Node and Bun import the built package, as users do.
 */
async function runtimes() {
  const built = await folderWithClient();
  const packaged = `${built}/node_modules/${CLIENT}/dist/main.js`;
  return [
    {
      name: "Deno",
      program: Deno.execPath(),
      args: ["run", "-A", "--no-check"],
      client: `${root}client/src/main.ts`,
    },
    { name: "Node", program: "node", args: [], client: packaged },
    { name: "Bun", program: BUN, args: [], client: packaged },
  ];
}

Deno.test("if a proxy damages a third of the responses, each send on Deno, Node and Bun still creates exactly one message", async (t) => {
  await Promise.all((await runtimes()).map(async ({ name, program, args, client }) => {
    await t.step({
      name,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      async fn() {
        const company = await newCompanyWithTemplate();
        const phones = Array.from({ length: SENDS }, anyPhone);
        const deals = Array.from({ length: DEALS }, (_, at) => `flaky ${at}`);
        await using proxy = flakyProxy(stack.url);
        const printed = await ran(program, [
          ...args,
          PROGRAM,
          JSON.stringify({
            client,
            apiKey: company.keys.all,
            baseUrl: `${proxy.url}/functions/v1`,
            sends: phones.map((phone) => template(phone)),
            stage_id: company.stage_ids[0],
            contact_id: company.contact_id,
            deals,
            timeout: DELAY - 500,
          }),
        ]);
        const { succeeded, made, listed, changed } = JSON.parse(printed);

        // Each kind of damage occurred, and a third of all responses were damaged.
        const { forwards, ...harms } = proxy.counts;
        assert.equal(Object.keys(harms).length, 8);
        const harmed = Object.values(harms).reduce((sum, each) => sum + each, 0);
        assert.ok(Math.abs(harmed * 2 - forwards) <= 2);

        // The channel received every message exactly once.
        assert.equal(succeeded, SENDS);
        const taken = await takenFrom(company);
        assert.deepEqual(taken.map(({ message }) => message.to).sort(), phones.sort());
        const ids = taken.map(({ id }) => id);
        const stored = await statement`select whatsapp_message_id as id from messages
            where conversation_id in (
              select conversation_id from messages where whatsapp_message_id = any(${ids})
            )`;
        assert.deepEqual(stored.map(({ id }) => id).sort(), ids.sort());

        // The API wrote every record once, and each record appears once in the list and once in the
        // changes.
        assert.deepEqual(listed.sort(), deals.sort());
        assert.equal(new Set(made).size, DEALS);
        for (const id of made) {
          assert.equal(changed.filter((each: string) => each === id).length, 1);
        }
      },
    });
  }));
});
