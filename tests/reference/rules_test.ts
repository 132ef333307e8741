// Tests the rules that JSON Schema cannot express. The schemas allow each request, but the service
// applies the rule. This file does not compile if a rule has no test case.
import assert from "node:assert/strict";
import type { RuleId } from "../../generate/openapi/rules.ts";
import description from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { type Answer, assertField, call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { sendReply } from "../support/replying.ts";
import { SchemaValidator } from "../support/schema_validator.ts";

const company = await newCompany();
const other = await newCompany();
const validator = new SchemaValidator(description);

/** Creates a contact with fields that the schema allows. */
async function createContact(fields: Record<string, unknown>): Promise<Answer> {
  const json = { phone: anyPhone(), ...fields };
  assert.equal(validator.problemAt(["components", "schemas", "NewContact"], json), null);
  return await call(company.keys.write, "POST", "/contacts", { json });
}

/** Tries to create a contact with this string as the request body. */
async function postContact(body: string): Promise<Answer> {
  return await call(company.keys.write, "POST", "/contacts", {
    body,
    headers: { "Content-Type": "application/json" },
  });
}

const CASES: Record<RuleId, () => Promise<void>> = {
  async trimmed() {
    const { status, body } = await createContact({ name: `  ${"x".repeat(250)}  ` });
    assert.deepEqual([status, body.data.name], [201, "x".repeat(250)]);
  },
  async storable() {
    assertField(await createContact({ name: "a\0b" }), "name", /null character/);
    assertField(await createContact({ name: "\ud800" }), "name", /half a surrogate pair/);
  },
  async given_once() {
    const body = `{"phone":"${anyPhone()}","custom_fields":{"a":1,"a":2}}`;
    assertField(await postContact(body), "a", "is given more than once");
    const answer = await call(company.keys.read, "GET", "/contacts?limit=1&limit=2");
    assertField(answer, "limit", "is given more than once");
  },
  async exact_number() {
    const body = `{"phone":"${anyPhone()}","custom_fields":{"a":12345678901234567890}}`;
    assertField(await postContact(body), "custom_fields.a", /cannot be kept exactly/);
  },
  async custom_fields_size() {
    const deep = JSON.parse(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`);
    assertField(await createContact({ custom_fields: deep }), "custom_fields", /32 levels/);
    const large = { a: "x".repeat(16 * 1024) };
    assertField(await createContact({ custom_fields: large }), "custom_fields", /16 KiB/);
  },
  async different_tags() {
    const tags = Array.from({ length: 51 }, (_, at) => `tag ${at}`);
    assertField(await createContact({ tags }), "tags", /50 different tags/);
    const { body } = await createContact({ tags: ["a", "b", "a"] });
    assert.deepEqual(body.data.tags, ["a", "b"]);
  },
  async email_shape() {
    for (const email of ["a..b@x.example", ".a@x.example", "a@-x.example"]) {
      assertField(await createContact({ email }), "email", /email address/);
    }
    assert.equal((await createContact({ email: "josé@café.example" })).status, 201);
  },
  async own_reference() {
    const json = { title: "Deal", contact_id: other.contact_id, stage_id: company.stage_ids[0] };
    assert.equal(validator.problemAt(["components", "schemas", "NewDeal"], json), null);
    const answer = await call(company.keys.write, "POST", "/deals", { json });
    assertField(answer, "contact_id", "is not a contact of your company");
  },
  async choices() {
    const button = { id: "a", title: "A" };
    const reply = async (offer: Record<string, unknown>) => {
      const json = { conversation_id: company.conversation_id, text: "Which?", ...offer };
      assert.equal(validator.problemAt(["components", "schemas", "ReplyRequest"], json), null);
      return await sendReply(company.keys.messaging, json);
    };
    assertField(await reply({ buttons: [button, button] }), "buttons", /different id/);
    const rows = Array.from({ length: 6 }, (_, n) => ({ id: `${n}`, title: "T" }));
    const list = { button: "Choose", sections: [{ title: "A", rows }, { title: "B", rows }] };
    assertField(await reply({ list }), "list.sections", /10 rows/);
  },
  async escaped_comma() {
    const tags = ["a,b", "c\\d"];
    const { body } = await createContact({ tags });
    const at = (query: string) =>
      call(company.keys.read, "GET", `/contacts?${new URLSearchParams(query)}`);
    assert.equal((await at("tags[all]=a\\,b,c\\\\d")).body.data[0].id, body.data.id);
    assertField(await at("tags=a\\b"), "tags", /backslash that escapes nothing/);
  },
  async searchable() {
    const at = (query: string) => call(company.keys.read, "GET", `/contacts?${query}`);
    assertField(await at("q=!!!"), "q", /1 to 10 words/);
    assertField(await at("q=a+b+c+d+e+f+g+h+i+j+k"), "q", /1 to 10 words/);
    assertField(await at("name[contains]=%25"), "name[contains]", /at least one letter or digit/);
  },
  async own_cursor() {
    assertField(await call(company.keys.read, "GET", "/deals?cursor=x"), "cursor", /not a cursor/);
  },
  async cursor_or_start() {
    const changes = "/deals/changes?start=now";
    const { body } = await call(company.keys.read, "GET", changes);
    const both = `${changes}&cursor=${body.pagination.next_cursor}`;
    const answer = await call(company.keys.read, "GET", both);
    assertField(answer, "start", "must not be combined with cursor");
  },
  async body_size() {
    const { status, body } = await postContact(
      `{"phone":"${anyPhone()}"}${" ".repeat(1024 * 1024)}`,
    );
    assert.deepEqual([status, body.code], [413, "payload_too_large"]);
    assert.equal((await postContact("[]")).status, 422);
  },
  async body_values() {
    const values = await createContact({ custom_fields: { a: Array(10_000).fill(0) } });
    assert.match(values.body.error, /too many values; it may have at most 10000/);
    const deep = await createContact({
      custom_fields: JSON.parse(`${'{"a":'.repeat(64)}1${"}".repeat(64)}`),
    });
    assert.match(deep.body.error, /nested too deeply; it may have at most 64 levels/);
  },
  async query_size() {
    const long = await call(company.keys.read, "GET", `/deals?cursor=${"x".repeat(16 * 1024)}`);
    assert.deepEqual([long.status, long.body.code], [422, "invalid_request"]);
    assert.match(long.body.error, /longer than 16 KiB/);
    const many = await call(company.keys.read, "GET", `/deals?${"limit=1&".repeat(101)}`);
    assert.match(many.body.error, /more than 100 parameters/);
    const filters = await call(company.keys.read, "GET", `/deals?title=${"x".repeat(8_000)}`);
    assert.deepEqual([filters.status, filters.body.code], [422, "invalid_request"]);
    assert.match(filters.body.error, /filters together are too long/);
  },
  async plus_sign() {
    const phone = anyPhone();
    const { body } = await createContact({ phone, name: "a+b" });
    const at = async (query: string) =>
      (await call(company.keys.read, "GET", `/contacts?${query}`)).body.data[0]?.id;
    assert.equal(await at(`phone=${phone}`), body.data.id);
    assert.equal(await at(`created_at[gt]=2026-01-31T00:00:00+00:00&name=a%2Bb`), body.data.id);
    assert.equal(await at("name=a+b"), undefined);
  },
};

for (const [id, check] of Object.entries(CASES)) {
  Deno.test(`the service applies the ${id} rule, which JSON Schema cannot express`, check);
}
