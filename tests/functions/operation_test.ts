// The compiler is what is tested: `deno check` fails when a line below `@ts-expect-error` compiles.
import assert from "node:assert/strict";
import * as z from "zod";
import { table } from "../../supabase/functions/_shared/database/table.ts";
import { one } from "../../supabase/functions/_shared/http/answers.ts";
import { lazily, operation, reply } from "../../supabase/functions/_shared/http/operation.ts";
import { Deal } from "../../supabase/functions/gateway/resources/deals.ts";

const declared = {
  id: "getThing",
  method: "GET",
  path: "/things/:id",
  scope: "read",
  params: z.object({ id: z.guid() }),
  query: z.strictObject({ count: z.string().transform(Number) }),
  answers: { 200: one(z.object({ id: z.guid(), colour: z.enum(["red", "blue"]) })) },
} as const;
const id = crypto.randomUUID();

Deno.test("a handler gets the parsed values of the schemas", () => {
  operation(declared, ({ params, query, caller }) => {
    const [text, number]: [string, number] = [params.id, query.count];
    caller.judge();
    // @ts-expect-error: this operation declares no body
    query.body;
    return Promise.resolve(reply(200, { data: { id: text + number, colour: "red" as const } }));
  });
  operation({ ...declared, scope: null }, ({ caller }) => {
    // @ts-expect-error: an operation without a key has no caller
    caller.judge();
    return Promise.resolve(reply(200, { data: { id, colour: "red" as const } }));
  });
});

Deno.test("an answer that is not declared does not compile", () => {
  const [red, green] = ["red", "green"] as const;
  operation(declared, () => Promise.resolve(reply(200, { data: { id, colour: red } })));
  // @ts-expect-error: a status that is not declared
  operation(declared, () => Promise.resolve(reply(201, { data: { id, colour: red } })));
  // @ts-expect-error: a field is missing
  operation(declared, () => Promise.resolve(reply(200, { data: { id } })));
  // @ts-expect-error: a value that the schema does not allow
  operation(declared, () => Promise.resolve(reply(200, { data: { id, colour: green } })));
  // @ts-expect-error: the envelope is missing
  operation(declared, () => Promise.resolve(reply(200, { id, colour: red })));
});

Deno.test("a row schema that does not fit its table does not compile", () => {
  assert.equal(
    table("deals", Deal.pick({ id: true, title: true }), "own_deals").columns,
    "id,title",
  );
  // @ts-expect-error: deals have no colour
  table("deals", Deal.extend({ colour: z.string() }), "own_deals");
  // @ts-expect-error: a title is text
  table("deals", Deal.extend({ title: z.number() }), "own_deals");
  // @ts-expect-error: a value may be null
  table("deals", Deal.extend({ value: z.number() }), "own_deals");
});

Deno.test("a field and its column may have different names", () => {
  const row = z.object({ id: z.guid(), role: z.string() });
  const members = table("company_members", row, "own_members", { id: "user_id" });
  assert.equal(members.columns, "id:user_id,role");
  assert.deepEqual([members.columnOf("id"), members.columnOf("role")], ["user_id", "role"]);
  assert.deepEqual([members.columnAs("id"), members.columnAs("role")], ["id:user_id", "role"]);
});

Deno.test("parameters that are described lazily are described once, when they are first needed", () => {
  let described = 0;
  const parameters = lazily(() => {
    described++;
    return z.strictObject({ limit: z.string() });
  });
  assert.equal(described, 0);
  assert.equal(parameters.unwrap(), parameters.unwrap());
  assert.deepEqual(parameters.parse({ limit: "5" }), { limit: "5" });
  assert.equal(described, 1);
});
