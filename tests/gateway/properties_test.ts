import assert from "node:assert/strict";
import * as fc from "fast-check";
import { newCompanyWithTemplate } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { nastyText } from "../support/nasty_text.ts";
import { bodyRoutes, pageRoutes } from "../support/routes.ts";

const company = await newCompanyWithTemplate();

const anyValue = fc.oneof(
  { depthSize: "small" },
  nastyText,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.uuid(),
  fc.constantFrom(...[company.contact_id, company.stage_ids[0], company.member_id, company.id]),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(nastyText, fc.array(fc.double(), { size: "xlarge", maxLength: 300 }), {
    maxKeys: 2,
  }),
);
const FIELDS = [
  ...["phone", "name", "email", "temperature", "tags", "source", "job_title", "empresa"],
  ...["custom_fields", "do_not_contact", "is_active", "title", "value", "status", "contact_id"],
  ...["stage_id", "assigned_to", "team_id", "id", "company_id", "created_at", "phone_key"],
];
const anyBody = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), nastyText), anyValue, {
  maxKeys: 6,
});

for (const route of bodyRoutes) {
  Deno.test(`no JSON object causes an internal error at ${route.method} ${route.pattern}`, async () => {
    const property = fc.asyncProperty(anyBody, fc.boolean(), async (body, onTopOfGood) => {
      const json = onTopOfGood ? { ...route.body!(company), ...body } : body;
      const answer = await call(company.keys.all, route.method, route.path(company), { json });
      assert.ok([200, 201, 409, 422].includes(answer.status), JSON.stringify(answer.body));
      if (answer.status === 422) assert.equal(answer.body.code, "invalid_request");
    });
    await fc.assert(property, { numRuns: 60 });
  });

  Deno.test(`no body of other bytes causes an internal error at ${route.method} ${route.pattern}`, async () => {
    const anyText = fc.oneof(fc.json(), nastyText, fc.uint8Array({ maxLength: 200 }));
    const property = fc.asyncProperty(anyText, async (body) => {
      const answer = await call(company.keys.all, route.method, route.path(company), {
        body: body as BodyInit,
        headers: { "Content-Type": "application/json" },
      });
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
    });
    await fc.assert(property, { numRuns: 30 });
  });
}

const PARAMETERS = [
  ...["limit", "cursor", "start", "pipeline_id"],
  ...["name", "language", "status", "category", "phone_number_id"],
];

for (const route of pageRoutes) {
  Deno.test(`no query causes an internal error at ${route.method} ${route.pattern}`, async () => {
    const names = fc.oneof(fc.constantFrom(...PARAMETERS), nastyText);
    const property = fc.asyncProperty(
      fc.dictionary(names, nastyText, { maxKeys: 3 }),
      async (query) => {
        const sent = Object.entries(query).map((pair) =>
          pair.map((text) => encodeURIComponent(text.toWellFormed())).join("=")
        );
        const answer = await call(
          company.keys.all,
          "GET",
          `${route.path(company)}?${sent.join("&")}`,
        );
        assert.ok([200, 422].includes(answer.status), JSON.stringify(answer.body));
      },
    );
    await fc.assert(property, { numRuns: 30 });
  });
}

Deno.test("the fields of a new contact come back as they were sent", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 60 })
    .filter((value) => value.isWellFormed() && !value.includes("\0") && value.trim() === value);
  const contact = fc.record({
    name: text,
    job_title: text,
    empresa: text,
    temperature: fc.constantFrom("cold", "warm", "hot"),
    do_not_contact: fc.boolean(),
    custom_fields: fc.dictionary(text, fc.oneof(text, fc.maxSafeInteger(), fc.boolean()), {
      maxKeys: 5,
    }),
  }, { requiredKeys: [] });
  let number = 10 ** 9;
  await fc.assert(
    fc.asyncProperty(contact, async (sent) => {
      const json = { phone: `+7${number++}`, ...sent };
      const { status, body } = await call(company.keys.all, "POST", "/contacts", { json });
      assert.equal(status, 201, JSON.stringify(body));
      for (const [field, value] of Object.entries(json)) {
        assert.deepEqual(body.data[field], JSON.parse(JSON.stringify(value)), field);
      }
    }),
    { numRuns: 60 },
  );
});
