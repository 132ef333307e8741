// The operator's command: companies, their API keys, their messaging accounts; the functions' secrets.
import { Command, CommanderError } from "commander";
import { ConfigError } from "../supabase/functions/_shared/config.ts";
import { accountCommands } from "./accounts.ts";
import { companyCommands } from "./companies.ts";
import { keyCommands } from "./keys.ts";
import { printable } from "./print.ts";
import { secretsCommands } from "./secrets.ts";
import { OperatorError } from "./target.ts";

const FAILED = 1;
const WRONG_USAGE = 2;

const program = new Command("npm run admin --")
  .description(
    "Looks after companies, API keys and messaging accounts: those of the local stack, or those " +
      "of the Supabase project that SUPABASE_URL and SUPABASE_SECRET_KEY name.",
  )
  .helpOption("--help", "show this text")
  .helpCommand("help [command]", "show the help of a command")
  .showHelpAfterError("Try --help.")
  .configureOutput({ outputError: (message, write) => write(`${asSentence(message)}\n`) })
  .exitOverride()
  .addHelpText(
    "after",
    `
Examples:
  npm run admin -- company create "My company"
  npm run admin -- key create --help
  npm run --silent admin -- company list --json    (--silent keeps npm's own lines out of the JSON)

A command that fails says why in one sentence and ends with 1; wrong usage ends with 2.`,
  );
// Commands inherit what has been set above, so they come last.
companyCommands(program);
keyCommands(program);
accountCommands(program);
secretsCommands(program);

try {
  await program.parseAsync(Deno.args, { from: "user" });
} catch (error) {
  Deno.exitCode = explain(error);
}

/** Says on stderr what went wrong, unless the parser has said it already; answers the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  if (error instanceof OperatorError || error instanceof ConfigError) {
    console.error(printable(error.message));
  } else {
    console.error(`This should not happen: ${printable(String(error))}`);
  }
  return FAILED;
}

/** The parser's "error: unknown option '--x'\n(Did you mean --y?)", as one sentence. */
function asSentence(message: string): string {
  const [, what, guess] = /^error: (.*?)(?:\n\(Did you mean (.*)\?\))?\s*$/s.exec(message) ?? [];
  if (!what) return message.trim();
  const sentence = what
    .replace(
      /^command-argument value (.*) is invalid for argument '(.*?)'/s,
      "argument <$2> $1 is invalid",
    )
    .replace(/^(unknown option '--[^=]*)=.*'$/s, "$1'") // the value may be a secret
    .replace(/\. (It|Expected) /, (_, word) => `: ${word.toLowerCase()} `)
    .replace(/\.$/, "");
  const mark = guess ? `; did you mean ${guess}?` : ".";
  return printable(sentence[0].toUpperCase() + sentence.slice(1) + mark);
}
