// Tests the fields that part 4.10 of the specification lists. If a value is invalid, the error
// names the field, and nothing is written or sent.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Answer, assertField } from "../support/calls.ts";
import { ledgerOf, sendTemplate, takenFrom, template } from "../support/sending.ts";
import { snapshot } from "../support/snapshot.ts";

type Refusal = [json: unknown, field: string, message: string | RegExp];

/** For each of these fields and values, a request in which only this field is invalid. */
function inEach(fields: string[], values: unknown[], message: string | RegExp): Refusal[] {
  return fields.flatMap((field) =>
    values.map((value): Refusal => [template(anyPhone(), { [field]: value }), field, message])
  );
}

/** For each list of variables, a request in which only the second of two variables is invalid. */
function inVariables(values: unknown[], message: string | RegExp): Refusal[] {
  return LISTS.flatMap((field) =>
    values.map((value): Refusal => [
      template(anyPhone(), { [field]: ["a", value] }),
      `${field}.1`,
      message,
    ])
  );
}

/**
 * Sends these requests. Asserts that each request is refused and that nothing is written or sent.
 */
async function assertRefused(requests: Refusal[]) {
  const company = await newCompany();
  const before = await rowsOf(company.id);
  await Promise.all(requests.map(async ([json, field, message]) => {
    const answer = await sendTemplate(company.keys.messaging, json);
    assertField(answer, field, message);
    assertShape(answer);
  }));
  assert.deepEqual(await takenFrom(company), []);
  assert.equal((await ledgerOf(company)).length, 0);
  assert.deepEqual(await rowsOf(company.id), before);
}

/**
 * All rows except the API keys, because each request changes the time at which its key was last
 * used.
 */
async function rowsOf(companyId: string) {
  return { ...await snapshot(companyId), api_keys: [] };
}

function assertShape({ headers, body }: Answer) {
  const { success, error, code, request_id, details, ...more } = body;
  assert.deepEqual([success, code, more], [false, "invalid_request", {}]);
  assert.equal(request_id, headers.get("X-Request-Id"));
  const [{ field, message }] = details;
  assert.ok(error.startsWith(`Invalid request: ${field} ${message}`), error);
}

const REQUIRED = ["phone", "template_name", "language_code", "display_text"];
const LISTS = ["body_variables", "header_variables"];

/**
 * Each character is one code point, but the numbers of bytes and UTF-16 code units differ.
 */
const CHARACTERS = ["a", "é", "漢", "🚚", "\u{1f1e7}", "\u0301"];

Deno.test("a missing required field is refused, and the error names it", async () => {
  await assertRefused([
    ...inEach(REQUIRED, [undefined], "is required"),
    ...REQUIRED.map((field): Refusal => [{}, field, "is required"]),
  ]);
});

Deno.test("a phone number must be in E.164 format with a plus sign, and is neither trimmed nor corrected", async () => {
  const wrong = [
    ...["", "5511987654321", "+55 11 98765-4321", " +5511987654321", "+5511987654321\n"],
    "+5511987654321\0",
  ];
  const message = "must be in E.164 format with a leading plus sign, such as +5511987654321";
  await assertRefused(inEach(["phone"], wrong, message));
});

Deno.test("a language code must have the form pt_BR or en", async () => {
  const wrong = [
    ...["", " ", "p", "ptbr", "PT", "PT_br", "pt-BR", "pt_", "pt_B", "_BR", "pt_BR_x", "pt_BRASI"],
    ...[" pt_BR", "pt_BR ", "pt_BR\n", "pt_B1", "português", "pt_BR\0", "en,de", "../en"],
  ];
  const message = "must be a template language code such as pt_BR or en";
  await assertRefused(inEach(["language_code"], wrong, message));
});

Deno.test("a required string must not be blank, and an idempotency key must not be empty", async () => {
  const message = "must not be empty";
  await assertRefused([
    ...inEach(["template_name"], ["", " ", "\n\t", "\u00a0"], message),
    ...inEach(["display_text"], ["", " ", " \n\t ", "\u3000"], message),
    ...inEach(["idempotency_key"], [""], message),
  ]);
});

Deno.test("the maximum length of a string is counted in characters", async () => {
  const limits = {
    template_name: 512,
    display_text: 4096,
    contact_name: 255,
    idempotency_key: 200,
  };
  await assertRefused(
    Object.entries(limits).flatMap(([field, max]) => {
      const long = CHARACTERS.map((one) => one.repeat(max + 1));
      const longer = ["e\u0301".repeat(max / 2 + 1), "x".repeat(3 * max)];
      return inEach([field], [...long, ...longer], `must have at most ${max} characters`);
    }),
  );
});

Deno.test("characters that the database cannot store are refused in every string field", async () => {
  const broken = ["\0", "a\0b", "\ud800", "\udc00", "a\ud83d", "\ude9a\ud83d", "🚚\ud83d"];
  const fields = ["template_name", "display_text", "contact_name", "idempotency_key"];
  const message = "must not contain the null character or half a surrogate pair";
  await assertRefused([...inEach(fields, broken, message), ...inVariables(broken, message)]);
});

Deno.test("a header may have media or variables, but not both", async () => {
  const types = ["image", "video", "document"];
  await assertRefused(
    types.flatMap((template_header_type) =>
      [["a"], [""], ["a", "b"]].map((header_variables): Refusal => [
        template(anyPhone(), { template_header_type, header_variables }),
        "header_variables",
        /^must be left out or empty .*; a media header has the approved sample of the template/,
      ])
    ),
  );
});

Deno.test("an unknown field is refused, and the error names it", async () => {
  const unknown = [
    ...[
      ...["to", "Phone", "PHONE", "template", "components", "variables", "media_url", "type"],
      "api_key",
    ],
    ...[
      ...["bodyVariables", "body_variables[]", "phone ", "constructor", "toString", "content"],
      "status",
    ],
    // Records have these read-only fields, but a send request accepts none of them.
    ...["id", "company_id", "created_at"],
  ];
  await assertRefused(inEach(unknown, ["x", null], /^is not a field that is accepted here; /));
});

Deno.test("one error names every invalid field", async () => {
  const json = {
    ...{ phone: "none", template_name: "", language_code: "x", display_text: "\0" },
    ...{ body_variables: ["a", 1, "\0"], header_variables: "a", phone_number_id: "x" },
    ...{ contact_name: 1, idempotency_key: "", template_header_type: "x", colour: "red" },
  };
  const { keys } = await newCompany();
  const answer = await sendTemplate(keys.messaging, json);
  assertShape(answer);
  const named = answer.body.details.map((each: { field: string }) => each.field);
  assert.deepEqual(named.toSorted(), [
    ...["body_variables.1", "body_variables.2", "colour", "contact_name", "display_text"],
    ...["header_variables", "idempotency_key", "language_code", "phone", "phone_number_id"],
    ...["template_header_type", "template_name"],
  ]);
  assert.match(answer.body.error, /\(and 11 more, see details\)$/);
});
