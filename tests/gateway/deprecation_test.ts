// Tests deprecated operations. Currently no operation is deprecated, so these tests create gateways
// in which two operations are deprecated.
import assert from "node:assert/strict";
import * as z from "zod/mini";
import recorded from "../../generate/examples/examples.json" with { type: "json" };
import type { Examples } from "../../generate/examples/examples.ts";
import { FUNCTIONS } from "../../generate/openapi/functions.ts";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import { openApi } from "../../generate/openapi/openapi.ts";
import { parametersOf } from "../../generate/openapi/parameters.ts";
import { resolved } from "../../generate/openapi/references.ts";
import type { Config } from "../../supabase/functions/_shared/config.ts";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { api } from "../../supabase/functions/_shared/http/api.ts";
import type { Operation } from "../../supabase/functions/_shared/http/operation.ts";
import { gatewayOperations } from "../../supabase/functions/gateway/operations.ts";
import { ApiDescription } from "../support/api_description.ts";
import { type Company, newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { backgroundWork } from "../support/own_functions.ts";
import { environment } from "../support/test_stack.ts";

const deprecated = {
  since: "2027-01-31",
  sunset: "2027-07-31",
  see: "versioning.html#what-is-deprecated",
};
const ANNOUNCED = {
  deprecation: "@1801353600",
  sunset: "Sat, 31 Jul 2027 00:00:00 GMT",
  link: '<https://docs.example.com/versioning.html#what-is-deprecated>; rel="deprecation"; ' +
    'type="text/html"',
};
const examples: unknown = recorded.examples;
const DEPRECATED = ["getContact", "createContact"];

/** Returns the operations, with those in `DEPRECATED` marked as deprecated. */
function withDeprecated<Each extends Operation>(operations: Each[]): Each[] {
  return operations.map((each) => DEPRECATED.includes(each.id) ? { ...each, deprecated } : each);
}

const described = (changes = {}) =>
  openApi(
    examples as Examples,
    FUNCTIONS.map((each) => ({
      ...each,
      operations: withDeprecated(each.operations).map((each) =>
        each.deprecated ? { ...each, deprecated: { ...deprecated, ...changes } } : each
      ),
    })),
  );
const description = new ApiDescription(described());

/**
 * Creates a gateway with the deprecated operations, and returns a function that sends requests to
 * this gateway. Each response is checked against the API description.
 */
async function ownGateway(changes: Partial<Config> = {}) {
  const config = { ...await readGatewayConfig(environment()), ...changes };
  const operations = withDeprecated<Operation>(gatewayOperations(config));
  const app = api(config, { name: "gateway", operations, scopeOf: () => "read" });
  return async (key: string, method: string, path: string, headers = {}, json?: unknown) => {
    const url = new URL(`http://edge/gateway${path}`);
    const answer = await app.request(url, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(json !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: json === undefined ? undefined : JSON.stringify(json),
    });
    const { status } = answer;
    const exchange = { method, url, sent: null, status, isBehindServer: false };
    const body = await answer.text();
    assert.equal(description.violation({ ...exchange, headers: answer.headers, body }), null);
    await backgroundWork();
    const names = Object.keys(ANNOUNCED).filter((name) => answer.headers.has(name));
    const announced = Object.fromEntries(names.map((name) => [name, answer.headers.get(name)]));
    return { status, headers: answer.headers, announced };
  };
}

const docsUrl = "https://docs.example.com";
const contact = ({ contact_id }: Company) => `/contacts/${contact_id}`;

Deno.test("every response from a deprecated operation announces the deprecation, even an error or a 304", async () => {
  const company = await newCompany();
  const path = contact(company);
  const { read, write } = company.keys;
  await logged(async () => {
    const request = await ownGateway({ docsUrl });
    const found = await request(read, "GET", path);
    assert.deepEqual([found.status, found.announced], [200, ANNOUNCED]);
    const known = { "If-None-Match": found.headers.get("ETag") };
    const others: [status: number, asked: Parameters<typeof request>][] = [
      [304, [read, "GET", path, known]],
      [200, [read, "HEAD", path]],
      [401, ["sk_live_wrong", "GET", path]],
      [401, ["", "GET", path]],
      [403, [write, "GET", path]],
      [404, [read, "GET", `/contacts/${crypto.randomUUID()}`]],
      [422, [read, "GET", "/contacts/1"]],
      [422, [write, "POST", "/contacts", {}, {}]],
    ];
    for (const [expected, asked] of others) {
      const { status, announced } = await request(...asked);
      assert.deepEqual([status, announced], [expected, ANNOUNCED]);
    }
    const away = await ownGateway({ docsUrl, supabaseUrl: "http://127.0.0.1:9" });
    const { status, announced } = await away(read, "GET", path);
    assert.deepEqual([status, announced], [503, ANNOUNCED]);
  });
});

Deno.test("only responses from deprecated operations announce a deprecation", async () => {
  const company = await newCompany();
  const { all } = company.keys;
  const [request, withoutPages] = [await ownGateway({ docsUrl }), await ownGateway()];
  for (const path of ["/contacts", "/nothing", `/deals/${company.deal_id}`]) {
    assert.deepEqual((await request(all, "GET", path)).announced, {}, path);
  }
  // On this path, GET is deprecated, but no operation has the method PUT.
  const refused = await request(all, "PUT", contact(company));
  assert.deepEqual([refused.status, refused.announced], [405, {}]);
  const { link: _, ...dates } = ANNOUNCED;
  assert.deepEqual((await withoutPages(all, "GET", contact(company))).announced, dates);
});

Deno.test("the log has one line for each company that uses a deprecated operation, but no line for refused requests", async () => {
  const [company, other] = await Promise.all([newCompany(), newCompany()]);
  const request = await ownGateway({ docsUrl });
  const lines = await logged(async () => {
    for (const { keys } of [company, company, other]) {
      await request(keys.read, "GET", contact(company));
      await request(keys.read, "GET", "/contacts");
    }
    await request(company.keys.messaging, "GET", contact(company));
    await request("sk_live_wrong", "GET", contact(company));
    await request(other.keys.read, "GET", contact(other));
    // Another API key of the same company adds no line.
    await request(company.keys.all, "GET", contact(company));
  });
  const told = lines.map((line) => JSON.parse(line))
    .filter(({ event }) => event === "deprecated_operation");
  assert.deepEqual(
    told.map(({ level, operation, company_id }) => [level, operation, company_id]),
    [["warn", "getContact", company.id], ["warn", "getContact", other.id]],
  );
});

Deno.test("the API description shows the dates and headers of a deprecated operation", () => {
  const document = described();
  const { get, patch } = document.paths["/gateway/contacts/{id}"];
  assert.equal(get.deprecated, true);
  assert.match(get.description, /^\*\*Deprecated since 2027-01-31; .* from 2027-07-31 on\.\*\* \S/);
  for (const answer of Object.values<JsonSchema>(get.responses)) {
    const { headers } = resolved(answer, document);
    assert.equal(headers.Deprecation.schema.const, ANNOUNCED.deprecation);
    assert.equal(headers.Sunset.schema.const, ANNOUNCED.sunset);
    assert.ok(headers.Link && !headers.Link.required);
  }
  assert.equal(patch.deprecated, undefined);
  assert.ok(!JSON.stringify(patch).includes("Deprecat"));
});

Deno.test("the generator refuses a deprecation with invalid dates or with a notice period that is too short", () => {
  for (const sunset of ["2027-07-29", "2027-01-31", "2026-07-31", "soon", ""]) {
    assert.throws(() => described({ sunset }), /getContact is deprecated since 2027-01-31 .* 180/);
  }
  assert.throws(() => described({ since: "31 January 2027" }), /write both dates/);
  assert.ok(described({ sunset: "2027-07-30" }));
});

Deno.test("a deprecated field or parameter of a schema is deprecated in the API description too", () => {
  const query = z.strictObject({
    q: z.optional(z.string().register(z.globalRegistry, { deprecated: true })),
    sort: z.nullable(z.string()).register(z.globalRegistry, { deprecated: true }),
    limit: z.string(),
  });
  const [q, sort, limit] = parametersOf(query, "query", {});
  assert.deepEqual([q.deprecated, sort.deprecated, limit.deprecated], [true, true, undefined]);
  assert.deepEqual(q.schema, { type: "string", deprecated: true });
});
