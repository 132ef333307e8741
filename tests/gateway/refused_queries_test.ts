// A parameter that a list does not take, or a value that it does not take, is refused by name on every list.
import assert from "node:assert/strict";
import { filtersOf, schemaOf } from "../support/any_query.ts";
import { type Answer, assertField, call } from "../support/calls.ts";
import { newCompanyWithTemplate } from "../support/company.ts";
import { listRoutes } from "../support/routes.ts";

const company = await newCompanyWithTemplate();
const OPERATORS = ["ne", "gt", "gte", "lt", "lte", "contains", "all", "empty"];

/** The lists: where each is, and its name in the description. */
const LISTS = listRoutes.map(({ pattern, path }) => ({
  list: pattern.replace(":id", "{id}"),
  get: (query: string, key: string | null = company.keys.read): Promise<Answer> =>
    call(key, "GET", `${path(company)}?${query}`, { headers: { "X-Request-Id": "same" } }),
}));

/** Asserts that an answer refuses a field and names all of these. */
function assertNames(answer: Answer, field: string, names: string[]) {
  assertField(answer, field);
  const { message } = answer.body.details.find((each: { field: string }) => each.field === field);
  for (const name of names) assert.ok(message.includes(name), `${name} in: ${message}`);
}

/** The parameters with these names, which all have this value. */
function all(names: string[], value: string): string {
  return names.map((name) => `${encodeURIComponent(name)}=${value}`).join("&");
}

for (const { list, get } of LISTS) {
  const parameters = filtersOf(list).map(([name]) => name);
  const fields = [...new Set(parameters.map((name) => name.replace(/\[.*/, "")))];

  Deno.test(`${list} refuses an unknown parameter, and names all that there are`, async () => {
    const known = [...fields, "limit", "cursor", "fields", "sort", "include_total"];
    for (
      const name of ["colour", "__proto__", "constructor", "toString", "offset", "", "or"]
    ) {
      assertNames(await get(`${name}=x`), name, known);
    }
    assertNames(await get("soort=x"), "soort", ["did you mean sort?"]);
  });

  Deno.test(`${list} refuses every operator that a field does not take, and names those that it takes`, async () => {
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

  Deno.test(`${list} refuses an unknown sort, field and include, and names those that there are`, async () => {
    const sorts = schemaOf(list, "sort").enum;
    for (
      const sort of [
        "colour",
        "",
        "-",
        "--created_at",
        "created_at,name",
        "Created_at",
        "__proto__",
        " name",
      ]
    ) {
      assertNames(await get(`sort=${sort}`), "sort", sorts);
    }
    for (
      const few of ["temperature", "status", "is_active", "do_not_contact", "is_default", "role"]
    ) {
      assertNames(await get(`sort=${few}`), "sort", sorts);
    }
    for (const name of ["fields", "include"]) {
      const schema = schemaOf(list, name);
      if (!schema) continue;
      for (
        const wrong of ["colour", "", `${schema.items.enum[0]},`, "*", "__proto__", " id", "id)"]
      ) {
        assertNames(await get(`${name}=${encodeURIComponent(wrong)}`), name, schema.items.enum);
      }
    }
  });

  Deno.test(`${list} refuses an empty value, and a parameter that is given twice`, async () => {
    const names = parameters.filter((name) => name !== "custom_fields");
    const [empty, twice] = [
      await get(all(names, "")),
      await get(`${all(names, "x")}&${all(names, "x")}`),
    ];
    for (const name of names) {
      assertField(empty, name);
      assertField(twice, name, /more than once/);
    }
    const others = await get(all(["limit", "sort", "include_total", "fields"], ""));
    for (const name of ["limit", "sort", "include_total", "fields"]) assertField(others, name);
  });

  Deno.test(`${list} refuses a value in a list that is empty or badly escaped, and too many of them`, async () => {
    const names = filtersOf(list).filter(([, { type }]) => type === "array").map(([name]) => name);
    for (const wrong of [",", "a,", ",a", "a\\", "a\\b", "\\\\\\", "1,\\,\\", "\0", "1,,1"]) {
      const answer = await get(all(names, encodeURIComponent(wrong)));
      for (const name of names) assertField(answer, name);
    }
    const many = await get(all(names, `${"1,".repeat(100)}1`));
    for (const name of names) assertField(many, name, /at most 100/);
  });

  Deno.test(`${list} tells nothing of its parameters to a caller without a key that may read`, async () => {
    for (
      const query of [
        "colour=x",
        "sort=x",
        "id=x",
        "limit=0",
        "cursor=x",
        "fields=x",
        "include_total=x",
      ]
    ) {
      assert.equal((await get(query)).status, 422);
      for (const key of [null, "sk_live_wrong", company.keys.write, company.keys.messaging]) {
        const [refused, plain] = [await get(query, key), await get("", key)];
        assert.ok([401, 403].includes(refused.status));
        assert.deepEqual(refused.body, plain.body);
      }
    }
  });
}

Deno.test("a value that is not in UTF-8 is refused, and a percent sign of its own is one", async () => {
  const [{ get }] = LISTS;
  assertField(await get("name=Jo%E3o"), "name", /UTF-8/);
  assertField(await get("tags=a,%ff&q=%C3"), "q", /UTF-8/);
  for (const good of ["name=Jo%C3%A3o", "name=%EF%BF%BD", "empresa=100%", "empresa=%zz,50%25"]) {
    assert.equal((await get(good)).status, 200, good);
  }
});

Deno.test("a custom field does not hide a parameter that is called as all of them", async () => {
  const [{ get }] = LISTS;
  assertField(await get("custom_fields=x&custom_fields.plan=gold"), "custom_fields");
  assertField(await get("custom_fields.plan=gold&custom_fields=x"), "custom_fields");
});

/** Values that a list does not take, by the parameter. */
const WRONG: Record<string, Record<string, string[]>> = {
  "/contacts": {
    id: ["x", company.contact_id.slice(1), `${company.contact_id} `, `{${company.contact_id}}`],
    phone: [
      "5511987654321",
      "+55",
      "+55 11 98765-4321",
      "++5511987654321",
      "%2B0511987654321",
      "+1234567890123456",
    ],
    temperature: ["Hot", "hot,lukewarm", "hot "],
    "name[contains]": ["%25", "-", " ", "\u0301", "x".repeat(256)],
    q: ["%25", "...", "\u0301\u0302", "a b c d e f g h i j k", "x".repeat(256)],
    is_active: ["TRUE", "1", "yes", "true,maybe"],
    "tags[empty]": ["TRUE", "1", "true,false"],
    "created_at[gt]": [
      ...[
        "yesterday",
        "2026",
        "2026-01",
        "2026-02-30",
        "2026-13-01",
        "2026-01-31T09:30:00",
        "2026-01-31 09:30:00Z",
      ],
      ...[
        "2026-01-31T09:30Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T09:60:00Z",
        "2026-01-31T09:30:60Z",
        "now",
        "infinity",
      ],
      ...[
        "2026-01-31T09:30:00%2B15:00",
        "2026-01-31T09:30:00.1234567Z",
        "0000-01-01",
        "10000-01-01",
        "-0001-01-01",
      ],
      ...["2026-01-31,2026-02-01", "2026-01-31Z", "1769851800"],
    ],
    custom_fields: ["x"],
    "custom_fields.": ["x"],
    "custom_fields.plan[ne]": ["x"],
    "custom_fields.plan": ["a\\b", "\0"],
    include_total: ["TRUE", "1"],
    limit: ["0", "201", "-1", "1.5", "1e1", " 1", "01"],
  },
  "/deals": {
    "value[gt]": [
      "1,2",
      "1.",
      ".5",
      "1e3",
      "1,200",
      "NaN",
      "Infinity",
      "0x10",
      " 1",
      "1 ",
      "1234567890123456",
      "0.0000001",
    ],
    value: ["a", "1,b", "--1"],
    status: ["open,closed", "OPEN"],
  },
  "/pipelines": { position: ["1.5", "2147483648", "-2147483649", "1e3", ""], is_default: ["null"] },
  "/conversations": {
    "assigned_to[empty]": ["null"],
    assigned_to: ["null", "none"],
    status: ["resolved"],
  },
  "/conversations/{id}/messages": { status: ["played", "SENT"], direction: ["in"] },
  "/templates": { language: ["pt-BR", "PT", "portuguese"], phone_number_id: ["+5511", "x"] },
};

for (const [list, parameters] of Object.entries(WRONG)) {
  const { get } = LISTS.find((each) => each.list === list)!;
  Deno.test(`${list} refuses values that a parameter does not take`, async () => {
    for (const [name, values] of Object.entries(parameters)) {
      for (const value of values) {
        const text = value.includes("%2") ? value : encodeURIComponent(value);
        assertField(await get(`${encodeURIComponent(name)}=${text}`), name);
      }
    }
  });
}
