// Functions that are called by GET: their arguments are in the address, as text.
import assert from "node:assert/strict";
import { silently, startBoth } from "./lite.ts";

const { corrected, uncorrected, end } = await startBoth(`
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

Deno.test("an argument is an array in Postgres' own form, and rows of JSON are answered as an array", async () => {
  const found = async (patterns: string, api = corrected) => {
    const { status, text } = await api(call("find", ["patterns", patterns]));
    return [status, text];
  };
  const [ana, joana] = ['{"name":"Ana","id":1}', '{"name":"Joana","id":2}'];
  assert.deepEqual(await found('{"%ana%","% jo%"}'), [200, `[${ana},${joana}]`]);
  assert.deepEqual(await found('{"%,\\"n%"}'), [200, '[{"name":"Jo,\\"n\\"","id":3}]']);
  assert.deepEqual(await found("{}"), [200, "[]"]);
  assert.equal((await corrected(call("find", ["patterns", "ana"]))).body.code, "22P02");
  const limited = call("find", ["patterns", "{%}"], ["at_most", "1"]);
  assert.equal((await corrected(limited)).text, `[${ana}]`);

  await silently(async () => assert.equal((await found("{}", uncorrected))[0], 500));
});

Deno.test("an argument that is text arrives as it was written", async () => {
  const words = [
    "007",
    "1e3",
    "null",
    "true",
    " a ",
    '"a"',
    "{a}",
    "a.b",
    "",
    "~7e",
    "é🎈\n",
    "eq",
  ];
  const echoed = async (api: typeof corrected) => {
    const answers = words.map((word) => api(call("echo", ["word", word])));
    return (await Promise.all(answers)).map(({ body }) => body);
  };
  assert.deepEqual(await echoed(corrected), words);
  assert.equal((await corrected(call("echo", ["word", "a"], ["word", "b"]))).body, "b");

  await silently(async () => assert.notDeepEqual(await echoed(uncorrected), words));
});

Deno.test("an argument that begins like a filter is taken for one", async () => {
  const code = async (word: string) => (await corrected(call("echo", ["word", word]))).body.code;
  assert.equal(await code("eq.a"), "PGRST202"); // so the argument is missing
  assert.equal(await code("in.a"), "PGRST100");
  assert.equal(await code("not.a"), "PGRST100");
});

Deno.test("an argument of the type jsonb is JSON", async () => {
  const kind = async (value: string, api = corrected) =>
    (await api(call("kind", ["value", value]))).body;
  assert.deepEqual(await Promise.all(['{"a":1}', "[1]", "5", '"a"'].map((each) => kind(each))), [
    ...["object", "array", "number", "string"],
  ]);
  assert.equal((await kind("a")).code, "22P02");

  assert.equal(await kind('{"a":1}', uncorrected), "string");
});

Deno.test("the digits of JSON are kept", async () => {
  assert.equal((await corrected("/rpc/page")).text, '{"rows":[1,2.50],"at":null}');

  assert.match((await uncorrected("/rpc/page")).text, /\[1,2\.5\]/);
});

Deno.test("what a function answers can be filtered by the columns that are selected", async () => {
  const ids = async (query: string, api = corrected) => (await api(`/rpc/everybody?${query}`)).body;
  assert.deepEqual(await ids("select=id&or=(id.eq.1,id.eq.3)&order=id.desc"), [{ id: 3 }, {
    id: 1,
  }]);
  assert.deepEqual(await ids("select=id,x:name&name=eq.Ana"), [{ id: 1, x: "Ana" }]);
  assert.equal((await ids("name=eq.Ana")).length, 1);
  for (
    const query of [
      "select=id&name=eq.Ana",
      "select=id&or=(id.eq.1,name.eq.a)",
      "select=id&order=name",
    ]
  ) {
    const { code, message } = await ids(query);
    assert.deepEqual([code, message], ["42703", "column pgrst_source.name does not exist"], query);
  }

  assert.deepEqual(await ids("select=id&name=eq.Ana", uncorrected), [{ id: 1 }]);
  assert.equal((await ids("or=(id.eq.1)", uncorrected)).code, "PGRST202");
});
