// `npm test` on a Supabase that the environment names.
import assert from "node:assert/strict";
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import { environment, stack, withDatabase } from "../support/stack.ts";
import { root, startOn, withFolder } from "./started.ts";

/** Runs one file of tests with this environment; the exit code, and all that was printed. */
async function test(env: Record<string, string>): Promise<[code: number, printed: string]> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", "tests/run.ts", "tests/gateway/health_test.ts"],
    cwd: root,
    env: { NO_COLOR: "1", ...env },
  }).output();
  return [code, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)];
}

Deno.test("the tests run on the Supabase that is named, with its own secrets", async () => {
  await withFolder(async (folder) => {
    const { started, stack } = await startOn(folder);
    const { jwt_secret, credentials_key } = JSON.parse(
      await Deno.readTextFile(`${folder}/secrets.json`),
    );
    const k = encodeBase64Url(jwt_secret);
    const [code, printed] = await test({
      SUPABASE_URL: `${stack.url}/`,
      SUPABASE_PUBLISHABLE_KEY: stack.publishable_key,
      SUPABASE_DB_URL: stack.database_url,
      JWT_SIGNING_KEY: JSON.stringify({ kty: "oct", k }),
      CREDENTIALS_KEY: credentials_key,
    });
    assert.equal(code, 0, printed);
    assert.ok(printed.includes(`Testing ${stack.url}\nSANDBOX_URL is not set`), printed);
    await started.end();
  });
});

Deno.test("a Supabase that is named in part, or has companies of its own, is not tested", async () => {
  const { JWT_SIGNING_KEY, CREDENTIALS_KEY } = environment();
  const named = {
    SUPABASE_URL: stack.url,
    SUPABASE_PUBLISHABLE_KEY: stack.publishable_key,
    SUPABASE_DB_URL: stack.database_url,
    JWT_SIGNING_KEY,
    CREDENTIALS_KEY,
  };
  await withDatabase((sql) => sql`insert into companies (name) values ('A customer')`);
  const cases: [Record<string, string>, RegExp][] = [
    [named, /^The database of SUPABASE_DB_URL has companies that no test made \(\d+\)\. /],
    [
      { ...named, CREDENTIALS_KEY: "", SUPABASE_DB_URL: "" },
      new RegExp(
        `^SUPABASE_URL is set, so the tests run against ${stack.url}\\. They also need:\n` +
          "  SUPABASE_DB_URL .*\n  CREDENTIALS_KEY .*\nUnset SUPABASE_URL ",
      ),
    ],
    [
      { ...named, SUPABASE_DB_URL: "postgresql://postgres@127.0.0.1:9/postgres" },
      /^The database of SUPABASE_DB_URL cannot be used: .+\n$/,
    ],
  ];
  await Promise.all(cases.map(async ([env, sentence]) => {
    const [code, printed] = await test(env);
    assert.equal(code, 1);
    assert.match(printed, sentence);
  }));
});
