// Tests the types of operations at compile time: `deno check` fails if a line below
// `@ts-expect-error` compiles.
import assert from "node:assert/strict";
import * as z from "zod/mini";
import { table } from "../../supabase/functions/_shared/database/table.ts";
import { one } from "../../supabase/functions/_shared/http/answers.ts";
import { built, lazily } from "../../supabase/functions/_shared/lazily.ts";
import { operation, reply } from "../../supabase/functions/_shared/http/operation.ts";
import { Deal } from "../../supabase/functions/gateway/resources/deals/row.ts";

const declared = {
  id: "getThing",
  method: "GET",
  path: "/things/:id",
  scope: "read",
  params: z.object({ id: z.guid() }),
  query: z.strictObject({ count: z.pipe(z.string(), z.transform(Number)) }),
  answers: () => ({ 200: one(z.object({ id: z.guid(), colour: z.enum(["red", "blue"]) })) }),
} as const;
const id = crypto.randomUUID();

Deno.test("a handler receives the values that the schemas have parsed", () => {
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

Deno.test("an undeclared response does not compile", () => {
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

Deno.test("a row schema that does not match its table does not compile", () => {
  table("deals", Deal, "own_deals");
  // @ts-expect-error: deals have no `colour` column
  table("deals", lazily(() => z.extend(built(Deal), { colour: z.string() })), "own_deals");
  // @ts-expect-error: a title is text
  table("deals", lazily(() => z.extend(built(Deal), { title: z.number() })), "own_deals");
  // @ts-expect-error: a value may be null
  table("deals", lazily(() => z.extend(built(Deal), { value: z.number() })), "own_deals");
});

Deno.test("a row schema has the names of the view's columns, even if the table has other names for them", () => {
  const member = lazily(() => z.object({ id: z.guid(), role: z.string() }));
  table("company_members", member, "own_members");
  const withUserId = lazily(() => z.object({ user_id: z.guid() }));
  // @ts-expect-error: only the table has user_id
  table("company_members", withUserId, "own_members");
  const withName = lazily(() => z.extend(built(member), { name: z.string() }));
  // @ts-expect-error: a name may be null
  table("company_members", withName, "own_members");
});

Deno.test("a lazy parameter description is computed once, when it is first needed", () => {
  let described = 0;
  const parameters = lazily(() => {
    described++;
    return z.strictObject({ limit: z.string() });
  });
  assert.equal(described, 0);
  assert.equal(parameters._zod.innerType, parameters._zod.innerType);
  assert.deepEqual(parameters.parse({ limit: "5" }), { limit: "5" });
  assert.equal(described, 1);
});
