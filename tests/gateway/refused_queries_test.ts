// Tests that every list refuses parameters and values that it does not accept, and names them in
// the error.
import assert from "node:assert/strict";
import { filtersOf, schemaOf } from "../support/any_query.ts";
import { type Answer, assertField, call } from "../support/calls.ts";
import { newCompanyWithTemplate } from "../support/company.ts";
import { listRoutes } from "../support/routes.ts";

const company = await newCompanyWithTemplate();
const OPERATORS = ["ne", "gt", "gte", "lt", "lte", "contains", "all", "empty"];

/** The lists, each with its path in the API description and a function that requests the list. */
const LISTS = listRoutes.map(({ pattern, path }) => ({
  list: pattern.replace(":id", "{id}"),
  get: (query: string, key: string | null = company.keys.read): Promise<Answer> =>
    call(key, "GET", `${path(company)}?${query}`, { headers: { "X-Request-Id": "same" } }),
}));

/** Asserts that a response refuses a field and that its error contains all of these strings. */
function assertNames(answer: Answer, field: string, names: string[]) {
  assertField(answer, field);
  const { message } = answer.body.details.find((each: { field: string }) => each.field === field);
  for (const name of names) assert.ok(message.includes(name), `${name} in: ${message}`);
}

/** A query in which each of these parameters has this value. */
function all(names: string[], value: string): string {
  return names.map((name) => `${encodeURIComponent(name)}=${value}`).join("&");
}

for (const { list, get } of LISTS) {
  const parameters = filtersOf(list).map(([name]) => name);
  const fields = [...new Set(parameters.map((name) => name.replace(/\[.*/, "")))];

  Deno.test(`${list} refuses an unknown parameter, and the error names all existing parameters`, async () => {
    const known = [...fields, "limit", "cursor", "fields", "sort", "include_total"];
    for (const name of ["colour", "__proto__", "constructor", "toString", "offset", "", "or"]) {
      assertNames(await get(`${name}=x`), name, known);
    }
    assertNames(await get("soort=x"), "soort", ["did you mean sort?"]);
  });

  Deno.test(`${list} refuses every operator that a field does not accept, and the error names the accepted operators`, async () => {
    for (const field of fields.filter((name) => !["q", "custom_fields"].includes(name))) {
      const taken = parameters.filter((name) => name === field || name.startsWith(`${field}[`));
      const others = [
        "",
        ...OPERATORS.map((operator) => `[${operator}]`),
        "[]",
        "[eq]",
        "[NE]",
        "[ne",
        "[__proto__]",
      ]
        .map((end) => field + end)
        .filter((name) => !taken.includes(name));
      const answer = await get(all(others, "1"));
      for (const name of others) assertNames(answer, name, taken);
    }
  });

  Deno.test(`${list} refuses an unknown sort, field or include, and the error names the existing values`, async () => {
    const sorts = schemaOf(list, "sort").enum;
    const unsortable = [
      ...["colour", "", "-", "--created_at", "created_at,name", "Created_at", "__proto__"],
      " name",
    ];
    for (const sort of unsortable) {
      assertNames(await get(`sort=${sort}`), "sort", sorts);
    }
    const enums = ["temperature", "status", "is_active", "do_not_contact", "is_default", "role"];
    for (const few of enums) {
      assertNames(await get(`sort=${few}`), "sort", sorts);
    }
    for (const name of ["fields", "include"]) {
      const schema = schemaOf(list, name);
      if (!schema) continue;
      const unknown = ["colour", "", `${schema.items.enum[0]},`, "*", "__proto__", " id", "id)"];
      for (const wrong of unknown) {
        assertNames(await get(`${name}=${encodeURIComponent(wrong)}`), name, schema.items.enum);
      }
    }
  });

  Deno.test(`${list} refuses an empty value and a repeated parameter`, async () => {
    const names = parameters.filter((name) => name !== "custom_fields");
    // A query has at most 100 parameters, and an error names at most 50 of them.
    for (let at = 0; at < names.length; at += 50) {
      const some = names.slice(at, at + 50);
      const empty = await get(all(some, ""));
      const twice = await get(`${all(some, "x")}&${all(some, "x")}`);
      for (const name of some) {
        assertField(empty, name);
        assertField(twice, name, /more than once/);
      }
    }
    const others = await get(all(["limit", "sort", "include_total", "fields"], ""));
    for (const name of ["limit", "sort", "include_total", "fields"]) assertField(others, name);
  });

  Deno.test(`${list} refuses too many values in a list, empty values and values with invalid escapes`, async () => {
    const names = filtersOf(list).filter(([, { type }]) => type === "array").map(([name]) => name);
    for (const wrong of [",", "a,", ",a", "a\\", "a\\b", "\\\\\\", "1,\\,\\", "\0", "1,,1"]) {
      const answer = await get(all(names, encodeURIComponent(wrong)));
      for (const name of names) assertField(answer, name);
    }
    const many = await get(all(names, `${"1,".repeat(100)}1`));
    for (const name of names) assertField(many, name, /at most 100/);
  });

  Deno.test(`${list} reveals nothing about its parameters to a caller without a valid key and the read scope`, async () => {
    const queries = [
      ...["colour=x", "sort=x", "id=x", "limit=0", "cursor=x", "fields=x", "include_total=x"],
    ];
    for (const query of queries) assert.equal((await get(query)).status, 422);
    for (const key of [null, "sk_live_wrong", company.keys.write, company.keys.messaging]) {
      const plain = await get("", key);
      for (const query of queries) {
        const refused = await get(query, key);
        assert.ok([401, 403].includes(refused.status));
        assert.deepEqual(refused.body, plain.body);
      }
    }
  });
}

Deno.test("a value that is not UTF-8 is refused, and a percent sign without an encoded byte is an ordinary character", async () => {
  const [{ get }] = LISTS;
  assertField(await get("name=Jo%E3o"), "name", /UTF-8/);
  assertField(await get("tags=a,%ff&q=%C3"), "q", /UTF-8/);
  for (const good of ["name=Jo%C3%A3o", "name=%EF%BF%BD", "empresa=100%", "empresa=%zz,50%25"]) {
    assert.equal((await get(good)).status, 200, good);
  }
});

Deno.test("the parameter `custom_fields` without a field's name is refused, even next to a filter on a custom field", async () => {
  const [{ get }] = LISTS;
  assertField(await get("custom_fields=x&custom_fields.plan=gold"), "custom_fields");
  assertField(await get("custom_fields.plan=gold&custom_fields=x"), "custom_fields");
});
