import assert from "node:assert/strict";
import { parseEnv } from "node:util";
import { fileURLToPath } from "node:url";
import { decodeBase64Url } from "deno-std/encoding/base64url.js";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { readSenderConfig } from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { withFolder } from "../support/started.ts";
import { admin, type Ending } from "./command.ts";

const ROOT = new URL("../../", import.meta.url);
const FUNCTIONS = new URL("supabase/functions/", ROOT);
const EXAMPLE = await Deno.readTextFile(new URL(".env.example", FUNCTIONS));

/** The variables that the platform sets on every stack. */
const PLATFORM = {
  SUPABASE_URL: "http://127.0.0.1:54321",
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_test"}',
};
/** An environment without a stack and without a project, because these commands need neither. */
const NOWHERE = { STACK_FILE: undefined };

function init(...args: string[]): Promise<Ending> {
  return admin(["secrets", "init", ...args], { env: NOWHERE });
}

/** Runs a test in a new folder. */
const test = (name: string, work: (folder: string) => Promise<void>) =>
  Deno.test(name, () => withFolder(work));

function alreadyExists(file: string): string {
  return `${file} already exists and was not changed: name another file with --file.\n`;
}

async function environment(file: string): Promise<Record<string, string | undefined>> {
  return { ...PLATFORM, ...parseEnv(await Deno.readTextFile(file)) };
}

test("the functions need only the file that `secrets init` writes, and only its owner can read that file", async (folder) => {
  const file = `${folder}/.env`;
  const ending = await init("--file", file);
  const stdout = `Wrote ${file} with a new CREDENTIALS_KEY and a new JOBS_SECRET; ` +
    "its JWT_SIGNING_KEY is the fixed key of supabase start: do not use the file for any other project.\n";
  assert.deepEqual(ending, { code: 0, stdout, stderr: "" });
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);

  const env = await environment(file);
  assert.equal((await readConfig(env)).signingKey.alg, "HS256");
  const { credentialsKeys, whatsapp } = await readSenderConfig(env);
  assert.deepEqual(credentialsKeys.map((key) => key?.length), [32]);
  assert.equal((await readWhatsappConfig(env)).jobsSecret, env.JOBS_SECRET);
  const uncommented = /^#(WHATSAPP_API_URL)=(.*)$/m.exec(EXAMPLE)!;
  assert.equal(whatsapp.url, uncommented[2], "the example file shows the default value");

  const withoutSecrets = (text: string) =>
    text.replace(/^((?:CREDENTIALS_KEY|JOBS_SECRET)=).*$/gm, "$1");
  assert.equal(withoutSecrets(await Deno.readTextFile(file)), EXAMPLE);
});

test("`secrets init` creates new secrets for every file and prints none of them", async (folder) => {
  const files = [`${folder}/words`, `${folder}/json`];
  const endings = await Promise.all([
    init("--file", files[0]),
    init("--file", files[1], "--json"),
  ]);
  assert.deepEqual(endings.map(({ code, stderr }) => ({ code, stderr })), [
    { code: 0, stderr: "" },
    { code: 0, stderr: "" },
  ]);
  assert.deepEqual(JSON.parse(endings[1].stdout), {
    file: files[1],
    generated: ["CREDENTIALS_KEY", "JOBS_SECRET"],
  });
  const [one, other] = await Promise.all(files.map(environment));
  assert.notEqual(one.CREDENTIALS_KEY, other.CREDENTIALS_KEY);
  assert.notEqual(one.JOBS_SECRET, other.JOBS_SECRET);
  const secrets = [one, other].flatMap((env) => [env.CREDENTIALS_KEY, env.JOBS_SECRET]);
  for (const secret of [...secrets, signingJwk().k]) {
    for (const { stdout } of endings) assert.equal(stdout.includes(secret!), false);
  }
});

test("`secrets init` never changes an existing file or link", async (folder) => {
  const [file, link, target] = [`${folder}/.env`, `${folder}/link`, `${folder}/target`];
  await Deno.writeTextFile(file, "CREDENTIALS_KEY=the only one\n");
  await Deno.symlink(target, link);
  const before = await Deno.stat(file);
  for (const args of [["--file", file], ["--file", file, "--json"]]) {
    assert.deepEqual(await init(...args), { code: 1, stdout: "", stderr: alreadyExists(file) });
  }
  assert.equal(await Deno.readTextFile(file), "CREDENTIALS_KEY=the only one\n");
  const { mtime, mode } = await Deno.stat(file);
  assert.deepEqual({ mtime, mode }, { mtime: before.mtime, mode: before.mode });

  assert.equal((await init("--file", link)).code, 1);
  await assert.rejects(Deno.stat(target), Deno.errors.NotFound);
});

test("when several commands run simultaneously, only one writes the file", async (folder) => {
  const file = `${folder}/.env`;
  const endings = await Promise.all(Array.from({ length: 4 }, () => init("--file", file)));
  assert.deepEqual(endings.map(({ code }) => code).sort(), [0, 1, 1, 1]);
  const refusals = endings.filter(({ code }) => code === 1).map(({ stderr }) => stderr);
  assert.deepEqual(new Set(refusals), new Set([alreadyExists(file)]));
  await readSenderConfig(await environment(file));
  assert.deepEqual((await Array.fromAsync(Deno.readDir(folder))).length, 1);
});

test("if the file cannot be written, the command explains why in one sentence", async (folder) => {
  // Not even root can write to this folder.
  const forbidden = Deno.build.os === "darwin" ? "/System/crm.env" : "/sys/crm.env";
  const cases: [string, RegExp][] = [
    [
      `${folder}/none/.env`,
      /^\S+ cannot be written because its folder does not exist: create the folder first\.\n$/,
    ],
    ["/dev/null/.env", /^\S+ cannot be written \(ENOTDIR\): name another file with --file\.\n$/],
    [forbidden, /^\S+ cannot be written \(E[A-Z]+\): name another file with --file\.\n$/],
    [folder, /^\S+ (already exists and was not changed|cannot be written \(EISDIR\)): .*\.\n$/],
  ];
  await Promise.all(cases.map(async ([file, sentence]) => {
    const { code, stdout, stderr } = await init("--file", file);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" }, file);
    assert.match(stderr, sentence);
    assert(stderr.startsWith(`${file} `), stderr);
  }));
  assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
});

Deno.test("the help text names the default file, which git ignores", async () => {
  const [group, command] = await Promise.all([
    admin(["secrets", "--help"], { env: NOWHERE }),
    init("--help"),
  ]);
  const helps = [[group, "secrets"], [command, "secrets init"]] as const;
  for (const [{ code, stdout, stderr }, usage] of helps) {
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert(stdout.startsWith(`Usage: npm run admin -- ${usage} `), stdout);
    assert.match(stdout, /^Examples?:\n {2}npm run admin -- secrets init$/m);
  }
  assert.match(command.stdout, /^ {2}--json /m);
  const [, file] = /^ {2}--file <path>\s.*\(default:\s+"(.*)"\)$/m.exec(command.stdout)!;
  const ignored = await Deno.readTextFile(new URL(".gitignore", ROOT));
  assert(ignored.split("\n").includes(file), file);
});

test("without --file, `secrets init` writes the secrets next to the functions", async (folder) => {
  // A copy of the checkout, because the real checkout may contain a developer's secrets.
  const copied = [
    ...["admin", "local", "supabase/functions"],
    ...["deno.json", "import_map.json", "package.json"],
  ];
  await Deno.mkdir(`${folder}/supabase`);
  for (const path of copied) await copy(fileURLToPath(new URL(path, ROOT)), `${folder}/${path}`);
  await Deno.symlink(fileURLToPath(new URL("node_modules", ROOT)), `${folder}/node_modules`);
  await Deno.remove(`${folder}/supabase/functions/.env`).catch(() => {});

  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", `${folder}/admin/main.ts`, "secrets", "init"],
    cwd: "/",
  }).output();
  assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
  await readSenderConfig(await environment(`${folder}/supabase/functions/.env`));
});

Deno.test(".env.example lists exactly the secrets that the functions read", async () => {
  const read = await namesThatFunctionsRead();
  const secrets = [...read].filter((name) => !name.startsWith("SUPABASE_"));
  const named = Array.from(EXAMPLE.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm), ([, name]) => name);
  assert.deepEqual(named.sort(), secrets.sort());
});

Deno.test(".env.example has the signing key that supabase start uses, but no credentials key", () => {
  const { kty, k } = signingJwk();
  const secret = new TextDecoder().decode(decodeBase64Url(k));
  assert.deepEqual(
    [kty, secret],
    ["oct", "super-secret-jwt-token-with-at-least-32-characters-long"],
  );
  assert.equal(parseEnv(EXAMPLE).CREDENTIALS_KEY, "");
});

function signingJwk(): { kty: string; k: string } {
  return JSON.parse(parseEnv(EXAMPLE).JWT_SIGNING_KEY!);
}

/** Starts every function, and records which environment variables each function reads. */
async function namesThatFunctionsRead(): Promise<Set<string>> {
  const names = new Set<string>();
  const enough = { ...PLATFORM, ...parseEnv(EXAMPLE), CREDENTIALS_KEY: "A".repeat(43) };
  const watched = new Proxy<Record<string, string>>(enough, {
    get(env, name) {
      if (typeof name === "string") names.add(name);
      return Reflect.get(env, name);
    },
  });
  const { toObject } = Deno.env;
  Deno.env.toObject = () => watched;
  try {
    for await (const { name } of Deno.readDir(FUNCTIONS)) {
      const index = new URL(`${name}/index.ts`, FUNCTIONS);
      if (await Deno.stat(index).catch(() => null)) await import(index.href);
    }
  } finally {
    Deno.env.toObject = toObject;
  }
  return names;
}

async function copy(from: string, to: string) {
  if ((await Deno.stat(from)).isFile) return await Deno.copyFile(from, to);
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(from)) await copy(`${from}/${name}`, `${to}/${name}`);
}
