// What a template message must carry, by the channel's rules. The sandbox checks it as the channel does.
import assert from "node:assert/strict";
import { TEMPLATES } from "../../local/sandbox/templates.ts";
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

/** What a send of each template that is approved must carry. */
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

Deno.test("every template that is approved is sent with what it needs, in each of its languages", async () => {
  const approved = Object.entries(TEMPLATES).filter(([, { status }]) => status === undefined);
  assert.deepEqual(approved.map(([name]) => name), Object.keys(SENDS));
  for (const [name, { components }] of approved) {
    for (const language of Object.keys(components)) {
      const { status, body } = await send({ name, language, components: SENDS[name] });
      assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
    }
  }
});

Deno.test("a send that leaves out any part that its template needs is refused", async () => {
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

Deno.test("a template that needs nothing takes nothing", async () => {
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

interface Case {
  name?: string;
  language?: string;
  components?: unknown[];
}

/** Sends that are refused with a code, for a reason. */
const REFUSED: Record<string, [code: number, details: RegExp, ...cases: Case[]]> = {
  "a template that does not exist": [
    132001,
    /^template name \(\w*\) does not exist in \w+$/,
    ...["unknown", "order", "order_update2", "Order_Update", "", "constructor"].map((name) => ({
      name,
    })),
  ],
  "a language in which the template does not exist": [
    132001,
    /^template name \(order_update\) does not exist in \S*$/,
    ...["fr", "en", "pt-BR", "PT_BR", "pt", ""].map((language) => ({ language })),
  ],
  "a template that is rejected, or waits for its approval": [
    132001,
    /does not exist in en_US/,
    { name: "free_machine" },
    { name: "visit_survey", components: [body("12 March")] },
  ],
  "a template that is paused": [
    132015,
    /paused/,
    { name: "payment_reminder", components: [body("A-1815")] },
    { name: "payment_reminder" },
  ],
  "too few body variables": [
    132000,
    /^body: number of localizable_params \([01]\) does not match the expected number of params \(2\)$/,
    { components: [] },
    { components: [body("Ada")] },
  ],
  "too many body variables": [
    132000,
    /^body: number of localizable_params \(3\) does not match the expected number of params \(2\)$/,
    { components: [body("a", "b", "c")] },
    // A variable that is twice in the text is one.
    { name: "loyalty_points", components: [body("a", "b", "c")] },
  ],
  "a wrong number of header variables": [
    132000,
    /^header: number of localizable_params \(\d\) does not match the expected number of params \([01]\)$/,
    { name: "service_visit", components: [body("a", "b")] },
    { name: "service_visit", components: [header(text("a"), text("b")), body("a", "b")] },
    { components: [header(text("a")), body("a", "b")] },
    { name: "hello_world", components: [header(text("a"))] },
  ],
  "a media header that is left out": [
    132012,
    /^header: Format mismatch, expected (IMAGE|VIDEO|DOCUMENT|LOCATION), received UNKNOWN$/,
    { name: "new_arrival", components: [body("Ada")] },
    { name: "machine_tour" },
    { name: "invoice_ready", components: [body("a", "b")] },
    { name: "pickup_point", components: [body("a")] },
  ],
  "a header of another format": [
    132012,
    /^header: Format mismatch, expected \w+, received \w+$/,
    { name: "machine_tour", components: [imageHeader()] },
    {
      name: "new_arrival",
      components: [header({ type: "video", video: { id: video } }), body("a")],
    },
    { name: "new_arrival", components: [header(text("a")), body("a")] },
    { name: "service_visit", components: [imageHeader(), body("a", "b")] },
    { name: "hello_world", components: [imageHeader()] },
  ],
  "two media in a header": [
    132012,
    /^header: it takes one parameter$/,
    {
      name: "new_arrival",
      components: [
        header({ type: "image", image: { id: image } }, { type: "image", image: { id: image } }),
        body("a"),
      ],
    },
  ],
  "a medium that nobody has uploaded, or not for this number": [
    131053,
    /no medium with the id/,
    { name: "new_arrival", components: [imageHeader("4711"), body("Ada")] },
    // The handle of a template's sample is no media id.
    { name: "new_arrival", components: [imageHeader("4::aW1hZ2U="), body("Ada")] },
    {
      name: "new_arrival",
      components: [imageHeader(await idOf(fileOf("image/png"), "2")), body("Ada")],
    },
  ],
  "a medium of another type than the header's": [
    131053,
    /^The medium is no image: application\/pdf$/,
    { name: "new_arrival", components: [imageHeader(pdf), body("Ada")] },
  ],
  "the address of a template's own sample as a link": [
    131053,
    /http code 403/,
    {
      name: "new_arrival",
      components: [
        header({
          type: "image",
          image: { link: `${CHANNEL}/samples/espresso_cup.jpg?oe=7fffffff` },
        }),
        body("Ada"),
      ],
    },
  ],
  "a medium with neither id nor link, with both, or with more": [
    132012,
    /malformed/,
    ...[{}, { id: image, link: "https://x.example/a.jpg" }, { id: image, caption: "a" }, {
      link: "ftp://x/a",
    }]
      .map((image) => ({
        name: "new_arrival",
        components: [header({ type: "image", image }), body("a")],
      })),
  ],
  "an empty variable": [
    132018,
    /cannot be empty/,
    { components: [body("Ada", "")] },
    { name: "service_visit", components: [header(text("")), body("a", "b")] },
    { name: "delivery_tracking", components: [body("a", "b"), urlButton("1", "")] },
    { name: "welcome_discount", components: [body("a"), copyCode("0", "")] },
  ],
  "a variable with a line break, a tab or five spaces in a row": [
    132018,
    /Param text cannot have new-line\/tab characters or more than 4 consecutive spaces/,
    ...["a\nb", "a\r\nb", "\ta", "a     b", "     "].map((value) => ({
      components: [body("Ada", value)],
    })),
    { name: "service_visit", components: [header(text("a\nb")), body("a", "b")] },
    {
      name: "quote_ready",
      components: [
        named("header", { quote_number: "a\tb" }),
        named("body", QUOTE),
      ],
    },
    { name: "delivery_tracking", components: [body("a", "b"), urlButton("1", "a\nb")] },
  ],
  "a text that is too long once it is filled": [
    132005,
    /too long|at most/,
    { name: "welcome_discount", components: [body("x".repeat(1024)), copyCode("0", "BEANS15")] },
    { name: "service_visit", components: [header(text("x".repeat(60))), body("a", "b")] },
    { components: [body("Ada", "x".repeat(32_768))] },
  ],
  "a named variable without its name": [
    131008,
    /Parameter name is missing or empty/,
    { name: "quote_ready", components: [header(text("Q-77")), named("body", QUOTE)] },
    {
      name: "quote_ready",
      components: [
        named("header", { quote_number: "Q-77" }),
        body("Ada", "Brisa", "1", "May"),
      ],
    },
  ],
  "too few named variables": [
    132000,
    /^body: number of localizable_params \(1\) does not match the expected number of params \(4\)$/,
    {
      name: "quote_ready",
      components: [
        named("header", { quote_number: "Q-77" }),
        named("body", { customer_name: "Ada" }),
      ],
    },
  ],
  "a name that the template does not have, or that comes twice": [
    132012,
    /^body: Parameter name \w+ is unknown or given twice$/,
    {
      name: "quote_ready",
      components: [
        named("header", { quote_number: "Q-77" }),
        named("body", { customer_name: "a", machine: "b", amount: "c", date: "d" }),
      ],
    },
    {
      name: "quote_ready",
      components: [
        named("header", { quote_number: "Q-77" }),
        {
          type: "body",
          parameters: ["amount", "amount", "machine", "customer_name"].map((name) => (
            { type: "text", parameter_name: name, text: "a" }
          )),
        },
      ],
    },
  ],
  "a name in a template with numbered variables": [
    132012,
    /no named parameters/,
    { components: [named("body", { 1: "Ada", 2: "A-1815" })] },
  ],
  "a button whose value is left out": [
    131008,
    /^buttons: Button at index [01] of type (Url|Copy_code|Otp) requires a parameter$/,
    { name: "delivery_tracking", components: [body("a", "b")] },
    { name: "welcome_discount", components: [body("a")] },
    { name: "login_code", components: [body("123456")] },
    { name: "phone_verification", components: [body("123456")] },
    // Beside the right button there is another one.
    { name: "delivery_tracking", components: [body("a", "b"), urlButton("2", "a")] },
  ],
  "a value for a button that takes none, or another one": [
    132012,
    /^buttons: /,
    {
      name: "delivery_tracking",
      components: [body("a", "b"), urlButton("1", "a"), urlButton("2", "a")],
    },
    {
      name: "delivery_tracking",
      components: [body("a", "b"), urlButton("1", "a"), urlButton("0", "a")],
    },
    {
      name: "delivery_tracking",
      components: [body("a", "b"), urlButton("1", "a"), urlButton("3", "a")],
    },
    { name: "delivery_tracking", components: [body("a", "b"), copyCode("1", "a")] },
    { name: "welcome_discount", components: [body("a"), urlButton("0", "a")] },
    { name: "service_visit", components: [header(text("a")), body("a", "b"), urlButton("2", "a")] },
  ],
  "a code that is too long": [
    132018,
    /at most 20/,
    { name: "welcome_discount", components: [body("a"), copyCode("0", "x".repeat(21))] },
  ],
  "a carousel without its cards": [
    131008,
    /^carousel: /,
    { name: "season_picks", components: [body("Ada")] },
  ],
  "a carousel with other cards": [
    132012,
    /^carousel: /,
    { name: "season_picks", components: [body("Ada"), cards(0)] },
    { name: "season_picks", components: [body("Ada"), cards(1, 0)] },
    { name: "season_picks", components: [body("Ada"), cards(0, 1, 2)] },
    { components: [body("a", "b"), cards(0, 1)] },
  ],
  "components that no template has": [
    132012,
    /^template\.components/,
    ...["footer", "buttons", "limited_time_offer", "HEADER", "order_status"].map((type) => (
      { components: [body("a", "b"), { type, parameters: [text("a")] }] }
    )),
    { components: [body("a", "b"), body("a", "b")] },
    {
      name: "delivery_tracking",
      components: [body("a", "b"), urlButton("1", "a"), urlButton("1", "b")],
    },
    ...["flow", "catalog", "mpm", "voice_call"].map((sub_type) => (
      { components: [body("a", "b"), { ...urlButton("0", "a"), sub_type }] }
    )),
    { components: [body("a", "b"), { ...urlButton("0", "a"), index: "x" }] },
    { components: [{ type: "body", parameters: [{ type: "currency", currency: {} }] }] },
  ],
};

for (const [what, [code, details, ...cases]] of Object.entries(REFUSED)) {
  Deno.test(`${what}: ${code}`, async () => {
    for (const { name = "order_update", ...rest } of cases) {
      assertFault(await send({ name, ...rest }), code, details);
    }
  });
}

Deno.test("four spaces in a row, and any other character, are allowed in a variable", async () => {
  for (const value of ["a    b", "    ", " ", "x\u00a0y", "🚚", "{{1}}", "a\u2028b"]) {
    assert.equal(
      (await send({ name: "order_update", components: [body("Ada", value)] })).status,
      200,
    );
  }
});

Deno.test("a text may be as long as the channel allows once it is filled", async () => {
  const full = (text: string, limit: number) =>
    "🚚".repeat(limit - [...text.replace(/\{\{\d\}\}/g, "")].length);
  const [listed] = TEMPLATES.welcome_discount.components.en_US;
  assert.ok(listed.type === "BODY");
  const longest = full(listed.text, 1024);
  const sent = (name: string) =>
    send({ name: "welcome_discount", components: [body(name), copyCode("0", "BEANS15")] });
  assert.equal((await sent(longest)).status, 200);
  assertFault(await sent(`${longest}x`), 132005);
  // A body that stands alone may be longer.
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

Deno.test("media from any other address are taken as a link", async () => {
  const link = "https://cdn.example/cup.jpg";
  const components = [header({ type: "image", image: { link } }), body("Ada")];
  assert.equal((await send({ name: "new_arrival", components })).status, 200);
});

Deno.test("a medium that was deleted, or uploaded 30 days ago, cannot be sent any more: 131053", async () => {
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
