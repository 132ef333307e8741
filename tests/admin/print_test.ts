import assert from "node:assert/strict";
import { table } from "../../admin/print.ts";

Deno.test("table columns remain aligned even if cells contain wide, combining or control characters", () => {
  const names = ["Ação", "会社", "ok 👍🏽", "e\u0301", "two\nlines\u001b[2J", "\u202eevil"];
  const columns = { NAME: (name: string) => name, N: () => "1" };
  assert.deepEqual(table(names, columns, "none").split("\n"), [
    ...["NAME           N", "Ação           1", "会社           1", "ok 👍🏽          1"],
    ...["e\u0301              1", "two lines [2J  1", " evil          1"],
  ]);
  assert.deepEqual(table([], columns, "There is none."), "There is none.");
});
