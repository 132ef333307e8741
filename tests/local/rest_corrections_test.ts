// Tests that each correction in local/rest/corrections.ts makes the Data API behave like PostgREST.
// rest_filters_test.ts tests the corrections for filters.
import assert from "node:assert/strict";
import { silenceAnsweredErrors } from "../../local/rest/database_errors.ts";
import { silently, startDataApi } from "./lite.ts";

const { api, sql, end } = await startDataApi(`
  create table things (id int primary key, name text check (name <> 'bad'), other int unique);
  create table parts (id int primary key, thing_id int references things);
  insert into things values (1, 'one', 1), (2, 'two', 2);
  grant select, insert, update on things to authenticated;
  grant insert on parts to authenticated;

  create table secrets (id int primary key);
  alter table secrets enable row level security;
  create policy "everyone sees everything" on secrets using (true);
  insert into secrets values (1);

  create function fail(state text) returns void language plpgsql as $$
    begin
      raise exception using errcode = state, message = 'Said', detail = 'More', hint = 'Help';
    end $$;
  create function setting(name text) returns text stable language sql return current_setting(name, true);
  create function kind(value jsonb) returns text language sql return jsonb_typeof(value);
  create function note() returns int volatile security definer language sql
    as 'insert into parts values ((select count(*) + 1 from parts)) returning id';
  create view noting as select note() as id;
  grant select on noting to authenticated;

  create table kinds (
    id int primary key, flag boolean, big bigint, money numeric(14, 2), ratio float8, tags text[],
    at timestamptz, local timestamp, day date, document jsonb, plain json, bytes bytea, uid uuid
  );
  insert into kinds values
    (1, true, 9007199254740993, 8490.50, 1.5, '{a,"b, c",5511}',
     '2026-11-21 03:03:45.123456+00', '2026-11-21 03:03:45', '2026-11-21', '{"a": [1, null, "x"]}',
     '{"a":  1}', '\\x01ff', 'de300000-0000-4000-8000-000000000001'),
    (2, false, -5, 'NaN', 'Infinity', '{}', 'infinity', null, null, '"text"', null, null, null),
    (3, null, 0, 0.00, 'NaN', null, '2026-01-01 00:00:00+00', null, null, '5', null, null, null);
  grant select, insert on kinds to authenticated;
`);
Deno.test.afterAll(end);

Deno.test("a role can read its tables, although `authenticator` has no grant on these tables", async () => {
  assert.equal((await api("/things?select=id")).status, 200);
});

Deno.test("the Data API gives no role new rights", async () => {
  const refusal = {
    code: "42501",
    message: "permission denied for table secrets",
    details: null,
    hint: null,
  };
  const asAnon = await api("/secrets", { claims: null });
  assert.deepEqual([asAnon.status, asAnon.body], [401, refusal]);
  const asPerson = await api("/secrets");
  assert.deepEqual([asPerson.status, asPerson.body], [403, refusal]);
});

Deno.test("the Data API trusts a token without checking whether its user exists", async () => {
  const claims = { role: "authenticated", sub: crypto.randomUUID() };
  assert.equal((await api("/things?select=id", { claims })).status, 200);
});

Deno.test("the claims always contain a role, even if the token has no role", async () => {
  const { body } = await api("/rpc/setting?name=request.jwt.claims", { claims: {} });
  assert.equal(JSON.parse(body).role, "anon");
});

Deno.test("a `jsonb` argument is passed on exactly as it was sent", async () => {
  const kinds = [];
  for (const value of [[{ a: 1 }], { a: [] }, 5, true, "text"]) {
    kinds.push((await api("/rpc/kind", { method: "POST", json: { value } })).body);
  }
  assert.deepEqual(kinds, ["array", "object", "number", "boolean", "string"]);
});

Deno.test("a GET request cannot write", async () => {
  const { status, body } = await api("/noting");
  assert.deepEqual([status, body.code], [405, "25006"]);
  assert.equal((await sql`select from parts`).count, 0);
});

Deno.test("an update or delete without a filter is refused, as with `safeupdate` on a hosted project", async () => {
  const refusal = async (method: string, query = "") => {
    const { status, body } = await api(`/things${query}`, { method, json: { name: "changed" } });
    return [status, body.code, body.message];
  };
  assert.deepEqual(await refusal("PATCH"), [400, "21000", "UPDATE requires a WHERE clause"]);
  // The role has no right to delete, so this error shows that the filter is checked before the
  // rights.
  assert.deepEqual(await refusal("DELETE"), [400, "21000", "DELETE requires a WHERE clause"]);
  assert.deepEqual((await refusal("DELETE", "?id=eq.9")).slice(0, 2), [403, "42501"]);
  const changed = await sql`select from things where name = 'changed'`;
  assert.equal(changed.count, 0);
});

Deno.test("a request that returns an error is rolled back", async () => {
  const change = { method: "PATCH", json: { name: "changed" }, headers: asOneRow };
  assert.deepEqual((await api("/things?id=gt.0", change)).body.code, "PGRST116");
  const things = await sql`select name from things order by id`;
  assert.deepEqual(things.map(({ name }) => name), ["one", "two"]);
});

/** The SQLSTATE codes for which PostgREST returns each status. */
const STATES = {
  400: "22023 22P02 23502 23514 42703 P0001",
  401: "PT401",
  403: "0L000 0P000 28000",
  404: "42883 42P01",
  405: "25006",
  409: "23503 23505",
  422: "PT422",
  500: "21000 42P17 53400 54001 55P03 57014 57P02 P0002 XX000",
  503: "08006 53100 53200 53300 57P01",
};

Deno.test("a database error has the same status and body as with PostgREST", async () => {
  const cases = Object.entries(STATES).flatMap(([status, states]) =>
    states.split(" ").map((state): [string, number] => [state, Number(status)])
  );
  for (const [state, status] of cases) {
    const answer = await api("/rpc/fail", { method: "POST", json: { state } });
    const said = { code: state, message: "Said", details: "More", hint: "Help" };
    assert.deepEqual([answer.status, answer.body], [status, said], state);
  }
});

Deno.test("if a constraint is violated, the error names the constraint", async () => {
  const writing = (json: unknown, table = "/things") => api(table, { method: "POST", json });
  const check = await writing({ id: 3, name: "bad" });
  assert.deepEqual([check.status, check.body.code], [400, "23514"]);
  assert.match(check.body.message, /"things_name_check"/);
  const unique = await writing({ id: 3, other: 1 });
  assert.deepEqual([unique.status, unique.body.code], [409, "23505"]);
  assert.match(unique.body.message, /"things_other_key"/);
  const reference = await writing({ id: 1, thing_id: 9 }, "/parts");
  assert.deepEqual([reference.status, reference.body.code], [409, "23503"]);
  assert.match(reference.body.message, /"parts_thing_id_fkey"/);
});

Deno.test("the Data API does not print an error that it returns to the caller", async () => {
  const printed = await silently(async () => {
    silenceAnsweredErrors();
    for (const state of ["P0001", "PT401"]) {
      await api("/rpc/fail", { method: "POST", json: { state } });
    }
    await api("/nothing");
    console.error("an event of another type");
  });
  assert.equal(printed, 1);
});

Deno.test("responses contain values in the JSON format of Postgres", async () => {
  const rows = await sql`select to_json(kinds)::text as json from kinds order by id`;
  const expected = `[${rows.map(({ json }) => json).join(",")}]`;
  const { text } = await api("/kinds?order=id");
  assert.equal(text.replaceAll(" ", ""), expected.replaceAll(" ", ""));
  assert.match(text, /"big":9007199254740993,"money":8490\.50,/);
  assert.match(text, /"at":"2026-11-21T03:03:45\.123456\+00:00","local":"2026-11-21T03:03:45"/);
});

Deno.test("values are stored as they were sent", async () => {
  const row = {
    id: 4,
    flag: true,
    big: 12,
    money: 0.1,
    tags: ["a", 'b"c', "{d,e}", ""],
    at: "2026-11-21T03:03:45.123456+00:00",
    day: "2026-11-21",
    document: { a: [true, "x", null], "": {} },
    uid: "de300000-0000-4000-8000-000000000001",
  };
  const headers = { Prefer: "return=representation" };
  const select = Object.keys(row).join(",");
  const { status, body } = await api(`/kinds?select=${select}`, {
    method: "POST",
    json: row,
    headers,
  });
  assert.deepEqual([status, body], [201, [row]]);
});

Deno.test("a string that looks like an internal placeholder for an operand is stored unchanged", async () => {
  for (const tag of ["~", "~7e", "~0011223344556677~7e"]) {
    const json = { id: 5, tags: [tag], document: { kept: tag } };
    assert.equal((await api("/kinds", { method: "POST", json })).status, 201);
    const filters = [`tags=cs.{${tag}}`, `document=cs.${JSON.stringify(json.document)}`];
    for (const filter of [...filters, `document->>kept=eq.${tag}`]) {
      const { body } = await api(`/kinds?select=id&${filter}`);
      assert.deepEqual(body, [{ id: 5 }], filter);
    }
    await sql`delete from kinds where id = 5`;
  }
});

const asOneRow = { Accept: "application/vnd.pgrst.object+json", Prefer: "return=representation" };
