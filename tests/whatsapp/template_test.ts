// Tests how a listed template becomes a catalogue entry: its values, their order, and the text that
// the recipient sees.

import assert from "node:assert/strict";
import type { CatalogueEntry } from "../../supabase/functions/_shared/templates/catalogue_entry.ts";
import { catalogueEntry } from "../../supabase/functions/_shared/templates/template.ts";

function entryOf(components: unknown, more: object = {}): CatalogueEntry {
  const listed = { name: "t", language: "es", status: "APPROVED", category: "UTILITY", components };
  return catalogueEntry({ ...listed, ...more })!;
}

const body = (text: string, example?: object) => ({ type: "BODY", text, example });
const buttons = (...list: object[]) => entryOf([{ type: "BUTTONS", buttons: list }]);

Deno.test("a catalogue entry has the values that the channel lists, and null for all other fields", () => {
  assert.deepEqual(
    catalogueEntry({
      id: "1689556908129832",
      name: "order_update",
      language: "pt_BR",
      status: "APPROVED",
      category: "MARKETING",
      correct_category: "UTILITY",
      quality_score: { score: "GREEN", date: 1795258800 },
      rejected_reason: "NONE",
      parameter_format: "POSITIONAL",
      message_send_ttl_seconds: 43_200,
      components: [body("Olá {{1}}", { body_text: [["Ana"]] }), { type: "FOOTER", text: "Sair" }],
      library_template_name: "x",
    }),
    {
      channel_template_id: "1689556908129832",
      name: "order_update",
      language: "pt_BR",
      status: "APPROVED",
      category: "MARKETING",
      upcoming_category: "UTILITY",
      quality: "GREEN",
      rejected_reason: null,
      parameter_format: "POSITIONAL",
      components: [body("Olá {{1}}", { body_text: [["Ana"]] }), { type: "FOOTER", text: "Sair" }],
      header_format: null,
      variables: { header: [], body: [{ name: "1", example: "Ana" }], buttons: [] },
      otp_button: null,
      rendering: { header: null, body: ["Olá ", 0], footer: "Sair", buttons: [] },
      unsupported: [],
      sample_url: null,
      ttl_seconds: 43_200,
    },
  );
  assert.deepEqual(catalogueEntry({ name: "hello_world", language: "en_US" }), {
    channel_template_id: null,
    name: "hello_world",
    language: "en_US",
    status: "UNKNOWN",
    category: null,
    upcoming_category: null,
    quality: null,
    rejected_reason: null,
    parameter_format: "POSITIONAL",
    components: [],
    header_format: null,
    variables: { header: [], body: [], buttons: [] },
    otp_button: null,
    rendering: { header: null, body: null, footer: null, buttons: [] },
    unsupported: [],
    sample_url: null,
    ttl_seconds: null,
  });
});

Deno.test("a lifetime of -1 seconds, which means 30 days, is the only lifetime below 1 that a catalogue entry keeps", () => {
  const lifetimes = [-1, 30, -2, 0, 1.5].map((seconds) =>
    entryOf([], { message_send_ttl_seconds: seconds }).ttl_seconds
  );
  assert.deepEqual(lifetimes, [-1, 30, null, null, null]);
});

Deno.test("an upcoming category that equals the current category is left out", () => {
  assert.equal(entryOf([], { correct_category: "UTILITY" }).upcoming_category, null);
  assert.equal(entryOf([], { correct_category: "MARKETING" }).upcoming_category, "MARKETING");
});

Deno.test("a template without a name or a language is not in the catalogue", () => {
  const names: unknown[] = [undefined, null, "", 7, {}, "n".repeat(513)];
  for (const name of names) assert.equal(catalogueEntry({ name, language: "es" }), null);
  for (const language of names) assert.equal(catalogueEntry({ name: "t", language }), null);
  for (const listed of [undefined, null, 7, "t", [], {}]) {
    assert.equal(catalogueEntry(listed), null);
  }
});

Deno.test("only the malformed properties of a template are dropped", () => {
  const odd = [7, true, [], {}, "", null, [[[]]], { score: 7 }];
  for (const value of odd) {
    const names = "id status category correct_category quality_score rejected_reason " +
      "parameter_format message_send_ttl_seconds";
    const members = Object.fromEntries(names.split(" ").map((name) => [name, value]));
    const entry = entryOf([body("Hi {{1}}"), value, { type: "FOOTER", text: value }], members);
    assert.equal(entry.name, "t");
    assert.deepEqual(entry.rendering.body, ["Hi ", 0]);
    assert.deepEqual(entry.variables.body, [{ name: "1", example: null }]);
  }
  assert.deepEqual(entryOf("none").components, []);
});

Deno.test("the variables of a body are its distinct placeholders, in numerical order", () => {
  const example = { body_text: [["um", "dois", "três"], ["other", "row", "s"]] };
  const variables = (text: string) => entryOf([body(text, example)]).variables.body;
  const [one, two, three] = ["um", "dois", "três"].map((example, n) => ({
    name: `${n + 1}`,
    example,
  }));
  assert.deepEqual(variables("{{2}} and {{1}}, again {{2}}{{2}}"), [one, two]);
  assert.deepEqual(variables("{{ 1 }}{{3}}\n{{2 }}"), [one, two, three]);
  assert.deepEqual(variables("{{01}} {{1}}"), [one]);
  assert.deepEqual(variables("{{}} {1} {{a b}} {{1"), []);
  const ten = Array.from({ length: 10 }, (_, n) => `{{${10 - n}}}`).join(" ");
  assert.deepEqual(variables(ten).map(({ name }) => Number(name)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

Deno.test("the variables of a NAMED template are in order of appearance, each with its own example", () => {
  const named = [
    {
      type: "HEADER",
      format: "TEXT",
      text: "{{ shop }}",
      example: { header_text_named_params: [{ param_name: "shop", example: "Lojinha" }] },
    },
    body("{{order_id}} for {{name}}: {{order_id}}", {
      body_text_named_params: [
        { param_name: "name", example: "Ana" },
        { param_name: "order_id", example: "77" },
      ],
    }),
  ];
  for (const parameter_format of ["NAMED", undefined]) {
    const { variables, rendering, ...entry } = entryOf(named, { parameter_format });
    assert.equal(entry.parameter_format, "NAMED");
    assert.deepEqual(variables.header, [{ name: "shop", example: "Lojinha" }]);
    assert.deepEqual(variables.body, [
      { name: "order_id", example: "77" },
      { name: "name", example: "Ana" },
    ]);
    assert.deepEqual(rendering.header, [0]);
    assert.deepEqual(rendering.body, [0, " for ", 1, ": ", 0]);
  }
});

Deno.test("a template without a format is POSITIONAL if all its placeholders are numbers", () => {
  assert.equal(entryOf([body("{{1}}")]).parameter_format, "POSITIONAL");
  assert.equal(entryOf([body("none")]).parameter_format, "POSITIONAL");
  assert.equal(entryOf([body("{{1}} {{name}}")]).parameter_format, "NAMED");
  assert.equal(entryOf([body("{{1}}")], { parameter_format: "NAMED" }).parameter_format, "NAMED");
});

Deno.test("a text header has its variable and the variable's example", () => {
  const header = (text: string) =>
    entryOf([{ type: "HEADER", format: "TEXT", text, example: { header_text: ["Loja"] } }]);
  assert.equal(header("x").header_format, "TEXT");
  assert.deepEqual(header("Shop {{1}}").variables.header, [{ name: "1", example: "Loja" }]);
  assert.deepEqual(header("Shop {{1}}").rendering.header, ["Shop ", 0]);
  assert.deepEqual(header("Shop").variables.header, []);
});

const SIGNED = "https://scontent.whatsapp.net/v/t61/1.jpg?ccb=1-7&oh=secret&oe=6AF1";

Deno.test("a media header has the URL of its sample, but the listed components do not contain that URL", () => {
  for (const format of ["IMAGE", "VIDEO", "DOCUMENT"]) {
    const header = { type: "HEADER", format, example: { header_handle: [SIGNED], more: 1 } };
    const entry = entryOf([body("x"), header]);
    assert.equal(entry.header_format, format);
    assert.equal(entry.sample_url, SIGNED);
    assert.deepEqual(entry.components[1], { type: "HEADER", format, example: { more: 1 } });
    assert.deepEqual(entry.unsupported, []);
    assert.deepEqual(entry.variables, { header: [], body: [], buttons: [] });
    assert.equal(entry.rendering.header, null);
  }
});

Deno.test("an upload handle, a `file:` URL or a very long URL is not a sample", () => {
  const none = [
    ...["4::aW1hZ2U=", "file:///etc/passwd", "", 7, null],
    `https://x/y?${"x".repeat(5000)}`,
    // The encoded form of the next URL is too long for a column, and the URL after it is too long
    // for an index.
    `https://x/y?${"ã".repeat(1500)}`,
    `https://x/${"x".repeat(2500)}`,
  ];
  for (const handle of none) {
    const header = { type: "HEADER", format: "IMAGE", example: { header_handle: [handle] } };
    assert.equal(entryOf([header]).sample_url, null);
  }
  const signed = `https://x/y?${"x".repeat(4000)}`;
  const long = { type: "HEADER", format: "IMAGE", example: { header_handle: [`${signed}#here`] } };
  assert.equal(entryOf([long]).sample_url, signed);
  assert.equal(entryOf([{ type: "HEADER", format: "IMAGE" }]).sample_url, null);
  const text = { type: "HEADER", format: "TEXT", example: { header_handle: [SIGNED] } };
  assert.equal(entryOf([text]).sample_url, null);
});

Deno.test("signed URLs are removed at every depth, and other URLs are kept", () => {
  const card = {
    components: [{ type: "HEADER", format: "IMAGE", example: { header_handle: [SIGNED] } }],
  };
  const url = "https://shop.example/p?code={{1}}&oe=1";
  const entry = entryOf([
    { type: "CAROUSEL", cards: [card], preview: `see ${SIGNED} now` },
    { type: "BUTTONS", buttons: [{ type: "URL", url, text: "Go" }] },
  ]);
  assert.equal(entry.sample_url, null);
  assert.doesNotMatch(JSON.stringify(entry), /secret|oe=6AF1|header_handle/);
  assert.match(JSON.stringify(entry), /see https:\/\/scontent\.whatsapp\.net\/v\/t61\/1\.jpg now/);
  assert.ok(JSON.stringify(entry).includes(url));
});

Deno.test("a button whose URL ends in a placeholder needs the end of the URL as its value", () => {
  const url = "https://shop.example/p/{{1}}";
  const { variables, rendering } = buttons(
    { type: "QUICK_REPLY", text: "Yes" },
    { type: "URL", text: "Site", url: "https://shop.example/" },
    { type: "URL", text: "Order", url, example: ["https://shop.example/p/77"] },
    { type: "URL", text: "Terms", url: "https://shop.example/{{ 1 }}", example: ["terms"] },
    { type: "url", text: "None", url, example: [] },
  );
  assert.deepEqual(variables.buttons, [
    { index: 2, kind: "url", text: "Order", example: "77" },
    { index: 3, kind: "url", text: "Terms", example: "terms" },
    { index: 4, kind: "url", text: "None", example: null },
  ]);
  assert.deepEqual(rendering.buttons, ["Yes", "Site", "Order", "Terms", "None"]);
});

Deno.test("a button that copies a code needs the code as its value", () => {
  for (const example of [["SAVE10"], "SAVE10"]) {
    const { variables } = buttons({ type: "COPY_CODE", text: "Copy", example });
    assert.deepEqual(variables.buttons, [
      { index: 0, kind: "copy_code", text: "Copy", example: "SAVE10" },
    ]);
  }
});

Deno.test("quick reply, phone number, fixed URL and call buttons need no value", () => {
  const { variables, unsupported, rendering } = buttons(
    { type: "QUICK_REPLY", text: "Yes" },
    { type: "PHONE_NUMBER", text: "Call", phone_number: "+551140028922" },
    { type: "URL", text: "Site", url: "https://shop.example" },
    { type: "VOICE_CALL", text: "Talk" },
  );
  assert.deepEqual([variables.buttons, unsupported], [[], []]);
  assert.deepEqual(rendering.buttons, ["Yes", "Call", "Site", "Talk"]);
});

Deno.test("an authentication template needs its code once, for both the body and the button", () => {
  const otp = "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}";
  const listed: [body: object, button: object][] = [
    [body("*{{1}}* is your code."), { type: "OTP", otp_type: "COPY_CODE", text: "Copy" }],
    [{ type: "BODY", add_security_recommendation: true }, { type: "OTP", text: "Copy" }],
    [body("*{{1}}* is your code."), { type: "URL", text: "Copy", url: otp }],
    [{ type: "BODY" }, { type: "URL", text: "Copy", url: otp.replace("1", " 1 ") }],
    [body("Your code."), { type: "OTP", text: "Copy" }],
  ];
  for (const [text, button] of listed) {
    const components = [text, { type: "FOOTER", code_expiration_minutes: 5 }, {
      type: "BUTTONS",
      buttons: [button],
    }];
    const entry = entryOf(components, { category: "AUTHENTICATION" });
    assert.deepEqual(entry.variables.body, [{ name: "1", example: null }]);
    assert.deepEqual(entry.variables.buttons, []);
    assert.equal(entry.otp_button, 0);
    assert.deepEqual(entry.unsupported, []);
    assert.deepEqual(entry.rendering.buttons, ["Copy"]);
  }
  const without = entryOf([{ type: "BODY" }], { category: "AUTHENTICATION" });
  assert.deepEqual(without.variables.body, [{ name: "1", example: null }]);
  assert.equal(without.otp_button, null);
});

Deno.test("in a template that is not an authentication template, a URL with a code is treated like any other URL", () => {
  const entry = buttons({ type: "URL", text: "Go", url: "https://x.example/?code=otp{{1}}" });
  assert.equal(entry.otp_button, null);
  assert.equal(entry.variables.buttons.length, 1);
});

Deno.test("if the API cannot send the parameters of a component, `unsupported` contains the component's name once", () => {
  const odd = [
    ...[{ type: "CAROUSEL", cards: [] }, { type: "LIMITED_TIME_OFFER" }, { type: "CAROUSEL" }],
    ...[{ type: "HEADER", format: "LOCATION" }, { type: "hologram" }, {}],
    {
      type: "BUTTONS",
      buttons: ["FLOW", "CATALOG", "MPM", "SPM", "ORDER_DETAILS", "flow", "TELEPATHY"]
        .map((type) => ({ type, text: type })),
    },
  ];
  assert.deepEqual(entryOf(odd).unsupported, [
    ...["CAROUSEL", "LIMITED_TIME_OFFER", "LOCATION", "HOLOGRAM", "UNKNOWN"],
    ...["FLOW", "CATALOG", "MPM", "SPM", "ORDER_DETAILS", "TELEPATHY"],
  ]);
  assert.equal(entryOf(odd).header_format, "LOCATION");
});

Deno.test("components over 64 KiB are left out, and the template cannot be sent", () => {
  const withText = (length: number) => entryOf([{ type: "BODY", text: "é".repeat(length) }]);
  const small = withText(32_000);
  assert.deepEqual(small.unsupported, []);
  const large = withText(33_000);
  assert.deepEqual(large.unsupported, ["TOO_LARGE"]);
  assert.deepEqual(large.components, []);
  assert.equal(large.rendering.body, null);
});
