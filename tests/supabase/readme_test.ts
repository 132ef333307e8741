import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";

Deno.test("no command of the README works on the local database where a project's is meant", async () => {
  const readme = await Deno.readTextFile(`${root}README.md`);
  const commands = Array.from(
    readme.matchAll(/\bsupabase (db|migration) [^`\n&]*/g),
    ([line]) => line,
  );
  assert.ok(commands.length >= 4, "the README says how to push and to dump");
  for (const command of commands) assert.match(command, / --remote\b/, command);
});
