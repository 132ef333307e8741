import assert from "node:assert/strict";
import { statement } from "../support/test_stack.ts";
import { json, printed } from "./command.ts";

Deno.test("a company is created with a pipeline, and companies are listed by name", async () => {
  const mark = crypto.randomUUID();
  const [text, made] = await Promise.all([
    printed(["company", "create", `  Zweite ${mark} `]),
    json(["company", "create", `Erste ${mark}`]),
  ]);
  const [, name, id] = /^Created the company "(.*)" with the id ([0-9a-f-]{36})\.\n$/.exec(text)!;
  assert.deepEqual(name, `Zweite ${mark}`);
  assert.deepEqual(Object.keys(made), ["id", "name", "created_at"]);
  const pipelines = await statement`select from pipelines where company_id in (${id}, ${made.id})`;
  assert.deepEqual(pipelines.length, 2);

  const [table, list] = await Promise.all([
    printed(["company", "list"]),
    json(["company", "list"]),
  ]);
  const ours = list.filter((company: { name: string }) => company.name.endsWith(mark));
  assert.deepEqual(ours.map((company: { id: string }) => company.id), [made.id, id]);
  assert.deepEqual(ours[0], made);

  const [heading, ...lines] = table.trimEnd().split("\n");
  assert.match(heading, /^ID +NAME +CREATED$/);
  const [first, second] = [made.id, id].map((id) => lines.findIndex((line) => line.startsWith(id)));
  assert(0 <= first && first < second, "both are listed, by name");
  const createdAt = heading.indexOf("CREATED");
  assert.deepEqual(lines[second].slice(createdAt), made.created_at.slice(0, 10));
});
