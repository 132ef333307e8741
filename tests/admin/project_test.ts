import assert from "node:assert/strict";
import { openToken } from "../../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { breakingServer } from "../support/breaking_server.ts";
import { CLOSED_URL } from "../support/started.ts";
import { stack, statement } from "../support/test_stack.ts";
import { admin, bareCompany } from "./command.ts";

const LIST = ["company", "list"];
const PROJECT = {
  STACK_FILE: undefined,
  SUPABASE_URL: stack.url,
  SUPABASE_SECRET_KEY: stack.secret_key,
};

Deno.test("if the environment variables select a project, the command encrypts tokens with the CREDENTIALS_KEY of the environment", async () => {
  const company = await bareCompany();
  const connect = ["account", "connect", "--company", company];
  const number = ["--phone-number-id", anyPhoneNumberId(), "--display-phone", "+15550100"];
  const key = "+/" + "A".repeat(41) + "="; // of 32 bytes, in base64
  const [connected, missing, malformed] = await Promise.all(
    [key, undefined, key.slice(1)].map((CREDENTIALS_KEY) =>
      admin([...connect, ...number], { input: "EAAB", env: { ...PROJECT, CREDENTIALS_KEY } })
    ),
  );
  assert.deepEqual([connected.code, connected.stderr], [0, ""]);
  const [account] = await statement`select * from messaging_accounts where company_id = ${company}`;
  const { company_id, phone_number_id, encrypted_token } = account;
  const of = { company_id, phone_number_id };
  assert.equal(await openToken(encrypted_token, of, [readCredentialsKey(key)]), "EAAB");

  assert.deepEqual(missing.code, 1);
  assert.match(missing.stderr, /^CREDENTIALS_KEY must be 32 random bytes in base64 .*\.\n$/);
  assert.deepEqual(malformed, missing);
});

Deno.test("a stopped local stack is reported as not running", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const STACK_FILE = `${folder}/stack.json`;
    const absent = await admin(LIST, { env: { STACK_FILE } });
    const stderr = "The local stack is not running: start it with npm start, give its folder " +
      "with --data, or set SUPABASE_URL and SUPABASE_SECRET_KEY for another project.\n";
    assert.deepEqual(absent, { code: 1, stdout: "", stderr });

    // When a stack is killed, its stack.json file is left behind.
    await Deno.writeTextFile(STACK_FILE, JSON.stringify({ ...stack, url: CLOSED_URL }));
    assert.deepEqual(await admin(LIST, { env: { STACK_FILE } }), absent);
    assert.deepEqual(await admin(["company", "create", "x"], { env: { STACK_FILE } }), absent);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("--data sets the folder of the local stack, even if the environment variables name another folder", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/stack.json`, JSON.stringify(stack));
    const env = { ...PROJECT, SUPABASE_URL: CLOSED_URL };
    for (const args of [["--data", folder, ...LIST], [...LIST, "--data", folder]]) {
      const { code, stderr } = await admin(args, { env });
      assert.deepEqual([code, stderr], [0, ""]);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("if a project cannot be used, the command explains why in one sentence", async () => {
  const website = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response("<h1>Welcome</h1>", { status: 404, headers: { "Content-Type": "text/html" } }),
  );
  const there = `http://127.0.0.1:${website.addr.port}`;
  const nowhere = CLOSED_URL;
  try {
    const cases: [Record<string, string | undefined>, string][] = [
      [
        { SUPABASE_SECRET_KEY: undefined },
        "SUPABASE_URL is set but SUPABASE_SECRET_KEY is not: " +
        "set both for a project, or neither for the local stack.",
      ],
      [
        { SUPABASE_URL: "" },
        "SUPABASE_SECRET_KEY is set but SUPABASE_URL is not: " +
        "set both for a project, or neither for the local stack.",
      ],
      [
        { SUPABASE_URL: "project" },
        "SUPABASE_URL must be the URL of a Supabase project, such as https://<project>.supabase.co.",
      ],
      ...["http://crm.example.com", "http://[2001:db8::1]"].map((
        SUPABASE_URL,
      ): [Record<string, string>, string] => [
        { SUPABASE_URL },
        "SUPABASE_URL must begin with https://, because each request carries the project's secret " +
        "key; http:// is only for this machine (localhost, 127.0.0.1, [::1]), host.docker.internal " +
        "and a container's name, such as kong.",
      ]),
      [
        { SUPABASE_SECRET_KEY: stack.publishable_key },
        `The project at ${stack.url} does not accept the secret key: check SUPABASE_SECRET_KEY.`,
      ],
      [
        { SUPABASE_URL: nowhere },
        `The project at ${nowhere} cannot be reached: check SUPABASE_URL and the network.`,
      ],
      [
        { SUPABASE_URL: there },
        `${there} does not answer like a Supabase project (HTTP 404): check SUPABASE_URL, or try again.`,
      ],
    ];
    await Promise.all(cases.map(async ([env, sentence]) => {
      const ending = await admin(LIST, { env: { ...PROJECT, ...env } });
      assert.deepEqual(ending, { code: 1, stdout: "", stderr: `${sentence}\n` });
    }));
  } finally {
    await website.shutdown();
  }
});

Deno.test("the command does not retry a write when its connection fails", async () => {
  await using project = breakingServer();
  const { code } = await admin(["company", "create", "Once"], {
    env: { ...PROJECT, SUPABASE_URL: project.url },
  });
  assert.deepEqual([code, project.requests], [1, 1]);
});
