import type { Command } from "commander";
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { examples } from "./examples.ts";
import { JSON_OPTION, print, printable, type Printing } from "./print.ts";
import { OperatorError } from "./target.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const EXAMPLE = `${ROOT}/supabase/functions/.env.example`;

/** Adds `secrets init`. */
export function secretsCommands(program: Command) {
  const secrets = program.command("secrets")
    .description("Make what the functions keep secret on a stack of the Supabase CLI.")
    .addHelpText("after", examples("npm run admin -- secrets init"));

  secrets.command("init")
    .description(
      "Write the functions' secrets for supabase start into a file that only you can read, " +
        "with a new CREDENTIALS_KEY. A file that exists is never changed.",
    )
    .option("--file <path>", "where to write them", "supabase/functions/.env")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples("npm run admin -- secrets init", "npm run admin -- secrets init --file ~/crm.env"),
    )
    .action(initSecrets);
}

async function initSecrets(options: Printing & { file: string }) {
  const file = resolve(ROOT, options.file); // npm runs every command in this folder
  const example = await Deno.readTextFile(EXAMPLE);
  const key = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  await writeNew(file, example.replace(/^CREDENTIALS_KEY=$/m, `CREDENTIALS_KEY=${key}`));
  print(
    options,
    { file, generated: ["CREDENTIALS_KEY"] },
    () =>
      `Wrote ${printable(file)} with a new CREDENTIALS_KEY; ` +
      "its JWT_SIGNING_KEY is that of supabase start, and good for no other project.",
  );
}

/** @throws OperatorError when the file exists, which stays as it is, or cannot be written. */
async function writeNew(file: string, text: string) {
  try {
    // Made and opened in one step: of two commands at once, one finds the other's file.
    await Deno.writeTextFile(file, text, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OperatorError(`${file} exists already and stays as it is.`);
    }
    if (error instanceof Deno.errors.NotFound) {
      throw new OperatorError(`${file} cannot be written: its folder does not exist.`);
    }
    const { code } = error as { code?: string };
    throw new OperatorError(`${file} cannot be written${code ? ` (${code})` : ""}.`);
  }
}
