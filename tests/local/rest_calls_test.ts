// Tests database functions that are called with GET, with their arguments in the URL.
import assert from "node:assert/strict";
import { startDataApi } from "./lite.ts";

const { api, end } = await startDataApi(`
  create table people (id int primary key, name text);
  insert into people values (1, 'Ana'), (2, 'Joana'), (3, 'Jo,"n"');
  grant select on people to authenticated;
  create function find(patterns text[], at_most int default 10) returns setof json stable
    language sql as $$
      select json_build_object('name', name, 'id', id) from people
      where lower(name) like any (patterns) order by id limit at_most
    $$;
  create function echo(word text) returns text stable language sql return word;
  create function kind(value jsonb) returns text stable language sql return jsonb_typeof(value);
  create function page() returns json stable language sql
    return json_build_object('rows', json_build_array(1, 2.50), 'at', null);
  create function everybody() returns setof people stable language sql as 'select * from people';
`);
Deno.test.afterAll(end);

const call = (name: string, ...parameters: [string, string][]) =>
  `/rpc/${name}?${new URLSearchParams(parameters)}`;

Deno.test("an argument may be a Postgres array literal, and JSON rows are returned as an array", async () => {
  const found = async (patterns: string) => {
    const { status, text } = await api(call("find", ["patterns", patterns]));
    return [status, text];
  };
  const [ana, joana] = ['{"name":"Ana","id":1}', '{"name":"Joana","id":2}'];
  assert.deepEqual(await found('{"%ana%","% jo%"}'), [200, `[${ana},${joana}]`]);
  assert.deepEqual(await found('{"%,\\"n%"}'), [200, '[{"name":"Jo,\\"n\\"","id":3}]']);
  assert.deepEqual(await found("{}"), [200, "[]"]);
  assert.equal((await api(call("find", ["patterns", "ana"]))).body.code, "22P02");
  const limited = call("find", ["patterns", "{%}"], ["at_most", "1"]);
  assert.equal((await api(limited)).text, `[${ana}]`);
});

Deno.test("a text argument is passed on unchanged", async () => {
  const words = [
    ...["007", "1e3", "null", "true", " a ", '"a"', "{a}", "a.b", "", "~7e", "é🎈\n", "eq"],
  ];
  const answers = await Promise.all(words.map((word) => api(call("echo", ["word", word]))));
  assert.deepEqual(answers.map(({ body }) => body), words);
  assert.equal((await api(call("echo", ["word", "a"], ["word", "b"]))).body, "b");
});

Deno.test("an argument that begins like a filter is treated as a filter", async () => {
  const code = async (word: string) => (await api(call("echo", ["word", word]))).body.code;
  assert.equal(await code("eq.a"), "PGRST202"); // without the argument, no function matches
  assert.equal(await code("in.a"), "PGRST100");
  assert.equal(await code("not.a"), "PGRST100");
});

Deno.test("a `jsonb` argument is parsed as JSON", async () => {
  const kind = async (value: string) => (await api(call("kind", ["value", value]))).body;
  assert.deepEqual(await Promise.all(['{"a":1}', "[1]", "5", '"a"'].map((each) => kind(each))), [
    ...["object", "array", "number", "string"],
  ]);
  assert.equal((await kind("a")).code, "22P02");
});

Deno.test("numbers in JSON keep all their digits", async () => {
  assert.equal((await api("/rpc/page")).text, '{"rows":[1,2.50],"at":null}');
});

Deno.test("a function's rows can be filtered by every column and sorted by the selected columns", async () => {
  const ids = async (query: string) => (await api(`/rpc/everybody?${query}`)).body;
  assert.deepEqual(await ids("select=id&or=(id.eq.1,id.eq.3)&order=id.desc"), [{ id: 3 }, {
    id: 1,
  }]);
  assert.deepEqual(await ids("select=id,x:name&name=eq.Ana"), [{ id: 1, x: "Ana" }]);
  assert.equal((await ids("name=eq.Ana")).length, 1);
  // Columns that are not selected can filter the rows, but cannot sort them.
  assert.deepEqual(await ids("select=id&name=eq.Ana"), [{ id: 1 }]);
  assert.deepEqual(await ids("select=id&or=(id.eq.1,name.eq.Joana)&order=name"), [{ id: 1 }, {
    id: 2,
  }]);
  const { code, message } = await ids("select=id&order=name");
  assert.deepEqual([code, message], ["42703", "column pgrst_source.name does not exist"]);
});
