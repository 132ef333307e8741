import assert from "node:assert/strict";
import { anyPhone, newCompanyWithTemplate } from "../support/company.ts";
import { assertField, call } from "../support/calls.ts";
import { ownGateway } from "../support/own_functions.ts";
import {
  bodyAt,
  bodyRoutes,
  idNameOf,
  idRoutes,
  isOfBatch,
  pageRoutes,
  pathWith,
  type Route,
} from "../support/routes.ts";
import { stack } from "../support/test_stack.ts";

const company = await newCompanyWithTemplate();
const JSON_TYPE = { "Content-Type": "application/json" };

/**
 * Returns a function that sends a body to a route. By default, the request has a key with all
 * scopes.
 */
function requestOf(route: Route) {
  return (body: BodyInit, headers: Record<string, string> = JSON_TYPE, key = company.keys.all) =>
    call(key, route.method, route.path(company), { body, headers });
}

// All operations read their bodies with the same code, so these tests use only two operations. A
// batch differs only in its higher limit on JSON values.
for (
  const route of bodyRoutes.filter(({ method, pattern }) =>
    method === "POST" && ["/contacts", "/deals/batch"].includes(pattern)
  )
) {
  const name = `${route.method} ${route.pattern}`;
  const path = route.path(company);
  const sent = requestOf(route);

  Deno.test(`${name} refuses a body that is not a JSON object, and the error says why`, async () => {
    const bodies: [string, RegExp][] = [
      ["", /is empty/],
      ["  \n", /is empty/],
      ["{", /is not valid JSON/],
      ["{'phone':1}", /is not valid JSON/],
      ["phone=%2B5511", /is not valid JSON/],
      ["null", /must be a JSON object/],
      ["[]", /must be a JSON object/],
      ['[{"phone":"+15550100"}]', /must be a JSON object/],
      ['"text"', /must be a JSON object/],
      ["1", /must be a JSON object/],
      ["[".repeat(64), /is not valid JSON/],
      ["[".repeat(64) + "]".repeat(64), /must be a JSON object/],
      ["[".repeat(100_000), /is nested too deeply; it may have at most 64 levels/],
      [
        `{"x":${"[".repeat(64)}${"]".repeat(64)}}`,
        /is nested too deeply; it may have at most 64 levels/,
      ],
      [`{"x":[${"0,".repeat(route.maxValues - 3)}0]}`, /^Invalid request: /],
      [
        `{"x":[${"0,".repeat(route.maxValues - 2)}0]}`,
        new RegExp(
          `has too many values; it may have at most ${route.maxValues}, including nested ones`,
        ),
      ],
    ];
    for (const [body, sentence] of bodies) {
      const answer = await sent(body);
      assert.deepEqual(
        [answer.status, answer.body.code],
        [422, "invalid_request"],
        body.slice(0, 40),
      );
      assert.match(answer.body.error, sentence);
    }
    const notUtf8 = await sent(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    assert.equal(notUtf8.body.error, "The request body is not valid UTF-8");
  });

  Deno.test(`${name} accepts application/json and no other Content-Type`, async () => {
    const good = JSON.stringify(route.body!(company));
    const types = ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""];
    for (const type of types) {
      assertField(await sent(good, { "Content-Type": type }), "Content-Type");
    }
    const bytes = new TextEncoder().encode(good);
    assertField(await sent(bytes, {}), "Content-Type", /^must be application\/json\b/);
    for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
      const answer = await sent(JSON.stringify(route.body!(company)), { "Content-Type": type });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
    }
  });

  Deno.test(`${name} refuses a body over 1 MiB, with or without a Content-Length`, async () => {
    const exactly = `{"x":"${"x".repeat(1024 * 1024 - 8)}"}`;
    assert.equal(exactly.length, 1024 * 1024);
    assertField(await sent(exactly), "x");
    const withLength = await sent(exactly + " ");
    assert.deepEqual([withLength.status, withLength.body.code], [413, "payload_too_large"]);
    const pieces = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 17; i++) controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
        controller.close();
      },
    });
    const streamed = await sent(pieces);
    assert.deepEqual([streamed.status, streamed.body.code], [413, "payload_too_large"]);
  });

  Deno.test(`${name} refuses a duplicate field, even if its name contains escape sequences`, async () => {
    const good = JSON.stringify(route.body!(company));
    for (const key of ["colour", "a\\u0062c"]) {
      const body = good.replace("{", `{"${key}":"1","x":[{"y":"\\"${key}\\":1"}],"${key}" :"2",`);
      const answer = await sent(body);
      assertField(answer, key.replace("\\u0062", "b"), "is given more than once");
    }
    const [first] = Object.keys(route.body!(company));
    const twice = await sent(good.replace("{", `{"${first}":null,`));
    assertField(twice, first, "is given more than once");
    const apart = good.replace("{", '{"q":{"phone":1},"r":[{"phone":1},{"phone":2}],');
    assertField(await sent(apart.replace('"phone":"', '"tel":"')), "q");
  });

  Deno.test(`the error of ${name} is short, however many or long the invalid fields are`, async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`key${i}`, i]));
    const answer = await call(company.keys.all, route.method, path, { json: many });
    assert.equal(answer.body.details.length, 50);
    const json = { ["x".repeat(1e5)]: 1 };
    const long = await call(company.keys.all, route.method, path, { json });
    assert.ok(JSON.stringify(long.body).length < 2000);
  });
}

for (const route of bodyRoutes) {
  const name = `${route.method} ${route.pattern}`;
  const path = route.path(company);
  const sent = requestOf(route);

  Deno.test(`${name} refuses invalid JSON, another Content-Type, a body that is too large, and a duplicate field`, async () => {
    const good = JSON.stringify(route.body!(company));
    assert.match((await sent("{")).body.error, /is not valid JSON/);
    assertField(await sent(good, { "Content-Type": "text/plain" }), "Content-Type");
    const large = await sent(" ".repeat(1024 * 1024 + 1));
    assert.deepEqual([large.status, large.body.code], [413, "payload_too_large"]);
    assertField(await sent(good.replace("{", '{"x":1,"x":1,')), "x", "is given more than once");
  });

  // deal_batches_test.ts tests the read-only fields in batch items.
  Deno.test(`${name} refuses every unknown or read-only field and names it`, async () => {
    // These operations do not return a record, so they have no read-only fields.
    const word = isOfBatch(route) || route.pattern.endsWith("/replay")
      ? /^is not a field that is accepted here/
      : /^is read-only/;
    const given = route.body!(company);
    const json = {
      ...given,
      id: crypto.randomUUID(),
      company_id: crypto.randomUUID(),
      created_at: "2026-01-01T00:00:00Z",
    };
    const answer = await call(company.keys.all, route.method, path, { json });
    for (const field of ["id", "company_id", "created_at"]) {
      assertField(answer, field, word);
    }
    assert.match(answer.body.error, /^Invalid request: .+ \(and 2 more, see details\)$/);
    for (const sent of [given, json]) {
      const withColour = { json: { ...sent, colour: "red" } };
      const unknown = await call(company.keys.all, route.method, path, withColour);
      assertField(unknown, "colour", /^is not a field that is accepted here; /);
    }
    const prototype = JSON.stringify(route.body!(company)).replace("{", '{"__proto__":{"a":1},');
    assertField(await sent(prototype), "__proto__");
  });

  Deno.test(`${name} refuses unknown query parameters`, async () => {
    const json = route.body!(company);
    const answer = await call(company.keys.all, route.method, `${path}?dry_run=true`, { json });
    const known = route.parameters.length > 0
      ? /the (only accepted name is|accepted names are) \w+/
      : /no parameter is accepted$/;
    assertField(answer, "dry_run", known);
  });

  Deno.test(`${name} reveals nothing about the body to a caller without a valid key and the scope`, async () => {
    for (const body of ["{", '{"colour":"red"}']) {
      const wrong = await sent(body, JSON_TYPE, "sk_live_wrong");
      assert.deepEqual([wrong.status, wrong.body.code], [401, "invalid_api_key"]);
      const reader = await sent(body, JSON_TYPE, company.keys.read);
      assert.deepEqual([reader.status, reader.body.code], [403, "insufficient_scope"]);
      assert.equal(wrong.body.details, undefined);
    }
  });
}

Deno.test("an operation without a body refuses a request with a body, and does nothing", async () => {
  const { all, read } = company.keys;
  const [contact, archived] = [company.contact_id, company.archived_contact_id];
  for (
    const [method, path] of [
      ["DELETE", `/contacts/${contact}`],
      ["POST", `/contacts/${archived}/restore`],
    ] as const
  ) {
    const sent = (body: string, key = all) => call(key, method, path, { body, headers: JSON_TYPE });
    for (const body of ['{"phone":"+14155550123"}', "[]", "x"]) {
      const { status, body: answered } = await sent(body);
      assert.deepEqual([status, answered.code], [422, "invalid_request"], `${method} ${body}`);
      assert.match(answered.error, /^The request body must be empty/);
    }
    assert.equal((await sent("x", "sk_live_wrong")).status, 401);
    assert.equal((await sent("x", read)).status, 403);
  }
  assert.equal((await call(all, "GET", `/contacts/${contact}`)).status, 200);
  assert.equal((await call(all, "GET", `/contacts/${archived}`)).status, 404);
  const again = await call(all, "DELETE", `/contacts/${archived}`, { body: " {} " });
  assert.equal(again.status, 204);
});

const NOT_FOUND =
  /^(Contact|Deal|Pipeline|Stage|Conversation|Message|Team|Member|Template|Send|Webhook) not found$/;

const own = await ownGateway(stack.url);

for (const route of idRoutes) {
  Deno.test(`${route.method} ${route.pattern} returns a 422 for an id that is not a UUID and a 404 for an unknown id`, async () => {
    const json = route.body?.(company);
    const at = (id: string) => {
      const path = pathWith(route, id);
      return call(company.keys.all, route.method, path, { json: bodyAt(route, company, path) });
    };
    // The hosting platform may refuse this path itself, so the test calls the gateway directly.
    const path = pathWith(route, "%00");
    const name = idNameOf(route);
    assertField(await own(company.keys.all, route.method, path, json), name, "must be a UUID");
    for (const id of ["1", "%ff", `${company.id}x`, "eq.1"]) {
      assertField(await at(id), name, "must be a UUID");
    }
    for (const id of [crypto.randomUUID(), company.id]) {
      const answer = await at(id);
      assert.deepEqual([answer.status, answer.body.code], [404, "not_found"]);
      assert.match(answer.body.error, NOT_FOUND);
    }
    const upperCase = await call(
      company.keys.all,
      route.method,
      route.path(company).replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase()),
      { json },
    );
    assert.equal(upperCase.status, route.success);
  });
}

for (const route of pageRoutes) {
  Deno.test(`${route.method} ${route.pattern} accepts a limit from 1 to 200, with 50 as the default`, async () => {
    const at = (query: string) => call(company.keys.read, "GET", route.path(company) + query);
    assert.equal((await at("")).body.pagination.limit, 50);
    assert.equal((await at("?limit=200")).body.pagination.limit, 200);
    for (const limit of ["0", "201", "1.5"]) {
      assertField(await at(`?limit=${limit}`), "limit", "must be a whole number from 1 to 200");
    }
    assertField(await at("?limit=1&limit=2"), "limit", "is given more than once");
    assertField(await at("?offset=1"), "offset");
    const wrong = await call("sk_live_wrong", "GET", `${route.path(company)}?offset=1`);
    assert.deepEqual([wrong.status, wrong.body.code], [401, "invalid_api_key"]);
  });
}

Deno.test("a query has at most 100 parameters and 16 KiB, and the error states the number of refused parameters", async () => {
  const many = (count: number) => `?${Array.from({ length: count }, (_, i) => `p${i}`).join("&")}`;
  const tooMany: [string, RegExp][] = [
    [
      many(100),
      /p0 is not a parameter that is accepted here; the accepted names are .* \(and 99 more, see details\)$/,
    ],
    [many(101), /^The request has more than 100 parameters$/],
    [`?limit=${"1".repeat(16 * 1024)}`, /^The query string is longer than 16 KiB$/],
  ];
  for (const [query, sentence] of tooMany) {
    const answer = await call(company.keys.read, "GET", `/contacts${query}`);
    assert.deepEqual([answer.status, answer.body.code], [422, "invalid_request"]);
    assert.match(answer.body.error, sentence);
  }
});

Deno.test("a path of more than 8 KiB causes a 422, or a 401 if the key is invalid", async () => {
  const paths = [`/deals/${"x".repeat(9_000)}`, `/deals/${"%ff".repeat(9_000)}`, "/".repeat(9_000)];
  for (const path of paths) {
    const json = { title: "x" };
    const answer = await call(company.keys.all, "PATCH", path, { json });
    assert.deepEqual([answer.status, answer.body.code], [422, "invalid_request"]);
    assert.equal(answer.body.error, "The path is longer than 8 KiB");
    assert.equal((await call("sk_live_wrong", "PATCH", path, { json })).status, 401);
  }
});

Deno.test("the error for a conflict contains no text from the database", async () => {
  const json = { phone: anyPhone() };
  await call(company.keys.all, "POST", "/contacts", { json });
  const conflict = await call(company.keys.all, "POST", "/contacts", { json });
  assert.equal(conflict.status, 409);
  assert.doesNotMatch(JSON.stringify(conflict.body), /constraint|contacts_|Key \(|duplicate/);
});

Deno.test("the function host returns a 404 for a function that does not exist", async () => {
  const response = await fetch(`${stack.url}/functions/v1/nothing`);
  assert.equal(response.status, 404);
  await response.body?.cancel();
});
