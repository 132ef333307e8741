// For each correction in local/rest/corrections.ts, a test shows that the Data API does as PostgREST
// does, and that uncorrected lite still does not; the second part fails when the correction has become
// unnecessary. rest_filters_test.ts does the same for filters.
import assert from "node:assert/strict";
import { silenceAnsweredErrors } from "../../local/rest/database_errors.ts";
import { dataApi, silently, startBoth } from "./lite.ts";

const { corrected, uncorrected, uncorrectedAuthenticator, sql, end } = await startBoth(`
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

Deno.test("a role's tables are found, although authenticator has no grant on them", async () => {
  assert.equal((await corrected("/things?select=id")).status, 200);
  const rest = await uncorrectedAuthenticator();
  assert.equal((await dataApi(rest)("/things?select=id")).body.code, "PGRST205");
  await rest.close();
});

Deno.test("a request grants nothing to any role", async () => {
  const refusal = {
    code: "42501",
    message: "permission denied for table secrets",
    details: null,
    hint: null,
  };
  const asAnon = await corrected("/secrets", { claims: null });
  assert.deepEqual([asAnon.status, asAnon.body], [401, refusal]);
  const asPerson = await corrected("/secrets");
  assert.deepEqual([asPerson.status, asPerson.body], [403, refusal]);

  assert.deepEqual((await uncorrected("/secrets", { claims: null })).body, [{ id: 1 }]);
});

Deno.test("a token is trusted without a look-up of its user", async () => {
  const claims = { role: "authenticated", sub: crypto.randomUUID() };
  assert.equal((await corrected("/things?select=id", { claims })).status, 200);
  const printed = await silently(async () => {
    assert.equal((await uncorrected("/things?select=id", { claims })).status, 500);
  });
  assert.equal(printed, 1);
});

Deno.test("the claims always contain the role, also when the token has none", async () => {
  const claims = async (api: typeof corrected) =>
    JSON.parse((await api("/rpc/setting?name=request.jwt.claims", { claims: {} })).body);
  assert.equal((await claims(corrected)).role, "anon");

  assert.equal((await claims(uncorrected)).role, undefined);
});

Deno.test("the settings of the role apply to a request", async () => {
  const timeout = async (api: typeof corrected, role: string) =>
    (await api("/rpc/setting?name=statement_timeout", { claims: { role } })).body;
  assert.equal(await timeout(corrected, "api_client"), "8s");
  assert.equal(await timeout(corrected, "authenticated"), "0");

  assert.equal(await timeout(uncorrected, "api_client"), "0");
});

Deno.test("a called function finds the request's method and headers in its settings", async () => {
  const calling = { method: "POST", json: { name: "request.method" } };
  assert.equal((await corrected("/rpc/setting", calling)).body, "POST");
  const asked = await corrected("/rpc/setting?name=request.headers", {
    headers: { "X-Example": "value" },
  });
  assert.equal(JSON.parse(asked.body)["x-example"], "value");
});

Deno.test("an argument of the type jsonb is the JSON that was sent", async () => {
  const kinds = async (api: typeof corrected) => {
    const values = [[{ a: 1 }], { a: [] }, 5, true, "text"];
    const answers = values.map((value) => api("/rpc/kind", { method: "POST", json: { value } }));
    return (await Promise.all(answers)).map(({ body }) => body);
  };
  assert.deepEqual(await kinds(corrected), ["array", "object", "number", "boolean", "string"]);

  assert.deepEqual(await kinds(uncorrected), Array(5).fill("string"));
});

Deno.test("a GET cannot write", async () => {
  const { status, body } = await corrected("/noting");
  assert.deepEqual([status, body.code], [405, "25006"]);
  assert.equal((await sql`select from parts`).count, 0);

  assert.equal((await uncorrected("/noting")).status, 200);
});

Deno.test("a request that is answered with an error is rolled back", async () => {
  const change = { method: "PATCH", json: { name: "changed" }, headers: asOneRow };
  assert.deepEqual((await corrected("/things?id=gt.0", change)).body.code, "PGRST116");
  const things = await sql`select name from things order by id`;
  assert.deepEqual(things.map(({ name }) => name), ["one", "two"]);

  assert.deepEqual((await uncorrected("/things?id=gt.0", change)).body.code, "PGRST116");
  const { body } = await uncorrected("/things?select=name");
  assert.deepEqual(body, [{ name: "changed" }, { name: "changed" }]);
});

const STATUS = {
  "08006": 503,
  "0L000": 403,
  "0P000": 403,
  "21000": 500,
  "22P02": 400,
  "23502": 400,
  "23503": 409,
  "23505": 409,
  "22023": 400,
  "23514": 400,
  "25006": 405,
  "28000": 403,
  "40P01": 500,
  "42703": 400,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  "53100": 503,
  "53200": 503,
  "53300": 503,
  "53400": 500,
  "54001": 500,
  "55P03": 500,
  "57014": 500,
  "57P01": 503,
  "57P02": 500,
  P0001: 400,
  P0002: 500,
  PT401: 401,
  PT422: 422,
  XX000: 500,
};

Deno.test("an error of the database has PostgREST's status and body", async () => {
  const differing: string[] = [];
  for (const [state, status] of Object.entries(STATUS)) {
    const failing = { method: "POST", json: { state } };
    const answer = await corrected("/rpc/fail", failing);
    const said = { code: state, message: "Said", details: "More", hint: "Help" };
    assert.deepEqual([answer.status, answer.body], [status, said], state);
    if ((await uncorrected("/rpc/fail", failing)).status !== status) differing.push(state);
  }
  for (const state of ["23514", "P0001"]) assert.ok(differing.includes(state), state);
});

Deno.test("the error of a violated constraint names it", async () => {
  const writing = (json: unknown, table = "/things") => corrected(table, { method: "POST", json });
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

Deno.test("an error that is answered is not printed", async () => {
  const fail = async (api: typeof corrected) => {
    await api("/rpc/fail", { method: "POST", json: { state: "P0001" } });
    await api("/rpc/fail", { method: "POST", json: { state: "PT401" } });
    await api("/nothing");
  };
  const printed = await silently(async () => {
    silenceAnsweredErrors();
    await fail(corrected);
    console.error("an event of another kind");
  });
  assert.equal(printed, 1);

  assert.equal(await silently(() => fail(uncorrected)), 3);
});

Deno.test("values in answers are the JSON that Postgres makes of them", async () => {
  const rows = await sql`select to_json(kinds)::text as json from kinds order by id`;
  const expected = `[${rows.map(({ json }) => json).join(",")}]`;
  const { text } = await corrected("/kinds?order=id");
  assert.equal(text.replaceAll(" ", ""), expected.replaceAll(" ", ""));
  assert.match(text, /"big":9007199254740993,"money":8490\.50,/);
  assert.match(text, /"at":"2026-11-21T03:03:45\.123456\+00:00","local":"2026-11-21T03:03:45"/);

  const [first, second] = (await uncorrected("/kinds?order=id")).body;
  assert.equal(first.big, 9007199254740992);
  assert.deepEqual([first.at, first.local], [
    "2026-11-21 03:03:45.123456+00",
    "2026-11-21 03:03:45",
  ]);
  assert.equal(typeof first.money, "string");
  assert.equal(typeof first.bytes, "object");
  assert.equal(second.ratio, null);
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
  const { status, body } = await corrected(`/kinds?select=${select}`, {
    method: "POST",
    json: row,
    headers,
  });
  assert.deepEqual([status, body], [201, [row]]);
});

Deno.test("a text that looks like a sealed operand is taken as it is", async () => {
  for (const tag of ["~", "~7e", "~0011223344556677~7e"]) {
    const json = { id: 5, tags: [tag], document: { kept: tag } };
    assert.equal((await corrected("/kinds", { method: "POST", json })).status, 201);
    const filters = [`tags=cs.{${tag}}`, `document=cs.${JSON.stringify(json.document)}`];
    for (const filter of [...filters, `document->>kept=eq.${tag}`]) {
      const { body } = await corrected(`/kinds?select=id&${filter}`);
      assert.deepEqual(body, [{ id: 5 }], filter);
    }
    await sql`delete from kinds where id = 5`;
  }
});

const asOneRow = {
  Accept: "application/vnd.pgrst.object+json",
  Prefer: "return=representation",
};
