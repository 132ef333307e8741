// Tests the list of the sandbox's templates, which has the channel's format.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { type Template } from "../../sandbox/template_types.ts";
import { TEMPLATES } from "../../sandbox/templates.ts";
import { assertFault, directSandbox } from "./direct_sandbox.ts";

const { get, call } = directSandbox();
const ACCOUNT = "106540352200000";
const ALL_FIELDS =
  "id,name,language,status,category,correct_category,quality_score,rejected_reason," +
  "parameter_format,components,message_send_ttl_seconds";

async function listed(query: Record<string, string> = {}, account = ACCOUNT): Promise<Template[]> {
  const search = new URLSearchParams({ limit: "100", fields: ALL_FIELDS, ...query });
  const { status, body } = await get(`/${account}/message_templates?${search}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const all = await listed();

Deno.test("every business account lists each template once in each of its languages", async () => {
  const names = all.map(({ name, language }) => `${name} ${language}`);
  assert.deepEqual(
    names,
    Object.entries(TEMPLATES).flatMap(([name, { components }]) =>
      Object.keys(components).map((language) => `${name} ${language}`)
    ),
  );
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  assert.deepEqual((await listed({}, "42")).map(({ id }) => id), all.map(({ id }) => id));
});

Deno.test("a listed template has the requested fields, or by default the channel's default fields", async () => {
  for (const template of all) {
    const expected = ALL_FIELDS.split(",").filter((field) =>
      field !== "message_send_ttl_seconds" || template.category === "AUTHENTICATION"
    );
    assert.deepEqual(Object.keys(template).sort(), expected.sort());
    assert.match(template.id, /^\d+$/);
  }
  const { body } = await get(`/${ACCOUNT}/message_templates?limit=1`);
  assert.deepEqual(
    Object.keys(body.data[0]).sort(),
    ["category", "components", "id", "language", "name", "parameter_format", "status"],
  );
  const few = await get(`/${ACCOUNT}/message_templates?limit=1&fields=name,status`);
  assert.deepEqual(few.body.data, [{ id: all[0].id, name: "order_update", status: "APPROVED" }]);
  assertFault(await get(`/${ACCOUNT}/message_templates?fields=name,colour`), 100, /\(colour\)/);
});

Deno.test("the list has pages, and each page's cursor returns the next page", async () => {
  for (const limit of [1, 7, all.length - 1, all.length, 100]) {
    const found: string[] = [];
    let pages = 0;
    for (let after = "", more = true; more; pages++) {
      const query = new URLSearchParams({ limit: `${limit}`, ...(after && { after }) });
      const { body } = await get(`/${ACCOUNT}/message_templates?${query}`);
      assert.ok(body.data.length > 0 && body.data.length <= limit);
      found.push(...body.data.map(({ id }: Template) => id));
      more = "next" in body.paging;
      after = body.paging.cursors.after;
    }
    assert.deepEqual(found, all.map(({ id }) => id));
    assert.equal(pages, Math.ceil(all.length / limit));
  }
  const { body } = await get(`/${ACCOUNT}/message_templates`);
  assert.equal(body.data.length, Math.min(25, all.length));
});

Deno.test("the URL of the next page contains the token, so it works without a header", async () => {
  const { body } = await get(`/${ACCOUNT}/message_templates?limit=2&fields=name&name=order`);
  const next = new URL(body.paging.next);
  assert.equal(next.searchParams.get("access_token"), SANDBOX_TOKEN);
  const following = await directFetch(next.href);
  assert.deepEqual(following.data.map(({ name }: Template) => name), ["order_update"]);
  assert.equal(following.paging.next, undefined);
});

Deno.test("a limit that is not a positive integer, or a cursor from another list, is refused with error code 100", async () => {
  const queries = [
    ...["limit=0", "limit=x", "limit=-1", "limit=1.5", "after=x", "after=c2FuZGJveCA5OQ=="],
  ];
  for (const query of queries) {
    assertFault(await get(`/${ACCOUNT}/message_templates?${query}`), 100);
  }
});

Deno.test("the name parameter finds every template whose name contains the text", async () => {
  const named = async (name: string) => [
    ...new Set((await listed({ name })).map(({ name }) => name)),
  ];
  assert.deepEqual(await named("order_update"), ["order_update"]);
  assert.deepEqual(await named("ready"), ["invoice_ready", "quote_ready"]);
  assert.deepEqual(await named("update"), ["order_update"]);
  assert.deepEqual(await named("Order"), []);
  const { body } = await get(`/${ACCOUNT}/message_templates?name=none`);
  assert.deepEqual(body, { data: [] });
});

Deno.test("the template list requires the token and a numeric id", async () => {
  const path = `/${ACCOUNT}/message_templates`;
  assertFault(await call(path, { headers: { Authorization: "Bearer wrong" } }), 190);
  for (const id of ["abc", "0123", "12a", "1".repeat(33)]) {
    assertFault(await get(`/${id}/message_templates`), 100, /does not exist/);
  }
});

Deno.test("docs/sandbox.md lists exactly these templates", async () => {
  const page = await Deno.readTextFile(`${root}docs/sandbox.md`);
  const [, table] = page.split("| template | languages | values in a send |\n|---|---|---|\n");
  const rows = table.split("\n\n")[0].split("\n");
  assert.deepEqual(
    rows,
    Object.entries(TEMPLATES).map(([name, { components, takes }]) =>
      `| \`${name}\` | ${Object.keys(components).join(", ")} | ${takes} |`
    ),
  );
});

// deno-lint-ignore no-explicit-any -- tests read parts of bodies that they also compare as a whole
async function directFetch(url: string): Promise<any> {
  return await (await directSandbox().fetch(new Request(url))).json();
}
