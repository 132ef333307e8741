// Tests the secrets that the commands in docs/deploying.md generate.
import assert from "node:assert/strict";
import { parseEnv } from "node:util";
import { root } from "../../local/checkout.ts";
import { readIfPresent } from "../../local/files.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { credentialsKeyId } from "../../supabase/functions/_shared/credentials/credentials.ts";
import {
  readCredentialsKey,
  readCredentialsKeys,
} from "../../supabase/functions/_shared/credentials/credentials_keys.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { withFolder } from "../support/started.ts";
import { environment } from "../support/test_stack.ts";
import { readPage, spans } from "./pages.ts";

const page = await readPage("docs/deploying.md");

/**
 * Runs lines from the page in a shell and returns the output. The Supabase CLI is in the `PATH`, as
 * the page requires.
 */
async function shell(
  lines: string,
  { cwd = "/tmp", env = {}, input = "" }: {
    cwd?: string;
    env?: Record<string, string>;
    input?: string;
  } = {},
): Promise<string> {
  const PATH = `${root}tools/node_modules/.bin:${Deno.env.get("PATH")}`;
  const child = new Deno.Command("bash", {
    args: ["-euc", lines],
    cwd,
    env: { PATH, SUPABASE_TELEMETRY_DISABLED: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { success, stdout, stderr } = await child.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** The command between backticks that contains this text. */
function commandWith(words: string): string {
  const found = spans(page).filter((span) => span.startsWith("node -p") && span.includes(words));
  assert.equal(found.length, 1, words);
  return found[0];
}

Deno.test("the commands in docs/deploying.md generate valid secrets in a file that only its owner can read", async () => {
  const lines = page.blocks.find(({ text }) => text.includes("cat > secrets.env"))!.text;
  await withFolder(async (cwd) => {
    await shell(lines, { cwd });
    const file = `${cwd}/secrets.env`;
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    const secrets = parseEnv(await Deno.readTextFile(file));
    const names = ["JWT_SIGNING_KEY", "CREDENTIALS_KEY", "JOBS_SECRET"];
    assert.deepEqual(Object.keys(secrets), names);
    const { signingKey } = await readConfig({ ...environment(), ...secrets });
    assert.equal(signingKey.alg, "ES256");
    readCredentialsKey(secrets.CREDENTIALS_KEY);
    const { jobsSecret } = await readWhatsappConfig({ ...environment(), ...secrets });
    assert.equal(jobsSecret, secrets.JOBS_SECRET);
    // Running the command a second time would replace the key that encrypts stored tokens.
    await assert.rejects(shell(lines, { cwd }), /secrets\.env/);
  });
});

Deno.test("a command in docs/deploying.md converts a legacy JWT secret to a signing key", async () => {
  const secret = "a-legacy-secret-of-more-than-32-characters";
  const printed = await shell(commandWith('kty:"oct",k:'), { input: `${secret}\n` });
  const { signingKey } = await readConfig({ ...environment(), JWT_SIGNING_KEY: printed });
  assert.equal(signingKey.alg, "HS256");
  assert.equal(atob(JSON.parse(printed).k.replaceAll("-", "+").replaceAll("_", "/")), secret);
});

Deno.test("a command in docs/deploying.md prints the ID of a credentials key", async () => {
  const CREDENTIALS_KEY = btoa("32 bytes that are of no use here");
  const printed = await shell(commandWith("createHash"), { env: { CREDENTIALS_KEY } });
  assert.equal(printed.trim(), await credentialsKeyId(readCredentialsKey(CREDENTIALS_KEY)));
});

/** The two blocks of the rotation, which upload the old and the new key. */
const rotation = page.blocks.map(({ text }) => text).filter((text) => text.includes("NEW_KEY"));

/** An imitation of the Supabase CLI, which copies each uploaded file into `uploads`. */
const CLI = `supabase() { if [ "$1" = secrets ]; then cat "$4" >> uploads; echo >> uploads; fi; }`;

/** Runs commands as if a person pasted each group into a new terminal. */
async function terminal(cwd: string, ...groups: string[]) {
  for (const lines of groups) {
    const child = new Deno.Command("bash", {
      ...{ args: ["--norc", "-i"], env: { HISTFILE: "" }, cwd },
      ...{ stdin: "piped", stdout: "null", stderr: "null" },
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`${CLI}\n${lines}\n`));
    await writer.close();
    await child.status;
  }
}

Deno.test("the rotation in docs/deploying.md uploads the new key twice: first as CREDENTIALS_KEY_PREVIOUS, then as CREDENTIALS_KEY", async () => {
  assert.equal(rotation.length, 2);
  await withFolder(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/secrets.env`, `CREDENTIALS_KEY=${"A".repeat(43)}\n`);
    await terminal(cwd, ...rotation);
    const uploads = await Deno.readTextFile(`${cwd}/uploads`);
    const [first, second] = uploads.split("\n\n", 2).map((text) => {
      const [current, other] = readCredentialsKeys(parseEnv(text)).map((key) => key!.join());
      return { current, other };
    });
    assert.equal(first.current, new Uint8Array(32).join());
    assert.notEqual(first.other, first.current);
    assert.deepEqual(second, { current: first.other, other: first.current });
    for (const file of ["rotation.env", "swapped.env"]) {
      assert.equal((await Deno.stat(`${cwd}/${file}`)).mode! & 0o777, 0o600);
    }
  });
});

Deno.test("the rotation in docs/deploying.md uploads nothing if secrets.env is missing or has no key", async () => {
  for (const secrets of [null, "JOBS_SECRET=any\n", "CREDENTIALS_KEY=\n"]) {
    await withFolder(async (cwd) => {
      if (secrets !== null) await Deno.writeTextFile(`${cwd}/secrets.env`, secrets);
      await terminal(cwd, ...rotation);
      assert.equal(await readIfPresent(`${cwd}/uploads`), null);
    });
  }
});

Deno.test("the rotation in docs/deploying.md never loses the new key, even if a step is repeated in a new terminal", async () => {
  await withFolder(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/secrets.env`, `CREDENTIALS_KEY=${"A".repeat(43)}\n`);
    await terminal(cwd, rotation[0]);
    const kept = await Deno.readTextFile(`${cwd}/rotation.env`);
    await terminal(cwd, rotation[0], rotation[1], rotation[1]);
    assert.equal(await Deno.readTextFile(`${cwd}/rotation.env`), kept);
    const [first, ...later] = (await Deno.readTextFile(`${cwd}/uploads`)).trim().split("\n\n");
    assert.equal(`${first}\n`, kept);
    const [current, other] = readCredentialsKeys(parseEnv(first));
    for (const text of later) {
      assert.deepEqual(readCredentialsKeys(parseEnv(text)), [other, current]);
    }
    assert.equal(later.length, 2);
  });
});
