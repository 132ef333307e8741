// No filter and no included record reaches another company's rows; isolation_test.ts has what every route owes.
import assert from "node:assert/strict";
import { filtersOf, schemaOf } from "../support/any_query.ts";
import { call } from "../support/calls.ts";
import { anyPhone, newCompanyWithTemplate } from "../support/company.ts";
import { listRoutes } from "../support/routes.ts";

const [ours, theirs] = [await newCompanyWithTemplate(), await newCompanyWithTemplate()];

/** The ids of a company's rows, by the fields that refer to them. */
const idsOf = (company: typeof ours): Record<string, string> => ({
  id: company.contact_id,
  contact_id: company.contact_id,
  stage_id: company.stage_ids[0],
  pipeline_id: company.pipeline_id,
  assigned_to: company.member_id,
  team_id: company.team_id,
  reply_to_id: company.message_id,
});

for (const route of listRoutes) {
  const list = route.pattern.replace(":id", "{id}");
  const ids = filtersOf(list).filter(([, schema]) => schema.items?.format === "uuid").map((
    [name],
  ) => name);

  Deno.test(`${route.pattern} finds nothing by another company's id, and leaves nothing out by it`, async () => {
    const at = async (query: string) => {
      const { status, body } = await call(
        ours.keys.all,
        "GET",
        `${route.path(ours)}?limit=200&${query}`,
        {
          headers: { "X-Request-Id": "same" },
        },
      );
      return { status, body };
    };
    const [{ id: foreign }] =
      (await call(theirs.keys.all, "GET", `${route.path(theirs)}?limit=1`)).body.data;
    const all = await at("");
    assert.ok(ids.includes("id"));
    for (const name of ids) {
      const id = name.startsWith("id") ? foreign : idsOf(theirs)[name.replace("[ne]", "")];
      const found = await at(`${name}=${id}`);
      assert.deepEqual(found, await at(`${name}=${crypto.randomUUID()}`), name);
      if (name.endsWith("[ne]")) assert.deepEqual(found, all, name);
      else assert.deepEqual(found.body.data ?? [], [], name);
    }
  });

  Deno.test(`${route.pattern} includes only records of the key's company`, async () => {
    const include = schemaOf(list, "include")?.items.enum ?? [];
    if (include.length === 0) return;
    for (const [one, other] of [[ours, theirs], [theirs, ours]]) {
      const { body } = await call(
        one.keys.all,
        "GET",
        `${route.path(one)}?limit=200&include=${include}`,
      );
      const added = body.data.flatMap((row: Record<string, unknown>) =>
        include.flatMap((name: string) => row[name])
      );
      assert.ok(added.length > 0);
      for (const each of added) assert.equal(each.company_id, one.id);
      assert.ok(!JSON.stringify(body).includes(other.id));
    }
  });
}

Deno.test("what only another company's contact has is found by no filter", async () => {
  const phone = anyPhone();
  const json = {
    ...{
      phone,
      name: "Zenobia Quux",
      email: "zenobia@quux.example",
      tags: ["quuxish"],
      empresa: "Quux Ltd",
    },
    ...{ job_title: "Quuxer", source: "quux import", custom_fields: { quux: "quux" } },
  };
  assert.equal((await call(theirs.keys.all, "POST", "/contacts", { json })).status, 201);
  const queries = [
    ...[
      "q=quux",
      "q=zenobia",
      `q=${encodeURIComponent(phone)}`,
      `phone=${phone}`,
      "email=zenobia@quux.example",
    ],
    ...[
      "name=Zenobia%20Quux",
      "name[contains]=quux",
      "tags=quuxish",
      "tags[all]=quuxish",
      "empresa[contains]=quux",
    ],
    ...[
      "job_title=Quuxer",
      "job_title[contains]=quux",
      "source=quux%20import",
      "custom_fields.quux=quux",
    ],
    ...["email[contains]=quux", "empresa=Quux%20Ltd"],
  ];
  for (const query of queries) {
    const at = async (key: string) =>
      (await call(key, "GET", `/contacts?include_total=true&${query}`)).body.pagination.total;
    assert.deepEqual([await at(theirs.keys.all), await at(ours.keys.all)], [1, 0], query);
  }
});
