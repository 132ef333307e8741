// Tests the `ETag`, `If-Match` and `If-None-Match` headers (RFC 9110, section 13).
import assert from "node:assert/strict";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import openapi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { anyPhone, newCompany, newCompanyWithTemplate } from "../support/company.ts";
import {
  type Answer,
  assertField,
  assertHeaderRefused,
  call,
  untilServed,
} from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { idRoutes, type Route, routes } from "../support/routes.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompanyWithTemplate();
const other = await newCompany();

/** The routes that return one record. */
const single = idRoutes.filter(({ pattern, success }) =>
  /[/]:\w+$/.test(pattern) && success !== 204
)
  // Deliveries change a webhook all the time, so a webhook has no version for conditional writes.
  .filter(({ method, pattern }) => !(method === "PATCH" && pattern === "/webhooks/:id"));
const reads = single.filter(({ method }) => method === "GET");
const changes = single.filter(({ method }) => method === "PATCH");
/** The routes whose records consist of several rows. */
const WITHOUT_VERSION = ["/templates/:id", "/sends/:message_id", "/webhooks/:id"];

function get(path: string, headers?: Record<string, string>): Promise<Answer> {
  return call(company.keys.all, "GET", path, { headers });
}

function change(route: Route, headers: Record<string, string>): Promise<Answer> {
  const json = route.body!(company);
  return call(company.keys.all, "PATCH", route.path(company), { json, headers });
}

async function newContact(): Promise<{ id: string; version: string; phone: string }> {
  const json = { phone: anyPhone() };
  return (await call(company.keys.write, "POST", "/contacts", { json })).body.data;
}

function rename(id: string, ifMatch: string, name = "Changed"): Promise<Answer> {
  return call(company.keys.all, "PATCH", `/contacts/${id}`, {
    body: JSON.stringify({ name }),
    headers: { "Content-Type": "application/merge-patch+json", "If-Match": ifMatch },
  });
}

function assertStale(answer: Answer, version: string) {
  const { status, headers, body } = answer;
  const etag = `"${version}"`;
  assert.deepEqual(
    [status, body.code, body.etag, headers.get("ETag")],
    [412, "precondition_failed", etag, etag],
  );
}

Deno.test("every response with one whole record has an `ETag`, which is the version if the record has a version", async () => {
  for (const route of single) {
    const json = route.body?.(company);
    const { headers, body } = await call(company.keys.all, route.method, route.path(company), {
      json,
    });
    const name = `${route.method} ${route.pattern}`;
    if (route.success === 204) {
      assert.deepEqual([headers.get("ETag"), body], [null, ""], name);
      continue;
    }
    if (WITHOUT_VERSION.includes(route.pattern)) {
      assert.match(headers.get("ETag")!, /^"[\w-]{43}"$/, name);
      assert.ok(!("version" in body.data), name);
    } else {
      assert.match(body.data.version, /^[1-9][0-9]*$/, name);
      assert.equal(headers.get("ETag"), `"${body.data.version}"`, name);
    }
  }
  const contact = await call(company.keys.write, "POST", "/contacts", {
    json: { phone: anyPhone() },
  });
  assert.equal(contact.headers.get("ETag"), `"${contact.body.data.version}"`);
  const deal = await call(company.keys.write, "POST", "/deals", {
    json: { title: "Deal", contact_id: company.contact_id, stage_id: company.stage_ids[0] },
  });
  assert.equal(deal.headers.get("ETag"), `"${deal.body.data.version}"`);
});

Deno.test("records in lists, changes, search results and `include` have their versions, but these responses have no `ETag`", async () => {
  const contact = (await get(`/contacts/${company.contact_id}`)).body.data;
  const deal = (await get(`/deals/${company.deal_id}`)).body.data;
  const isContact = ({ id }: { id: string }) => id === contact.id;
  const told = await changesOnce(
    company.keys.all,
    "/contacts/changes?limit=200",
    (rows) => rows.some(isContact),
  );
  const lists = [
    await get(`/contacts?id=${contact.id}`),
    told,
    await get(`/search?q=${contact.phone.slice(1)}`),
    await get(`/deals?id=${deal.id}&include=contact`),
    await get(`/deals/${deal.id}?include=contact`),
  ];
  for (const { headers } of lists) assert.equal(headers.get("ETag"), null);
  const [list, changes, search, deals, one] = lists.map(({ body }) => body.data);
  assert.deepEqual(list, [contact]);
  assert.deepEqual(changes.find(isContact), contact);
  assert.deepEqual(search.find(isContact).row, contact);
  assert.deepEqual([deals[0].version, deals[0].contact.version], [deal.version, contact.version]);
  assert.equal(one.contact.version, contact.version);
});

Deno.test("a request with `fields` or `include` returns no `ETag` and never a 304", async () => {
  const path = `/deals/${company.deal_id}`;
  for (const query of ["fields=id,version", "include=contact"]) {
    const { status, headers, body } = await get(`${path}?${query}`, { "If-None-Match": "*" });
    assert.deepEqual([status, headers.get("ETag"), body.data.id], [200, null, company.deal_id]);
  }
});

Deno.test("with `If-None-Match`, the response is a 304 without a body while the record is unchanged", async () => {
  for (const route of reads) {
    const path = route.path(company);
    const etag = (await get(path)).headers.get("ETag")!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, headers, body } = await get(path, { "If-None-Match": known });
      assert.deepEqual([status, headers.get("ETag"), body], [304, etag, ""], `${path} ${known}`);
      assert.equal(headers.get("Cache-Control"), "no-store");
    }
    const { status, body } = await get(path, { "If-None-Match": '"other"' });
    assert.deepEqual([status, typeof body.data], [200, "object"]);
    const head = await call(company.keys.all, "HEAD", path, { headers: { "If-None-Match": etag } });
    assert.equal(head.status, 304);
  }
  const missing = await get(`/contacts/${crypto.randomUUID()}`, { "If-None-Match": "*" });
  assert.equal(missing.status, 404);
});

Deno.test("with `If-None-Match`, the response contains the record if it has changed", async () => {
  const { id, version } = await newContact();
  await rename(id, "*");
  const { status, body } = await get(`/contacts/${id}`, { "If-None-Match": `"${version}"` });
  assert.deepEqual([status, body.data.name], [200, "Changed"]);
});

Deno.test("with `If-Match`, every route that changes one record changes it only if its version is unchanged", async () => {
  assert.ok(changes.length >= 3);
  for (const route of changes) {
    const before = (await get(route.path(company))).body.data;
    const changed = await change(route, { "If-Match": `"${before.version}"` });
    assert.equal(changed.status, 200, route.pattern);
    const { version } = changed.body.data;
    assert.ok(Number(version) > Number(before.version), route.pattern);
    const row = (await get(route.path(company))).body.data;
    assert.deepEqual(row, changed.body.data);

    assertStale(await change(route, { "If-Match": `"${before.version}"` }), version);
    assert.deepEqual((await get(route.path(company))).body.data, row, "nothing was written");
  }
});

Deno.test("`If-Match` accepts a list, an asterisk and an `ETag` that a proxy made weak", async () => {
  const { id, version } = await newContact();
  const accepted = [
    `"1", "${version}"`,
    `"${version}","x"`,
    ` , "y",, W/"1" ,"${version}" , `,
    `W/"${version}"`,
    `"1", W/"${version}"`,
  ];
  let present = version;
  for (const list of accepted) {
    const answer = await rename(id, list.replaceAll(version, present));
    assert.equal(answer.status, 200, list);
    present = answer.body.data.version;
  }
  const answer = await rename(id, "*");
  assert.equal(answer.status, 200);
  present = answer.body.data.version;
  const never = [
    ...[`"0${present}"`, `"${present}.0"`, `"${present}e0"`, `"-1"`, `""`],
    ...[`"any text"`.replace(" ", "_"), `"9223372036854775808"`, `"${"9".repeat(400)}"`],
    `"1", W/"2"`,
  ];
  for (const tag of never) assertStale(await rename(id, tag), present);
});

Deno.test("a malformed condition is refused, and the error names the header", async () => {
  const { id, version } = await newContact();
  const malformed = [version, "", `"${version}`, `"a" "b"`, `'${version}'`, `*, "1"`, `w/"1"`, ","];
  for (const value of malformed) {
    assertField(await rename(id, value), "If-Match", /^must be an ETag in double quotes/);
    const read = await get(`/contacts/${id}`, { "If-None-Match": value });
    assertField(read, "If-None-Match", /^must be an ETag in double quotes/);
  }
});

/** The header parameters of a route in the API description, such as `IfMatch`. */
function describedHeaders({ method, pattern }: Route): string[] {
  const path = `/gateway${pattern.replace(/:(\w+)/g, "{$1}")}`;
  const { parameters } = (openapi as JsonSchema).paths[path][method.toLowerCase()];
  return parameters.map(({ $ref, name }: JsonSchema) => ($ref ?? name).replace(/.*[/]|-/g, ""));
}

Deno.test("each operation refuses conditional headers that it does not support, and the error says what to do instead", async () => {
  const since = new Date().toUTCString();
  for (const route of routes) {
    const { method, pattern } = route;
    const takes = (header: string) => describedHeaders(route).includes(header);
    const isRead = method === "GET";
    const instead = takes("IfMatch") ? /send If-Match/ : /leave it out/;
    const ignored: [string, string, RegExp][] = [];
    if (!takes("IfMatch")) ignored.push(["If-Match", "*", isRead ? /on a GET/ : instead]);
    if (!takes("IfNoneMatch")) {
      ignored.push([
        "If-None-Match",
        "*",
        isRead ? /^has no effect here.+in a list.+[/]changes/ : instead,
      ]);
    }
    if (!isRead) ignored.push(["If-Unmodified-Since", since, instead]);
    if (!isRead && !takes("IdempotencyKey")) {
      ignored.push(["Idempotency-Key", "k", /is safe to repeat without it.+leave it out/]);
    }
    assert.ok(ignored.length > 0, `${method} ${pattern}`);
    for (const [header, value, message] of ignored) {
      const [json, headers] = [route.body?.(company), { [header]: value }];
      const answer = await call(company.keys.all, method, route.path(company), { json, headers });
      assertHeaderRefused(answer, header, message);
    }
  }
});

Deno.test("a read ignores headers that apply only to writes", async () => {
  const headers = { "If-Unmodified-Since": new Date(0).toUTCString(), "Idempotency-Key": "a b" };
  for (const path of ["/contacts", `/contacts/${company.contact_id}`]) {
    assert.equal((await get(path, headers)).status, 200);
  }
});

Deno.test("a conditional change to an unknown record returns a 404, whatever the condition is", async () => {
  for (const id of [other.contact_id, crypto.randomUUID()]) {
    for (const condition of ["*", '"1"', 'W/"1"']) {
      assert.equal((await rename(id, condition)).status, 404, condition);
    }
  }
  const stored = await statement`select name from contacts where id = ${other.contact_id}`;
  assert.notEqual(stored[0].name, "Changed");
});

Deno.test("the key is checked before the condition, so a caller without the scope cannot find out a record's version", async () => {
  const { id } = await newContact();
  const wrong = { body: "{}", headers: { "If-Match": '"1"', "Content-Type": "application/json" } };
  for (const [key, status] of [[company.keys.read, 403], ["sk_live_wrong", 401]] as const) {
    const answer = await call(key, "PATCH", `/contacts/${id}`, wrong);
    assert.deepEqual([answer.status, answer.headers.get("ETag")], [status, null]);
  }
  const stale = await call(company.keys.write, "PATCH", `/contacts/${id}`, {
    json: { phone: anyPhone() },
    headers: { "If-Match": '"1"' },
  });
  assert.equal(stale.status, 412);
});

Deno.test("the body is checked first, then the version, then conflicts", async () => {
  const { id, version } = await newContact();
  const taken = (await newContact()).phone;
  const patch = (json: unknown, condition: string) =>
    call(company.keys.all, "PATCH", `/contacts/${id}`, {
      json,
      headers: { "If-Match": condition },
    });
  assertField(await patch({ phone: 5 }, '"1"'), "phone");
  assertStale(await patch({ phone: taken }, '"1"'), version);
  assert.equal((await patch({ phone: taken }, `"${version}"`)).status, 409);
  assert.equal((await get(`/contacts/${id}`)).body.data.version, version);
});

Deno.test("exactly one of fifty simultaneous changes with the same version succeeds", async () => {
  for (const resource of ["contacts", "deals"] as const) {
    const id = resource === "contacts" ? (await newContact()).id : company.deal_id;
    const { version } = (await get(`/${resource}/${id}`)).body.data;
    const answers = await Promise.all(
      Array.from(
        { length: 50 },
        (_, at) =>
          untilServed(() =>
            call(company.keys.all, "PATCH", `/${resource}/${id}`, {
              body: JSON.stringify(
                resource === "contacts" ? { name: `${at}` } : { title: `${at}` },
              ),
              headers: {
                "Content-Type": "application/merge-patch+json",
                "If-Match": at % 2 ? `"${version}"` : `"1", "${version}"`,
              },
            })
          ),
      ),
    );
    const made = answers.filter(({ status }) => status === 200);
    assert.equal(made.length, 1);
    assert.equal(answers.filter(({ status }) => status === 412).length, 49);
    const [{ body }] = made;
    for (const answer of answers) {
      if (answer.status === 412) assertStale(answer, body.data.version);
    }
    assert.deepEqual((await get(`/${resource}/${id}`)).body.data, body.data);
  }
});

Deno.test("of ten simultaneous writes with the same version in the body, only one succeeds, even with `If-Match: *`", async () => {
  const { keys: { all } } = company;
  for (const method of ["PATCH", "PUT"]) {
    const { id } = await newContact();
    const record = (await get(`/contacts/${id}`)).body.data;
    const send = (name: string, ifMatch = "*") =>
      call(all, method, method === "PUT" ? "/contacts" : `/contacts/${id}`, {
        json: { ...record, name },
        headers: { "If-Match": ifMatch },
      });
    assertStale(await send("Other", '"1"'), record.version);
    const names = Array.from({ length: 10 }, (_, at) => `${at}`);
    const answers = await Promise.all(names.map((name) => untilServed(() => send(name))));
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
    assert.deepEqual(statuses.filter((status) => ![200, 412, 422].includes(status)), []);
  }
});
