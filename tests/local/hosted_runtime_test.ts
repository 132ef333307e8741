// Tests the functions as the platform runs them, on the hosted runtime's Deno version. Each entry
// module exports `fetch` and is mounted under its name.
import assert from "node:assert/strict";
import { startFunction } from "../support/function_process.ts";
import { environment } from "../support/test_stack.ts";
import { root } from "../../local/checkout.ts";
import type { NotStarted } from "../../local/functions/process.ts";

// The Deno executable itself. `.bin/deno` may be a script that starts Deno, and a signal would end
// only the script.
const deno = `${root}tools/node_modules/deno/deno`;

Deno.test("the tools contain the hosted runtime's Deno version", async () => {
  const version = await new Deno.Command(deno, { args: ["--version"] }).output();
  assert.match(new TextDecoder().decode(version.stdout), /^deno 2\.1\.4 /);
});

Deno.test("a function without its configuration does not start, and the error says what is missing or malformed", async () => {
  const key = JSON.parse(environment().JWT_SIGNING_KEY).k;
  const cases: [Record<string, string>, string][] = [
    [{ SUPABASE_URL: "" }, "SUPABASE_URL must be the URL of the Supabase project."],
    [
      { SUPABASE_PUBLISHABLE_KEYS: "" },
      "SUPABASE_PUBLISHABLE_KEYS (or SUPABASE_ANON_KEY) is missing",
    ],
    [{ JWT_SIGNING_KEY: key }, "JWT_SIGNING_KEY must be a private JWK as JSON"],
  ];
  await Promise.all(cases.map(async ([broken, sentence]) => {
    const starting = startFunction("gateway", { env: broken });
    await assert.rejects(starting, ({ code, printed }: NotStarted) => {
      assert.equal(code, 1);
      assert.ok(printed.includes(`ConfigError: ${sentence}`), printed);
      assert.ok(!printed.includes(key), "no part of a key is printed");
      return true;
    });
  }));
});
