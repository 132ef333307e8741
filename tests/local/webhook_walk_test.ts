// Runs the first webhook example of docs/webhooks.md on the local stack. The commands create a
// webhook and change a deal. The sandbox shows the signed event, and the client verifies the
// signature.
import assert from "node:assert/strict";
import { verifyWebhook } from "../../client/src/verify_webhook.ts";
import { readPage } from "../docs/pages.ts";
import { ask, startOn, until, withFolder } from "../support/started.ts";

/** The shell commands in the section "See one arrive". */
async function shownLines(): Promise<string[]> {
  const { text } = await readPage("docs/webhooks.md");
  const [, section] = /^## See one arrive\n([\s\S]*?)^## /m.exec(text)!;
  return Array.from(section.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, lines]) => lines);
}

Deno.test("after the commands on the page have run, a signed event about a changed deal arrives, and the client verifies it", async () => {
  await withFolder(async (folder) => {
    const { started, stack } = await startOn(`${folder}/.local`);
    const call = async (method: string, path: string, json?: unknown) => {
      const headers = { "Content-Type": "application/json" };
      const { status, body } = await ask(stack, path, {
        ...{ method, headers },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
      return body.data;
    };
    const receiver = `${stack.receiver_url}/orders`;
    const received = async () => (await (await fetch(`${receiver}.json`)).json()).data;

    const [make, change, ...more] = await shownLines();
    assert.deepEqual(more, []);
    const port = new URL(stack.url).port;
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-euc", `${make}\necho; echo ===\n${change}`.replaceAll(":54321/", `:${port}/`)],
      cwd: folder,
      stdin: "null",
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const [made] = new TextDecoder().decode(stdout).split("===");
    const { data: webhook } = JSON.parse(made);
    await until(async () => (await received()).length > 0);
    const [shown] = await received();
    assert.deepEqual([shown.type, shown.verified, shown.why], ["deal.updated", true, null]);
    const updated = await verifyWebhook(shown.headers, shown.body, webhook.secret);
    assert.deepEqual([updated.type, updated.changed], ["deal.updated", ["title"]]);
    await assert.rejects(verifyWebhook(shown.headers, `${shown.body} `, webhook.secret));
    const page = await (await fetch(receiver)).text();
    assert.match(page, /<h2>deal\.updated<\/h2>[^]*Verified/);

    // The receiver fails once, so the next event is delivered twice. The second delivery comes
    // after five seconds.
    await fetch(receiver, { method: "PUT", body: '{"status":503,"times":1}' });
    const [deal] = await call("GET", "/deals?status=open&limit=1");
    const stages: { id: string; pipeline_id: string }[] = await call("GET", "/stages");
    const { pipeline_id } = stages.find(({ id }) => id === deal.stage_id)!;
    const next = stages.find((each) =>
      each.pipeline_id === pipeline_id && each.id !== deal.stage_id
    )!;
    await call("PATCH", `/deals/${deal.id}`, { stage_id: next.id });
    await until(async () => (await received()).length >= 3);
    const [repeat, first] = await received();
    assert.deepEqual(
      [first.type, first.verified, first.answered, repeat.verified, repeat.answered],
      ["deal.stage_changed", true, 503, true, 200],
    );
    assert.equal(first.headers["webhook-id"], repeat.headers["webhook-id"]);
    const moved = await verifyWebhook(repeat.headers, repeat.body, webhook.secret);
    assert.ok(moved.type === "deal.stage_changed");
    assert.deepEqual(
      [moved.record_id, moved.changes.stage_id, (moved.data as { stage_id: string }).stage_id],
      [deal.id, { from: deal.stage_id, to: next.id }, next.id],
    );
    // The outcome of a delivery is stored shortly after the receiver has responded.
    await until(async () => {
      const [{ state, attempts }] = await call("GET", `/webhooks/${webhook.id}/deliveries`);
      return state === "delivered" && attempts === 2;
    });
    // A delivery run is in progress and ends when the stack stops.
    assert.deepEqual(await started.end(), [0, ""]);
  });
});
