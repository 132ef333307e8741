// The sandbox's templates, as the channel lists them.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { SANDBOX_TOKEN } from "../../local/sandbox/rules.ts";
import { type Component, type Template, variablesOf } from "../../local/sandbox/template_types.ts";
import { TEMPLATES } from "../../local/sandbox/templates.ts";
import { assertFault, CHANNEL, directSandbox } from "./direct_sandbox.ts";

const { get, call, clock } = directSandbox();
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

Deno.test("every business account has all templates, each once for each language", async () => {
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

Deno.test("a template has every field that is asked for, and the channel's own fields otherwise", async () => {
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

Deno.test("the list goes page by page with the cursor of the page before", async () => {
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

Deno.test("the address of the next page holds the token, so it works without a header", async () => {
  const { body } = await get(`/${ACCOUNT}/message_templates?limit=2&fields=name&name=order`);
  const next = new URL(body.paging.next);
  assert.equal(next.searchParams.get("access_token"), SANDBOX_TOKEN);
  const following = await directFetch(next.href);
  assert.deepEqual(following.data.map(({ name }: Template) => name), ["order_update"]);
  assert.equal(following.paging.next, undefined);
});

Deno.test("a limit that is no positive integer and a cursor of another list are refused with 100", async () => {
  for (
    const query of [
      "limit=0",
      "limit=x",
      "limit=-1",
      "limit=1.5",
      "after=x",
      "after=c2FuZGJveCA5OQ==",
    ]
  ) {
    assertFault(await get(`/${ACCOUNT}/message_templates?${query}`), 100);
  }
});

Deno.test("the filter by name finds every name that contains it", async () => {
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

Deno.test("there is a template of every kind", () => {
  const kinds = new Set(all.flatMap(kindsOf));
  for (
    const kind of [
      ...["HEADER TEXT", "HEADER IMAGE", "HEADER VIDEO", "HEADER DOCUMENT", "HEADER LOCATION"],
      ...["NAMED", "POSITIONAL", "CAROUSEL", "FOOTER", "UTILITY", "MARKETING", "AUTHENTICATION"],
      ...["QUICK_REPLY", "PHONE_NUMBER", "URL", "URL {{1}}", "COPY_CODE", "OTP", "a code's URL"],
      ...["APPROVED", "PAUSED", "REJECTED", "PENDING", "GREEN", "YELLOW", "RED", "UNKNOWN"],
      ...["another category soon", "a variable twice", "variables in another order"],
    ]
  ) assert.ok(kinds.has(kind), kind);
  assert.deepEqual(
    all.filter(({ name }) => name === "order_update").map(({ language }) => language),
    ["pt_BR", "en_US", "es"],
  );
});

function kindsOf(template: Template): string[] {
  const { components, category, correct_category, name } = template;
  const buttons = components.flatMap((each) => each.type === "BUTTONS" ? each.buttons : []);
  const variables = Array.from(
    textOf(components, "BODY").matchAll(/\{\{(\w+)\}\}/g),
    ([, variable]) => variable,
  );
  return [
    ...[template.parameter_format, category, template.status, template.quality_score.score],
    ...components.map((each) => each.type === "HEADER" ? `HEADER ${each.format}` : each.type),
    ...buttons.map(({ type }) => type),
    ...buttons.flatMap((each) =>
      each.type !== "URL" || !each.url.includes("{{1}}")
        ? []
        : [/code=otp\{\{1\}\}$/.test(each.url) ? "a code's URL" : "URL {{1}}"]
    ),
    correct_category !== category ? "another category soon" : "",
    new Set(variables).size < variables.length ? "a variable twice" : "",
    `${variables}` !== `${variables.toSorted()}` ? "variables in another order" : "",
    name,
  ];
}

const textOf = (components: Component[], type: "HEADER" | "BODY") =>
  components.map((each) => each.type === type && "text" in each ? each.text : "").join("");

Deno.test("every variable has an example, and every example a variable", () => {
  const check = (components: Component[], isNamed: boolean) => {
    for (const component of components) {
      if (component.type === "CAROUSEL") {
        component.cards.forEach((card) => check(card.components, false));
      }
      if (component.type === "BUTTONS") {
        for (const button of component.buttons) {
          if (button.type !== "URL") continue;
          const hasVariable = variablesOf(button.url).length > 0;
          assert.equal(button.example?.length ?? 0, hasVariable ? 1 : 0);
          if (hasVariable) {
            assert.ok(button.example![0].startsWith(button.url.replace("{{1}}", "")));
          }
        }
      }
      if (
        component.type !== "BODY" && !(component.type === "HEADER" && component.format === "TEXT")
      ) continue;
      const variables = variablesOf(component.text);
      const example: Record<string, unknown> = component.example ?? {};
      const part = component.type.toLowerCase();
      const params = example[`${part}_text_named_params`] as { param_name: string }[] | undefined;
      if (isNamed) {
        assert.deepEqual(params?.map(({ param_name }) => param_name) ?? [], variables);
      } else {
        const given = [example[`${part}_text`] ?? []].flat(2);
        assert.equal(given.length, variables.length, component.text);
        assert.deepEqual(variables.toSorted(), given.map((_, index) => `${index + 1}`));
      }
    }
  };
  for (const { components, parameter_format } of all) {
    check(components, parameter_format === "NAMED");
  }
});

Deno.test("a media header has the signed address of its sample at the caller's own address, signed anew each time", async () => {
  const handles = (templates: Template[]) =>
    Array.from(
      JSON.stringify(templates).matchAll(/"header_handle":\["([^"]+)"\]/g),
      ([, url]) => url,
    );
  const [first, second] = [handles(all), handles(await listed())];
  assert.ok(first.length >= 4);
  for (const [at, url] of first.entries()) {
    assert.ok(url.startsWith(`${CHANNEL}/samples/`));
    const { searchParams } = new URL(url);
    assert.ok(parseInt(searchParams.get("oe")!, 16) * 1000 > clock.now);
    assert.notEqual(url, second[at]);
    assert.equal(url.split("?")[0], second[at].split("?")[0]);
  }
});

Deno.test("the catalogue asks for the token and for an id of digits", async () => {
  const path = `/${ACCOUNT}/message_templates`;
  assertFault(await call(path, { headers: { Authorization: "Bearer wrong" } }), 190);
  for (const id of ["abc", "0123", "12a", "1".repeat(33)]) {
    assertFault(await get(`/${id}/message_templates`), 100, /does not exist/);
  }
});

Deno.test("the page on the sandbox lists the templates as they are", async () => {
  const page = await Deno.readTextFile(`${root}docs/sandbox.md`);
  const [, table] = page.split("| template | languages | a send gives |\n|---|---|---|\n");
  const rows = table.split("\n\n")[0].split("\n");
  assert.deepEqual(
    rows,
    Object.entries(TEMPLATES).map(([name, { components, takes }]) =>
      `| \`${name}\` | ${Object.keys(components).join(", ")} | ${takes} |`
    ),
  );
});

// deno-lint-ignore no-explicit-any -- tests look into bodies that they then compare
async function directFetch(url: string): Promise<any> {
  return await (await directSandbox().fetch(new Request(url))).json();
}
