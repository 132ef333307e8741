// Tests the errors for invalid bodies and paths. An error message names the problem, its field or
// position, and what the caller probably meant.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as z from "zod/mini";
import { FUNCTIONS } from "../../generate/openapi/functions.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { faultIn } from "../../supabase/functions/_shared/http/json_fault.ts";
import { bodiesOf } from "../../supabase/functions/_shared/http/operation.ts";
import { refusedRoute } from "../../supabase/functions/_shared/http/refused_route.ts";
import { judged, readBody } from "../../supabase/functions/_shared/http/validate.ts";
import type { Fault } from "../../supabase/functions/_shared/templates/template_words.ts";
import { refusedByCatalogue } from "../../supabase/functions/_shared/template_sends/template_answers.ts";

const operations = FUNCTIONS.flatMap((api) => api.operations);

/** The error that an operation returns for a body. */
async function refusal(id: string, body: string): Promise<ApiError> {
  const headers = { "Content-Type": "application/json" };
  const request = new Request("http://x", { method: "POST", body, headers });
  const reading = { maxValues: 1000, timeoutMs: 1000, judge: async () => {} };
  const operation = operations.find((each) => each.id === id)!;
  const error = await readBody(request, bodiesOf(operation), () => [], reading).catch((e) => e);
  assert.ok(error instanceof ApiError, `${id} accepts ${body}`);
  return error;
}

/** The message of an error about one field. */
async function wordsOn(field: string, id: string, body: object): Promise<string | undefined> {
  const { parts } = await refusal(id, JSON.stringify(body));
  return parts.details?.find((each) => each.field === field)?.message;
}

const OWN = "a field of your own belongs in custom_fields";

/** The message about an unknown field, by operation and field. */
const UNKNOWN_FIELDS: Record<string, Record<string, string>> = {
  createContact: {
    temprature: "did you mean temperature?",
    jobTitle: "did you mean job_title?",
    company: "did you mean empresa?",
    "Company Name": "did you mean empresa?",
    mobile: "did you mean phone?",
    phone_number: "did you mean phone?",
    labels: "did you mean tags?",
    first_name: "did you mean name?",
    title: "did you mean job_title?",
    opt_out: "did you mean do_not_contact?",
    city: OWN,
    x: OWN,
    ["x".repeat(100)]: OWN,
  },
  createDeal: {
    amount: "did you mean value?",
    name: "did you mean title?",
  },
  createPipeline: { city: "the accepted fields are name, position, is_default" },
  updateConversation: { owner_id: "did you mean assigned_to?", state: "did you mean status?" },
  sendExternalTemplate: { to: "did you mean phone?", language: "did you mean language_code?" },
  createDeals: { deals: "did you mean items?" },
};

for (const [id, fields] of Object.entries(UNKNOWN_FIELDS)) {
  Deno.test(`if a ${id} body has an unknown field, the error names the field that was probably meant`, async () => {
    for (const [field, expected] of Object.entries(fields)) {
      const message = `is not a field that is accepted here; ${expected}`;
      assert.equal(await wordsOn(field, id, { [field]: "" }), message);
    }
  });
}

Deno.test("a wrong number of hours or too long a list of types gets one error that states the limit", async () => {
  for (const overlap_hours of [1.5, 1e30, -1, 169]) {
    const { parts } = await refusal("rotateWebhookSecret", JSON.stringify({ overlap_hours }));
    const message = "must be a whole number from 0 to 168";
    assert.deepEqual(parts.details, [{ field: "overlap_hours", message }]);
  }
  const types = Array(101).fill("deal.won");
  for (const id of ["createWebhook", "updateWebhook", "replayWebhook"]) {
    assert.equal(await wordsOn("types", id, { types }), "must have at most 100 items", id);
  }
});

Deno.test("if a PATCH has no `phone`, the error names the content type that allows this", async () => {
  const without = await wordsOn("phone", "updateContact", { name: "Ada" });
  assert.match(without!, /^is required .*Content-Type: application\/merge-patch\+json$/);
  assert.equal(await wordsOn("phone", "updateContact", { phone: null }), "must not be null");
  assert.equal(await wordsOn("phone", "createContact", {}), "is required");
});

Deno.test("if an erasure has no confirmation, the error asks for the contact's id", async () => {
  const id = "must be the id of the contact in the path";
  assert.equal(await wordsOn("confirm", "eraseContact", {}), `is required; it ${id}`);
  assert.equal(await wordsOn("confirm", "eraseContact", { confirm: true }), id);
});

/** The path that the error suggests for an unknown gateway path. */
const MEANT: Record<string, string | undefined> = {
  contact: "/gateway/contacts",
  "contacts/": "/gateway/contacts",
  "v1/contacts": "/gateway/contacts",
  "people/5": "/gateway/contacts/{id}",
  "contacts//restore": "/gateway/contacts/{id}/restore",
  "deal/5/history": "/gateway/deals/{id}/history",
  opportunities: "/gateway/deals",
  messages: "/gateway/messages/changes",
  "send-external-template": "/send-external-template",
  "whatsapp/message": "/whatsapp/messages",
  nothing: undefined,
  ["x/".repeat(4000)]: undefined,
};

Deno.test("if a path is unknown, the error names the path that was probably meant and the path that lists all operations", () => {
  for (const [below, meant] of Object.entries(MEANT)) {
    const path = `/gateway/${below}`;
    const asked = { method: "GET", path };
    const told = refusedRoute("gateway", FUNCTIONS[0].operations, asked).message;
    assert.equal(/did you mean (\S+)\?/.exec(told)?.[1], meant, path.slice(0, 40));
    assert.match(told, / GET \/gateway\/openapi\.json lists all operations$/);
  }
});

Deno.test("if a body is not JSON, the error names the line and the column", async () => {
  const faults: [body: string, line: number, column: number][] = [
    ["{'phone':1}", 1, 2],
    ['{"phone":"+1",}', 1, 15],
    ['{\n  "phone": "+1"\n  "name": "Ada"\n}', 3, 3],
    ['{"name":"two\nlines"}', 1, 13],
    ['{"name":"\\x"}', 1, 10],
    ['{"a":[1,2}', 1, 10],
    ['{"a":01}', 1, 7],
    ['{"a":1}}', 1, 8],
  ];
  for (const [body, line, column] of faults) {
    const { message } = await refusal("createContact", body);
    assert.match(message, new RegExp(`: the fault is at line ${line}, column ${column}; send a`));
  }
  for (const body of ["{", '{"a":', '{"a":"b', '{"a":[{}', "[1,"]) {
    const { message } = await refusal("createContact", body);
    assert.match(message, new RegExp(`: it ends too early, at line 1, column ${body.length + 1};`));
  }
});

Deno.test("the syntax check finds an error if and only if `JSON.parse` refuses the text", () => {
  const damaged = fc.tuple(
    fc.json(),
    fc.nat(),
    fc.constantFrom("", '"', "\\", ",", "}", "[", "1e", ":"),
  );
  fc.assert(fc.property(damaged, ([json, at, put]) => {
    const text = json.slice(0, at % json.length) + put + json.slice(at % json.length + 1);
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    assert.equal(faultIn(text) === null, isJson, text);
    assert.equal(faultIn(json), null);
  }));
});

Deno.test("if header_variables has a media URL, the error says that the approved sample is sent unless header_media names another file", () => {
  const faults: Fault[] = [{ field: "header_variables", fault: "count", takes: 0, got: 1 }];
  const told = (value: string) => refusedByCatalogue(faults, [value]).parts.details![0].message;
  assert.match(told("https://shop.test/a.png"), /: a media header has the approved sample/);
  assert.equal(told("Ada"), "takes no variables, got 1");
});

Deno.test("null gets the same error in every field that cannot be null", () => {
  let refused = 0;
  for (const { id, body, mergePatch, batch } of operations) {
    for (const schema of [batch ? undefined : body, mergePatch, batch?.item]) {
      const { shape } = objectIn(schema) ?? { shape: {} };
      const nulls = Object.fromEntries(Object.keys(shape).map((field) => [field, null]));
      const result = schema && judged(schema, nulls, () => "");
      for (const { field, message } of result && "wrong" in result ? result.wrong : []) {
        refused++;
        assert.equal(message, "must not be null", `${id} ${field}`);
      }
    }
  }
  assert.ok(refused > 50, `${refused} fields`);
});

/** The object schema inside a lazy schema or a pipe. */
function objectIn(schema: unknown): z.ZodMiniObject | undefined {
  if (schema instanceof z.ZodMiniLazy) return objectIn(schema._zod.innerType);
  if (schema instanceof z.ZodMiniPipe) return objectIn(schema.def.in);
  return schema instanceof z.ZodMiniObject ? schema : undefined;
}
