import assert from "node:assert/strict";
import { statement } from "../support/test_stack.ts";
import { json, printed } from "./command.ts";

Deno.test("a new company has a pipeline, and companies are listed by name", async () => {
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
  assert(0 <= first && first < second, "the list contains both companies, ordered by name");
  const createdAt = heading.indexOf("CREATED");
  assert.deepEqual(lines[second].slice(createdAt), made.created_at.slice(0, 10));
});

Deno.test("the operator chooses whether API keys can look up a company's members by email address", async () => {
  const { id } = await json(["company", "create", "By e-mail"]);
  const isOn = async () => {
    const [company] =
      await statement`select members_found_by_email from companies where id = ${id}`;
    return company.members_found_by_email;
  };
  assert.equal(await isOn(), false);
  for (const choice of ["on", "off"]) {
    await printed(["company", "members-by-email", id, choice]);
    assert.equal(await isOn(), choice === "on");
  }
});
