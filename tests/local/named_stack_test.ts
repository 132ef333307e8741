// Tests `npm test` against the Supabase project that the environment variables name.
import assert from "node:assert/strict";
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import { environment, stack as ours, statement } from "../support/test_stack.ts";
import { root } from "../../local/checkout.ts";
import { startOn, withFolder } from "../support/started.ts";

/**
 * Runs one test file with these environment variables. Returns the exit code and the whole output.
 */
async function test(
  env: Record<string, string>,
  file = "tests/gateway/health_test.ts",
): Promise<[code: number, printed: string]> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", "tests/run.ts", file],
    cwd: root,
    env: { NO_COLOR: "1", ...env },
  }).output();
  return [code, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)];
}

Deno.test("the tests can run against the Supabase project that the environment variables name, with that project's secrets", async () => {
  await withFolder(async (folder) => {
    const { started, stack } = await startOn(folder);
    const { jwt_secret, credentials_key } = JSON.parse(
      await Deno.readTextFile(`${folder}/secrets.json`),
    );
    const k = encodeBase64Url(jwt_secret);
    const named = {
      SUPABASE_URL: `${stack.url}/`,
      SUPABASE_PUBLISHABLE_KEY: stack.publishable_key,
      SUPABASE_DB_URL: stack.database_url,
      JWT_SIGNING_KEY: JSON.stringify({ kty: "oct", k }),
      CREDENTIALS_KEY: credentials_key,
    };
    const [code, printed] = await test(named);
    assert.equal(code, 0, printed);
    assert.ok(printed.includes(`Testing ${stack.url}\nSANDBOX_URL is not set`), printed);

    const refusals = await Promise.all([
      test(named, "tests/admin/keys_test.ts"),
      test({ ...named, SUPABASE_URL: ours.url }),
    ]);
    assert.deepEqual(refusals.map(([code]) => code), [1, 1]);
    assert.match(
      refusals[0][1],
      /^tests\/admin\/keys_test\.ts cannot run on a named Supabase\. These tests can:\n/,
    );
    assert.match(
      refusals[1][1],
      /\/gateway answers 401 to a key that was just made in the database /,
    );
    await started.end();
  });
});

Deno.test("the tests refuse a Supabase project with real companies, and refuse to start if variables are missing", async () => {
  const { JWT_SIGNING_KEY, CREDENTIALS_KEY } = environment();
  const named = {
    SUPABASE_URL: ours.url,
    SUPABASE_PUBLISHABLE_KEY: ours.publishable_key,
    SUPABASE_DB_URL: ours.database_url,
    JWT_SIGNING_KEY,
    CREDENTIALS_KEY,
  };
  await statement`insert into companies (name) values ('A customer')`;
  const cases: [Record<string, string>, RegExp][] = [
    [named, /^The database of SUPABASE_DB_URL has companies that no test made \(\d+\)\. /],
    [
      { ...named, CREDENTIALS_KEY: "", SUPABASE_DB_URL: "" },
      new RegExp(
        `^SUPABASE_URL is set, so the tests run against ${ours.url}\\. They also need:\n` +
          "  SUPABASE_DB_URL .*\n  CREDENTIALS_KEY .*\nUnset SUPABASE_URL ",
      ),
    ],
    [
      { ...named, SUPABASE_DB_URL: "postgresql://postgres@127.0.0.1:9/postgres" },
      /^SUPABASE_URL and SUPABASE_DB_URL cannot be used: .+\n$/,
    ],
    [
      { ...named, SUPABASE_URL: "https://abc.supabase.co" },
      /^https:\/\/abc\.supabase\.co is not on this machine, and the tests leave their rows there\. /,
    ],
  ];
  await Promise.all(cases.map(async ([env, sentence]) => {
    const [code, printed] = await test(env);
    assert.equal(code, 1);
    assert.match(printed, sentence);
  }));
});
