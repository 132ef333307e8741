// Tests reading lists from views, with embedded rows, sorting, pagination and totals. The views run
// with their owner's rights, and the foreign keys of their tables include the company.
import assert from "node:assert/strict";
import { startDataApi } from "./lite.ts";

const { api, end } = await startDataApi(`
  create table companies (id int primary key);
  create table contacts (
    id int primary key, company_id int not null references companies, name text, fields jsonb,
    unique (company_id, id)
  );
  create table pipelines (
    id int primary key, company_id int not null references companies, unique (company_id, id)
  );
  create table stages (
    id int primary key, company_id int not null references companies, pipeline_id int not null,
    position int, unique (company_id, id),
    foreign key (company_id, pipeline_id) references pipelines (company_id, id)
  );
  create table deals (
    id int primary key, company_id int not null references companies, contact_id int not null,
    stage_id int, value numeric, closed_at timestamptz,
    foreign key (company_id, contact_id) references contacts (company_id, id),
    foreign key (company_id, stage_id) references stages (company_id, id)
  );
  insert into companies values (1), (2);
  insert into contacts values
    (1, 1, 'Ana', '{"k": 5.50, "long": 1}'), (2, 1, 'Bia', '{}'), (3, 2, 'Eve', '{}');
  insert into pipelines values (1, 1), (2, 2), (3, 1);
  insert into stages values (1, 1, 1, 2), (2, 1, 1, 1), (3, 2, 2, 1), (4, 1, 1, 1);
  insert into deals values
    (1, 1, 1, 1, 8490.50, '2026-11-21'), (2, 1, 2, null, null, null), (3, 2, 3, 3, 5, null),
    (4, 1, 1, 2, 9007199254740993, null);

  create function company() returns int stable language sql as 'select 1';
  create view own_contacts as
    select id, company_id, name, fields, lower(name) as name_words
    from public.contacts where company_id = (select company());
  create view own_pipelines as
    select id, company_id from public.pipelines where company_id = (select company());
  create view own_stages as
    select id, company_id, pipeline_id, position
    from public.stages where company_id = (select company());
  create view own_deals as
    select id, company_id, contact_id, stage_id, value, coalesce(value, -1) as value_sort,
      coalesce(closed_at, '-infinity') as closed_sort
    from public.deals where company_id = (select company());
  grant select on own_contacts, own_pipelines, own_stages, own_deals to authenticated;
`);
Deno.test.afterAll(end);

async function rows(query: string) {
  const { status, text, body } = await api(query);
  assert.equal(status, 200, `${query} ${text}`);
  return body;
}

Deno.test("a view can embed rows from another view if a foreign key connects their tables", async () => {
  assert.deepEqual(
    await rows("/own_deals?select=id,contact:own_contacts(id,name),stage:own_stages(id)&order=id"),
    [
      { id: 1, contact: { id: 1, name: "Ana" }, stage: { id: 1 } },
      { id: 2, contact: { id: 2, name: "Bia" }, stage: null },
      { id: 4, contact: { id: 1, name: "Ana" }, stage: { id: 2 } },
    ],
  );
  assert.deepEqual(
    await rows("/own_contacts?select=id,deals:own_deals(id)&deals.order=id.desc&order=id"),
    [{ id: 1, deals: [{ id: 4 }, { id: 1 }] }, { id: 2, deals: [{ id: 2 }] }],
  );
  const [{ contact }] = await rows("/own_deals?select=contact:own_contacts(*)&id=eq.1");
  assert.deepEqual(contact, {
    ...{ id: 1, company_id: 1, name: "Ana", name_words: "ana" },
    fields: { k: 5.5, long: 1 },
  });
});

Deno.test("embedded rows can have their own order and filters", async () => {
  const select = "select=id,stages:own_stages(id)&order=id";
  assert.deepEqual(await rows(`/own_pipelines?${select}&stages.order=position.asc,id.asc`), [
    { id: 1, stages: [{ id: 2 }, { id: 4 }, { id: 1 }] },
    { id: 3, stages: [] },
  ]);
  assert.deepEqual(
    await rows(`/own_pipelines?${select}&stages.or=(id.eq.1,id.eq."4")&stages.id=gt.1`),
    [{ id: 1, stages: [{ id: 4 }] }, { id: 3, stages: [] }],
  );
});

Deno.test("an unknown relation, or a relation that is not embedded, is refused", async () => {
  const code = async (query: string) => {
    const { status, body } = await api(query);
    return [status, body.code];
  };
  assert.deepEqual(await code("/own_deals?select=id,x:nothing(id)"), [400, "PGRST200"]);
  assert.deepEqual(await code("/own_contacts?select=id,own_pipelines(id)"), [400, "PGRST200"]);
  assert.deepEqual(await code("/own_deals?select=id&own_contacts.id=eq.1"), [400, "PGRST108"]);
  assert.deepEqual(await code("/own_deals?select=id,own_contacts(nothing)"), [400, "42703"]);
  assert.deepEqual(await code("/own_deals?select=id,contacts(id)"), [403, "42501"]);
});

Deno.test("an embedded row is a `jsonb` value, so its columns are in the order that `jsonb` uses", async () => {
  const query = "/own_deals?select=value,contact:own_contacts(name,id,fields)&id=eq.1";
  const { text } = await api(query);
  const contact = '{"id":1,"name":"Ana","fields":{"k":5.50,"long":1}}';
  assert.equal(text, `[{"value":8490.50,"contact":${contact}}]`);
  const array = "/own_contacts?select=deals:own_deals(value,id)&id=eq.1";
  assert.match((await api(array)).text, /{"id":4,"value":9007199254740993}/);
});

Deno.test("rows can be sorted by a column of an embedded row", async () => {
  const query = "/own_deals?select=id,contact:own_contacts(id)&order=contact(name).desc,id&id=lt.9";
  assert.deepEqual((await rows(query)).map(({ id }: { id: number }) => id), [2, 1, 4]);
});

Deno.test("the time -infinity is returned as text, and can be sorted and filtered", async () => {
  const select = "select=id,closed_sort&order=closed_sort.desc,id.desc";
  const all = [
    { id: 1, closed_sort: "2026-11-21T00:00:00+00:00" },
    { id: 4, closed_sort: "-infinity" },
    { id: 2, closed_sort: "-infinity" },
  ];
  assert.deepEqual(await rows(`/own_deals?${select}`), all);
  const after = (time: string, id: number) =>
    `or=(closed_sort.lt."${time}",and(closed_sort.eq."${time}",id.lt.${id}))`;
  const afterFirst = after("2026-11-21T00:00:00%2B00:00", 1);
  assert.deepEqual(await rows(`/own_deals?${select}&${afterFirst}`), all.slice(1));
  assert.deepEqual(await rows(`/own_deals?${select}&${after("-infinity", 4)}`), all.slice(2));
});

Deno.test("a total counts the rows that match all filters, including a filter that begins the page after a given row", async () => {
  const counted = async (query: string) => {
    const { status, headers, body } = await api(query, { headers: { Prefer: "count=exact" } });
    return [status, headers.get("Content-Range"), body.length];
  };
  assert.deepEqual(await counted("/own_deals?limit=2"), [206, "0-1/3", 2]);
  assert.deepEqual(await counted("/own_deals?limit=3"), [200, "0-2/3", 3]);
  assert.deepEqual(await counted("/own_deals?value=not.is.null&limit=1"), [206, "0-0/2", 1]);
  assert.deepEqual(await counted("/own_deals?id=gt.1&order=id&limit=1"), [206, "0-0/2", 1]);
  assert.deepEqual(await counted("/own_deals?or=(id.eq.1,id.eq.2)&id=gt.1"), [200, "0-0/1", 1]);
  assert.deepEqual(await counted("/own_deals?id=gt.9&limit=1"), [200, "*/0", 0]);
  const embedding = "select=id,contact:own_contacts(id)&contact.name=eq.Ana";
  assert.deepEqual(await counted(`/own_deals?${embedding}&limit=1`), [206, "0-0/3", 1]);
  const { status, headers } = await api("/own_deals?limit=2");
  assert.deepEqual([status, headers.get("Content-Range")], [200, "0-1/*"]);
});

Deno.test("a response contains the requested URL, with the parameters sorted by name", async () => {
  const { headers } = await api("/own_deals?value=gt.5&select=id&limit=1");
  assert.equal(headers.get("Content-Location"), "/own_deals?limit=1&select=id&value=gt.5");
});
