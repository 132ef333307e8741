// Tests the rules for template messages. The sandbox checks messages as the channel does.
import assert from "node:assert/strict";
import { TEMPLATES } from "../../sandbox/templates.ts";
import {
  assertFault,
  body,
  CHANNEL,
  copyCode,
  directSandbox,
  fileOf,
  header,
  named,
  text,
  urlButton,
} from "./direct_sandbox.ts";

const sandbox = directSandbox();
const { send, upload } = sandbox;
const SENDER = "106540352242922";

const idOf = async (file: File, sender = SENDER) => (await upload(sender, file)).body.id;
const image = await idOf(fileOf("image/jpeg"));
const video = await idOf(fileOf("video/mp4"));
const pdf = await idOf(fileOf("application/pdf"));

const imageHeader = (id = image) => header({ type: "image", image: { id } });
const QUOTE = {
  customer_name: "Ada",
  machine: "Brisa 2G",
  amount: "15,900",
  expiry_date: "31 May",
};
const cards = (...indexes: number[]) => ({
  type: "carousel",
  cards: indexes.map((card_index) => (
    { card_index, components: [imageHeader(), body("USD 12"), urlButton("1", "espresso")] }
  )),
});

/** For each approved template, the components that a send must contain. */
const SENDS: Record<string, unknown[]> = {
  order_update: [body("Ada", "A-1815")],
  hello_world: [],
  service_visit: [header(text("S-204")), body("Ada", "12 March")],
  new_arrival: [imageHeader(), body("Ada")],
  machine_tour: [header({ type: "video", video: { id: video } })],
  invoice_ready: [
    header({ type: "document", document: { id: pdf, filename: "invoice.pdf" } }),
    body("A-1815", "USD 480.00"),
  ],
  pickup_point: [
    header({ type: "location", location: { latitude: "-23.5", longitude: -46.6, name: "Shop" } }),
    body("A-1815"),
  ],
  quote_ready: [named("header", { quote_number: "Q-77" }), named("body", QUOTE)],
  delivery_tracking: [body("Ada", "Correos"), urlButton("1", "BR2-00391")],
  welcome_discount: [body("Ada"), copyCode("0", "BEANS15")],
  loyalty_points: [body("Ada", "120")],
  login_code: [body("123456"), urlButton("0", "123456")],
  phone_verification: [body("123456"), urlButton(0, "123456")],
  season_picks: [body("Ada"), cards(0, 1)],
};

Deno.test("every approved template can be sent with its required values, in each of its languages", async () => {
  const approved = Object.entries(TEMPLATES).filter(([, { status }]) => status === undefined);
  assert.deepEqual(approved.map(([name]) => name), Object.keys(SENDS));
  for (const [name, { components }] of approved) {
    for (const language of Object.keys(components)) {
      const { status, body } = await send({ name, language, components: SENDS[name] });
      assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
    }
  }
});

Deno.test("a send is refused if it omits a part that its template requires", async () => {
  for (const [name, components] of Object.entries(SENDS)) {
    for (const left of components) {
      const { status } = await send({
        name,
        components: components.filter((each) => each !== left),
      });
      assert.equal(status, 400, `${name} without ${JSON.stringify(left)}`);
    }
  }
});

Deno.test("a send is refused if it contains a part that its template does not have", async () => {
  for (const [name, components] of Object.entries(SENDS)) {
    const more = [header(text("a")), imageHeader(), body("a"), urlButton("5", "a"), cards(0)];
    for (const extra of more) {
      if (components.some((each) => (each as { type: string }).type === extra.type)) continue;
      const { status, body } = await send({ name, components: [...components, extra] });
      const isRefused = status === 400 && [132000, 132012].includes(body.error.code);
      assert.ok(isRefused, `${name} with ${JSON.stringify(extra)}: ${JSON.stringify(body)}`);
    }
  }
});

type Case = [template: string, ...components: unknown[]];

/** Sends that the sandbox refuses, with the error code and the reason. */
const REFUSED: Record<string, [code: number, details: RegExp, ...cases: Case[]]> = {
  "a template that does not exist": [
    132001,
    /^template name \(\S*\) does not exist in \w+$/,
    ...["unknown", "order", "order_update2", "Order_Update", "", "constructor", "pedido_é"].map(
      (name): Case => [name],
    ),
  ],
  "a template that is rejected or waits for approval": [
    132001,
    /does not exist in en_US/,
    ["free_machine"],
    ["visit_survey", body("12 March")],
  ],
  "a template that is paused": [
    132015,
    /paused/,
    ["payment_reminder", body("A-1815")],
    ["payment_reminder"],
  ],
  "too few body variables": [
    132000,
    /^body: number of localizable_params \([01]\) does not match the expected number of params \(2\)$/,
    ["order_update"],
    ["order_update", body("Ada")],
  ],
  "too many body variables": [
    132000,
    /^body: number of localizable_params \(3\) does not match the expected number of params \(2\)$/,
    ["order_update", body("a", "b", "c")],
    // A variable that appears twice in the text counts as one variable.
    ["loyalty_points", body("a", "b", "c")],
  ],
  "a wrong number of header variables": [
    132000,
    /^header: number of localizable_params \(\d\) does not match the expected number of params \([01]\)$/,
    ["service_visit", body("a", "b")],
    ["service_visit", header(text("a"), text("b")), body("a", "b")],
    ["order_update", header(text("a")), body("a", "b")],
    ["hello_world", header(text("a"))],
  ],
  "a media header without its value": [
    132012,
    /^header: Format mismatch, expected (IMAGE|VIDEO|DOCUMENT|LOCATION), received UNKNOWN$/,
    ["new_arrival", body("Ada")],
    ["machine_tour"],
    ["invoice_ready", body("a", "b")],
    ["pickup_point", body("a")],
  ],
  "a header of another format": [
    132012,
    /^header: Format mismatch, expected \w+, received \w+$/,
    ["machine_tour", imageHeader()],
    ["new_arrival", header({ type: "video", video: { id: video } }), body("a")],
    ["new_arrival", header(text("a")), body("a")],
    ["service_visit", imageHeader(), body("a", "b")],
    ["hello_world", imageHeader()],
  ],
  "a header with two media": [
    132012,
    /^header: it takes one parameter$/,
    [
      "new_arrival",
      header({ type: "image", image: { id: image } }, { type: "image", image: { id: image } }),
      body("a"),
    ],
  ],
  "media that was not uploaded for this number": [
    131053,
    /no medium with the id/,
    ["new_arrival", imageHeader("4711"), body("Ada")],
    // The handle of a template's sample is not a media id.
    ["new_arrival", imageHeader("4::aW1hZ2U="), body("Ada")],
    ["new_arrival", imageHeader(await idOf(fileOf("image/png"), "2")), body("Ada")],
  ],
  "a media file of another type than the header's": [
    131053,
    /^The medium is not of the kind image: application\/pdf$/,
    ["new_arrival", imageHeader(pdf), body("Ada")],
  ],
  "the URL of a template's own sample as a link": [
    131053,
    /http code 403/,
    [
      "new_arrival",
      header({
        type: "image",
        image: { link: `${CHANNEL}/samples/espresso_cup.jpg?oe=7fffffff` },
      }),
      body("Ada"),
    ],
  ],
  "media with neither an id nor a link, with both an id and a link, or with further members": [
    132012,
    /malformed/,
    ...[{}, { id: image, link: "https://x.example/a.jpg" }, { id: image, caption: "a" }, {
      link: "ftp://x/a",
    }]
      .map((image): Case => ["new_arrival", header({ type: "image", image }), body("a")]),
  ],
  "an empty variable": [
    132018,
    /cannot be empty/,
    ["order_update", body("Ada", "")],
    ["service_visit", header(text("")), body("a", "b")],
    ["delivery_tracking", body("a", "b"), urlButton("1", "")],
    ["welcome_discount", body("a"), copyCode("0", "")],
  ],
  "a variable with a line break, a tab or five spaces in a row": [
    132018,
    /Param text cannot have new-line\/tab characters or more than 4 consecutive spaces/,
    ...["a\nb", "a\r\nb", "\ta", "a     b", "     "].map((
      value,
    ): Case => ["order_update", body("Ada", value)]),
    ["service_visit", header(text("a\nb")), body("a", "b")],
    ["quote_ready", named("header", { quote_number: "a\tb" }), named("body", QUOTE)],
    ["delivery_tracking", body("a", "b"), urlButton("1", "a\nb")],
  ],
  "a text that is too long after its variables are filled in": [
    132005,
    /too long|at most/,
    ["welcome_discount", body("x".repeat(1024)), copyCode("0", "BEANS15")],
    ["service_visit", header(text("x".repeat(60))), body("a", "b")],
    ["order_update", body("Ada", "x".repeat(32_768))],
  ],
  "a named variable without its name": [
    131008,
    /Parameter name is missing or empty/,
    ["quote_ready", header(text("Q-77")), named("body", QUOTE)],
    ["quote_ready", named("header", { quote_number: "Q-77" }), body("Ada", "Brisa", "1", "May")],
  ],
  "too few named variables": [
    132000,
    /^body: number of localizable_params \(1\) does not match the expected number of params \(4\)$/,
    [
      "quote_ready",
      named("header", { quote_number: "Q-77" }),
      named("body", { customer_name: "Ada" }),
    ],
  ],
  "an unknown or duplicate variable name": [
    132012,
    /^body: Parameter name \w+ is unknown or given twice$/,
    [
      "quote_ready",
      named("header", { quote_number: "Q-77" }),
      named("body", { customer_name: "a", machine: "b", amount: "c", date: "d" }),
    ],
    ["quote_ready", named("header", { quote_number: "Q-77" }), {
      type: "body",
      parameters: ["amount", "amount", "machine", "customer_name"].map((name) => (
        { type: "text", parameter_name: name, text: "a" }
      )),
    }],
  ],
  "a name in a template with numbered variables": [
    132012,
    /no named parameters/,
    ["order_update", named("body", { 1: "Ada", 2: "A-1815" })],
  ],
  "a button without its value": [
    131008,
    /^buttons: Button at index [01] of type (Url|Copy_code|Otp) requires a parameter$/,
    ["delivery_tracking", body("a", "b")],
    ["welcome_discount", body("a")],
    ["login_code", body("123456")],
    ["phone_verification", body("123456")],
    // The send contains a button that the template lacks, in addition to the correct button.
    ["delivery_tracking", body("a", "b"), urlButton("2", "a")],
  ],
  "a value for a button that accepts another value or none": [
    132012,
    /^buttons: /,
    ["delivery_tracking", body("a", "b"), urlButton("1", "a"), urlButton("2", "a")],
    ["delivery_tracking", body("a", "b"), urlButton("1", "a"), urlButton("0", "a")],
    ["delivery_tracking", body("a", "b"), urlButton("1", "a"), urlButton("3", "a")],
    ["delivery_tracking", body("a", "b"), copyCode("1", "a")],
    ["welcome_discount", body("a"), urlButton("0", "a")],
    ["service_visit", header(text("a")), body("a", "b"), urlButton("2", "a")],
  ],
  "a code that is too long": [
    132018,
    /at most 20/,
    ["welcome_discount", body("a"), copyCode("0", "x".repeat(21))],
  ],
  "a carousel without its cards": [131008, /^carousel: /, ["season_picks", body("Ada")]],
  "a carousel with other cards": [
    132012,
    /^carousel: /,
    ["season_picks", body("Ada"), cards(0)],
    ["season_picks", body("Ada"), cards(1, 0)],
    ["season_picks", body("Ada"), cards(0, 1, 2)],
    ["order_update", body("a", "b"), cards(0, 1)],
  ],
  "components that no template has": [
    132012,
    /^template\.components/,
    ...["footer", "buttons", "limited_time_offer", "HEADER", "order_status"].map((
      type,
    ): Case => ["order_update", body("a", "b"), { type, parameters: [text("a")] }]),
    ["order_update", body("a", "b"), body("a", "b")],
    ["delivery_tracking", body("a", "b"), urlButton("1", "a"), urlButton("1", "b")],
    ...["flow", "catalog", "mpm", "voice_call"].map((
      sub_type,
    ): Case => ["order_update", body("a", "b"), { ...urlButton("0", "a"), sub_type }]),
    ["order_update", body("a", "b"), { ...urlButton("0", "a"), index: "x" }],
    ["order_update", { type: "body", parameters: [{ type: "currency", currency: {} }] }],
  ],
};

for (const [what, [code, details, ...cases]] of Object.entries(REFUSED)) {
  Deno.test(`${what} is refused with the code ${code}`, async () => {
    for (const [name, ...components] of cases) {
      assertFault(await send({ name, components }), code, details);
    }
  });
}

Deno.test("if the template does not exist in a language, a send is refused with error code 132001", async () => {
  for (const language of ["fr", "en", "pt-BR", "PT_BR", "pt", "", "xx"]) {
    const details = /^template name \(order_update\) does not exist in \S*$/;
    assertFault(await send({ name: "order_update", language }), 132001, details);
  }
});

Deno.test("a variable may contain four consecutive spaces and any other character", async () => {
  for (const value of ["a    b", "    ", " ", "x\u00a0y", "🚚", "{{1}}", "a\u2028b"]) {
    const sent = await send({ name: "order_update", components: [body("Ada", value)] });
    assert.equal(sent.status, 200);
  }
});

Deno.test("a text may have the channel's maximum length after its variables are filled in", async () => {
  const full = (text: string, limit: number) =>
    "🚚".repeat(limit - [...text.replace(/\{\{\d\}\}/g, "")].length);
  const [listed] = TEMPLATES.welcome_discount.components.en_US;
  assert.ok(listed.type === "BODY");
  const longest = full(listed.text, 1024);
  const sent = (name: string) =>
    send({ name: "welcome_discount", components: [body(name), copyCode("0", "BEANS15")] });
  assert.equal((await sent(longest)).status, 200);
  assertFault(await sent(`${longest}x`), 132005);
  // If the template has only a body, the text may be longer.
  const components = [body("x".repeat(1024), "🚚".repeat(1024))];
  assert.equal((await send({ name: "order_update", components })).status, 200);
});

Deno.test("named variables may come in any order", async () => {
  const components = [
    named("header", { quote_number: "Q-77" }),
    named("body", Object.fromEntries(Object.entries(QUOTE).reverse())),
  ];
  assert.equal((await send({ name: "quote_ready", components })).status, 200);
});

Deno.test("a quick reply may have a payload", async () => {
  const reply = {
    type: "button",
    sub_type: "quick_reply",
    index: "0",
    parameters: [{ type: "payload", payload: "p" }],
  };
  const components = [body("Ada", "Correos"), urlButton("1", "a"), reply];
  assert.equal((await send({ name: "delivery_tracking", components })).status, 200);
});

Deno.test("a link to a media file other than the template's sample is accepted", async () => {
  const link = "https://cdn.example/cup.jpg";
  const components = [header({ type: "image", image: { link } }), body("Ada")];
  assert.equal((await send({ name: "new_arrival", components })).status, 200);
});

Deno.test("media that was deleted, or uploaded 30 days ago, is refused with error code 131053", async () => {
  const { clock, call, upload, send } = directSandbox();
  const id = (await upload(SENDER, fileOf("image/jpeg"))).body.id;
  const sent = () => send({ name: "new_arrival", components: [imageHeader(id), body("Ada")] });
  clock.now += 30 * 24 * 60 * 60 * 1000 - 1;
  assert.equal((await sent()).status, 200);
  clock.now += 1;
  assertFault(await sent(), 131053);

  const other = (await upload(SENDER, fileOf("image/jpeg"))).body.id;
  assert.equal((await call(`/${other}`, { method: "DELETE" })).status, 200);
  assertFault(
    await send({ name: "new_arrival", components: [imageHeader(other), body("Ada")] }),
    131053,
  );
});
