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

// deno-lint-ignore no-explicit-any -- tests read parts of responses
type Row = any;

const SIGNED = "https://scontent.whatsapp.net/v/sample.jpg?oh=signature";

/**
 * Creates a company with one connected account in a business account. The company has only these
 * templates.
 */
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

/**
 * Stores a template with these columns, and reads it from the list and by its id. Both responses
 * must show the same template.
 */
async function answered(columns: TemplateColumns): Promise<Row> {
  const company = await companyWith(columns);
  const { data: [listed] } = await get(company, "/templates");
  const { data: single } = await get(company, `/templates/${company.ids[0]}`);
  assert.deepEqual(listed, single);
  return single;
}

for (const format of ["IMAGE", "VIDEO", "DOCUMENT"]) {
  Deno.test(`a template with a ${format} header has that template_header_type and needs no header value`, async () => {
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

Deno.test("a template lists its named variables in the order that a send must use", async () => {
  const body = [{ name: "person", example: "Ada" }, { name: "order", example: "A-1" }];
  const template = await answered({ parameter_format: "NAMED", variables: { body } });
  assert.deepEqual(
    [template.parameter_format, template.variables.body, template.send.body_variables],
    ["NAMED", body, 2],
  );
});

Deno.test("each button that needs a value is counted and returned with its position", async () => {
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
  ["in an unknown status", { status: "FROZEN" }, [/is FROZEN at the channel/]],
  ["a carousel", { unsupported: ["CAROUSEL"] }, [/cannot send: a carousel$/]],
  ["without its media", {
    header_format: "IMAGE",
    media_problem: "The sample is larger than 5 MB",
  }, [/media of the template's header .*larger than 5 MB$/]],
  ["paused and has a flow", { status: "PAUSED", unsupported: ["FLOW"] }, [/PAUSED/, /a flow/]],
];
for (const [what, columns, sentences] of REASONS) {
  Deno.test(`a template that is ${what} cannot be sent, and why_not contains the reason`, async () => {
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

Deno.test("the responses about templates contain no signed URL and no internal field", async () => {
  const company = await companyWith({ header_format: "IMAGE", sample_url: SIGNED, otp_button: 0 });
  for (const path of ["/templates", `/templates/${company.ids[0]}`]) {
    const text = JSON.stringify(await get(company, path));
    for (const hidden of ["scontent", "signature", "sample_", "rendering", "otp_button"]) {
      assert.ok(!text.includes(hidden), `${path} has ${hidden}`);
    }
  }
});
