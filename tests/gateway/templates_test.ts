import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import {
  addTemplate,
  anyPhoneNumberId,
  connectAccount,
  disconnectAccount,
  newCompany,
  type TemplateColumns,
} from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";

// deno-lint-ignore no-explicit-any -- tests look into answers that they then compare
type Row = any;

const SIGNED = "https://scontent.whatsapp.net/v/sample.jpg?oh=signature";

/** A company with one connected account in a business account, and with only these templates. */
async function companyWith(...templates: TemplateColumns[]) {
  const company = await newCompany();
  const business_account_id = anyPhoneNumberId();
  return await withDatabase(async (sql) => {
    const account = await connectAccount(sql, company.id, { business_account_id });
    const ids: string[] = [];
    for (const template of templates) {
      ids.push(await addTemplate(sql, company.id, { business_account_id, ...template }));
    }
    return { ...company, business_account_id, account, ids };
  });
}

type OwnCompany = Awaited<ReturnType<typeof companyWith>>;

async function get({ keys }: OwnCompany, path: string): Promise<Row> {
  const { status, body } = await call(keys.read, "GET", path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** A template with these columns, as both operations return it. Both answers must be the same. */
async function answered(columns: TemplateColumns): Promise<Row> {
  const company = await companyWith(columns);
  const { data: [listed] } = await get(company, "/templates");
  const { data: single } = await get(company, `/templates/${company.ids[0]}`);
  assert.deepEqual(listed, single);
  return single;
}

const namesIn = ({ data }: Row): string[] =>
  data.map(({ name, language }: Row) => `${name} ${language}`);

Deno.test("a template shows its fields, the values that a send needs, and whether it can be sent", async () => {
  const example = { body_text: [["Ada", "A-1"]] };
  const hello = { type: "BODY", text: "Hello {{1}}, {{2}}", example };
  const company = await companyWith({
    components: [hello],
    variables: { body: [{ name: "1", example: "Ada" }, { name: "2", example: null }] },
    upcoming_category: "MARKETING",
  });
  const [id] = company.ids;
  const { data } = await get(company, `/templates/${id}`);
  const { read_at, created_at, updated_at, ...fields } = data;
  assert.deepEqual(fields, {
    id,
    company_id: company.id,
    business_account_id: company.business_account_id,
    phone_number_ids: [company.account.phone_number_id],
    name: "order_update",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    upcoming_category: "MARKETING",
    quality: "GREEN",
    rejected_reason: null,
    parameter_format: "POSITIONAL",
    components: [hello],
    variables: {
      header: [],
      body: [{ name: "1", example: "Ada" }, { name: "2", example: null }],
      buttons: [],
    },
    send: {
      ...{
        template_header_type: null,
        header_variables: 0,
        body_variables: 2,
        button_variables: 0,
      },
    },
    can_be_sent: true,
    why_not: [],
  });
  for (const time of [read_at, created_at, updated_at]) assert.ok(Date.parse(time) > 0);
  assert.deepEqual(Object.keys(data), [
    ...["id", "company_id", "business_account_id", "phone_number_ids", "name", "language"],
    ...["status", "category", "upcoming_category", "quality", "rejected_reason"],
    ...["parameter_format", "components", "variables", "send", "can_be_sent", "why_not"],
    ...["read_at", "created_at", "updated_at"],
  ]);
  assert.deepEqual(Object.keys(data.variables), ["header", "body", "buttons"]);
});

for (const format of ["IMAGE", "VIDEO", "DOCUMENT"]) {
  Deno.test(`a template with a ${format} header accepts that template_header_type and needs no header value`, async () => {
    const { send, can_be_sent } = await answered({ header_format: format });
    assert.deepEqual([send.template_header_type, send.header_variables, can_be_sent], [
      ...[format.toLowerCase(), 0, true],
    ]);
  });
}

Deno.test("a template with a text header has no template_header_type and counts the header's variables", async () => {
  const { send } = await answered({
    header_format: "TEXT",
    variables: { header: [{ name: "1", example: "A-1" }] },
  });
  assert.deepEqual([send.template_header_type, send.header_variables], [null, 1]);
});

Deno.test("a template shows its named variables in the order in which a send must give them", async () => {
  const body = [{ name: "person", example: "Ada" }, { name: "order", example: "A-1" }];
  const template = await answered({ parameter_format: "NAMED", variables: { body } });
  assert.deepEqual(
    [template.parameter_format, template.variables.body, template.send.body_variables],
    ["NAMED", body, 2],
  );
});

Deno.test("each button that needs a value is counted and shown with its position", async () => {
  const buttons = [
    { index: 1, kind: "url", text: "Track", example: "A-1" },
    { index: 2, kind: "copy_code", text: "Copy the code", example: null },
  ];
  const template = await answered({ variables: { buttons } });
  assert.deepEqual([template.variables.buttons, template.send.button_variables], [buttons, 2]);
});

const REASONS: [string, TemplateColumns, RegExp[]][] = [
  ["paused", { status: "PAUSED", status_since: new Date("2026-03-02T09:00:00Z") }, [
    /^The template is PAUSED .*2026-03-02T15:00:00\+00:00/,
  ]],
  ["rejected", { status: "REJECTED", rejected_reason: "PROMOTIONAL" }, [
    /is REJECTED at the channel/,
  ]],
  ["no longer listed", { status: "DELETED" }, [/is DELETED at the channel/]],
  ["in a status that is new to us", { status: "FROZEN" }, [/is FROZEN at the channel/]],
  ["a carousel", { unsupported: ["CAROUSEL"] }, [/cannot send: a carousel$/]],
  ["without its media", {
    header_format: "IMAGE",
    media_problem: "The sample is larger than 5 MB",
  }, [/media of its header .*larger than 5 MB$/]],
  ["paused and a flow", { status: "PAUSED", unsupported: ["FLOW"] }, [/PAUSED/, /a flow/]],
];
for (const [what, columns, sentences] of REASONS) {
  Deno.test(`a template that is ${what} cannot be sent, and why_not says why`, async () => {
    const { can_be_sent, why_not } = await answered(columns);
    assert.deepEqual([can_be_sent, why_not.length], [false, sentences.length], why_not.join("; "));
    sentences.forEach((sentence, at) => assert.match(why_not[at], sentence));
  });
}

Deno.test("a template cannot be sent while no account of its business account is connected", async () => {
  const company = await companyWith({});
  const read = async () => (await get(company, `/templates/${company.ids[0]}`)).data;
  assert.equal((await read()).can_be_sent, true);
  await withDatabase((sql) => disconnectAccount(sql, company.account.id));
  const { can_be_sent, why_not, phone_number_ids } = await read();
  assert.deepEqual([can_be_sent, phone_number_ids, why_not.length], [false, [], 1]);
  assert.match(why_not[0], /No connected account/);
});

Deno.test("reading templates returns no signed address and no internal field", async () => {
  const company = await companyWith({ header_format: "IMAGE", sample_url: SIGNED, otp_button: 0 });
  for (const path of ["/templates", `/templates/${company.ids[0]}`]) {
    const text = JSON.stringify(await get(company, path));
    for (const hidden of ["scontent", "signature", "sample_", "rendering", "otp_button"]) {
      assert.ok(!text.includes(hidden), `${path} has ${hidden}`);
    }
  }
});

Deno.test("each filter matches exactly, and several filters together narrow the list", async () => {
  const company = await companyWith(
    { name: "a", language: "en_US", status: "APPROVED", category: "UTILITY" },
    { name: "a", language: "pt_BR", status: "PAUSED", category: "UTILITY" },
    { name: "a_b", language: "en_US", status: "REJECTED", category: "MARKETING" },
    { name: "z", language: "en", status: "APPROVED", category: null },
  );
  const other = await withDatabase(async (sql) => {
    const business_account_id = anyPhoneNumberId();
    const { phone_number_id } = await connectAccount(sql, company.id, { business_account_id });
    await addTemplate(sql, company.id, { name: "other_account", business_account_id });
    return phone_number_id;
  });
  const elsewhere = "other_account en_US";
  const all = ["a en_US", "a pt_BR", "a_b en_US", elsewhere, "z en"];
  const cases: Record<string, string[]> = {
    "": all,
    "name=a": ["a en_US", "a pt_BR"],
    "name=A": [],
    "name=%25": [],
    "name=a*": [],
    "name=%20a%20": [],
    "name=a,z": ["a en_US", "a pt_BR", "z en"],
    "name=unknown": [],
    "language=en_US": ["a en_US", "a_b en_US", elsewhere],
    "language=en": ["z en"],
    "language=fr": [],
    "status=APPROVED": ["a en_US", elsewhere, "z en"],
    "status=paused": ["a pt_BR"],
    "status=UNHEARD_OF": [],
    "category=UTILITY": ["a en_US", "a pt_BR", elsewhere],
    "category=marketing": ["a_b en_US"],
    "category=UNHEARD_OF": [],
    [`phone_number_id=${company.account.phone_number_id}`]: [
      "a en_US",
      "a pt_BR",
      "a_b en_US",
      "z en",
    ],
    [`phone_number_id=${other}`]: [elsewhere],
    "phone_number_id=1": [],
    "name=a&status=PAUSED": ["a pt_BR"],
    "name=a&language=en_US&status=APPROVED&category=UTILITY": ["a en_US"],
    [`name=a&phone_number_id=${other}`]: [],
  };
  for (const [query, names] of Object.entries(cases)) {
    assert.deepEqual(namesIn(await get(company, `/templates?${query}`)), names, query);
  }
});

/** The rows of a list from its first page to its last. */
async function walk(company: OwnCompany, query: string): Promise<Row[]> {
  const found: Row[] = [];
  for (let cursor = "", hasMore = true; hasMore;) {
    const { data, pagination } = await get(company, `/templates?${query}${cursor}`);
    found.push(...data);
    assert.ok(found.length < 1000, "the walk ends");
    cursor = `&cursor=${encodeURIComponent(pagination.next_cursor)}`;
    hasMore = pagination.has_more;
  }
  return found;
}

Deno.test("templates are listed by name, language and id, and a filtered list has pages too", async () => {
  const names = ["b", "a", "c_2", "c_10"];
  const templates = names.flatMap((name) =>
    ["pt_BR", "en_US"].map((language) => ({
      name,
      language,
      status: name === "b" ? "PAUSED" : "APPROVED",
    }))
  );
  const company = await companyWith(...templates);
  const twice = { name: "a", language: "en_US", business_account_id: anyPhoneNumberId() };
  const second = await withDatabase((sql) => addTemplate(sql, company.id, twice));
  const whole = (await get(company, "/templates")).data;
  assert.equal(whole.length, 9);
  assert.deepEqual(
    whole.slice(0, 5).map(({ name, language }: Row) => [name, language]),
    [["a", "en_US"], ["a", "en_US"], ["a", "pt_BR"], ["b", "en_US"], ["b", "pt_BR"]],
  );
  const first = company.ids[3];
  assert.deepEqual(whole.slice(0, 2).map(({ id }: Row) => id), [first, second].sort());
  for (const limit of [1, 2, 8]) assert.deepEqual(await walk(company, `limit=${limit}`), whole);

  const approved = whole.filter(({ status }: Row) => status === "APPROVED");
  assert.deepEqual(await walk(company, "limit=2&status=approved"), approved);
  const { phone_number_id } = company.account;
  const own = whole.filter(({ id }: Row) => id !== second);
  assert.deepEqual(await walk(company, `limit=3&phone_number_id=${phone_number_id}`), own);
});

Deno.test("reading all pages continues after every name that the database can hold", async () => {
  const names = [
    ...['"', '\\"', "\\", "a,b", 'x",id.gt."0', "(a)", "a.12345678", "%", "*", "null", " ", " a "],
    ...["{", "名前", "a".repeat(512), "\u0001".repeat(512), "😀".repeat(512)],
  ];
  const company = await companyWith(...names.map((name) => ({ name })));
  const walked = await walk(company, "limit=1");
  assert.equal(walked.length, names.length);
  assert.deepEqual(new Set(walked.map(({ name }) => name)), new Set(names));
});
