import type { Command } from "commander";
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { examples } from "./examples.ts";
import { JSON_OPTION, print, printable, type Printing } from "./print.ts";
import { OperatorError } from "./operator_error.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const EXAMPLE = `${ROOT}/supabase/functions/.env.example`;

/** Adds `secrets init`. */
export function secretsCommands(program: Command) {
  const secrets = program.command("secrets")
    .description("Write the secrets that the functions need under supabase start.")
    .addHelpText("after", examples("npm run admin -- secrets init"));

  secrets.command("init")
    .description(
      "Write the functions' secrets for supabase start into a file that only you can read, " +
        "with a new CREDENTIALS_KEY and JOBS_SECRET. An existing file is never changed.",
    )
    .option("--file <path>", "the file to write", "supabase/functions/.env")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples("npm run admin -- secrets init", "npm run admin -- secrets init --file ~/crm.env"),
    )
    .action(initSecrets);
}

/** Each file has new values for these secrets: 32 random bytes in base64url. */
const GENERATED = ["CREDENTIALS_KEY", "JOBS_SECRET"];

function newSecret(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

async function initSecrets(options: Printing & { file: string }) {
  const file = resolve(ROOT, options.file); // npm runs every script in the root folder
  const example = await Deno.readTextFile(EXAMPLE);
  const secrets = GENERATED.reduce(
    (text, name) => text.replace(new RegExp(`^${name}=$`, "m"), `${name}=${newSecret()}`),
    example,
  );
  await writeNew(file, secrets);
  print(
    options,
    { file, generated: GENERATED },
    () =>
      `Wrote ${printable(file)} with a new ${GENERATED.join(" and a new ")}; its ` +
      "JWT_SIGNING_KEY is the fixed key of supabase start: do not use the file for any other " +
      "project.",
  );
}

/**
 * Writes a new file that only its owner can read.
 * @throws OperatorError when the file cannot be written. A file that already exists is not changed.
 */
async function writeNew(file: string, text: string) {
  try {
    // `createNew` creates the file atomically, so only one of two simultaneous commands succeeds.
    await Deno.writeTextFile(file, text, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OperatorError(
        `${file} already exists and was not changed: name another file with --file.`,
      );
    }
    if (error instanceof Deno.errors.NotFound) {
      throw new OperatorError(
        `${file} cannot be written because its folder does not exist: create the folder first.`,
      );
    }
    const { code } = error as { code?: string };
    const reason = code ? ` (${code})` : "";
    throw new OperatorError(`${file} cannot be written${reason}: name another file with --file.`);
  }
}
