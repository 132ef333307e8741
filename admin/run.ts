import { Command, CommanderError } from "commander";
import { ConfigError } from "../supabase/functions/_shared/config.ts";
import { accountCommands } from "./accounts.ts";
import { appCommands } from "./apps.ts";
import { changesCommands } from "./changes.ts";
import { channelCommands } from "./channel.ts";
import { companyCommands } from "./companies.ts";
import { contactCommands } from "./contacts.ts";
import { jobCommands } from "./jobs.ts";
import { keyCommands } from "./keys.ts";
import { memberCommands } from "./members.ts";
import { OperatorError } from "./operator_error.ts";
import { chooseLocalStack } from "./project.ts";
import { printable } from "./print.ts";
import { schemaCommands } from "./schema.ts";
import { secretsCommands } from "./secrets.ts";
import { templateCommands } from "./templates.ts";
import { webhookCommands } from "./webhooks.ts";

const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs the operator's command with these arguments, and prints its result.
 * @returns the exit code: 0 for success, 1 when the command failed, 2 for wrong usage.
 */
export async function runCommand(args: string[]): Promise<number> {
  try {
    await newProgram().parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

function newProgram(): Command {
  const program = new Command("npm run admin --")
    .description(
      "Manage companies (members, API keys, contacts, webhooks), messaging accounts (apps, " +
        "events, templates, jobs), the change feeds and the schema. The commands work on the " +
        "local stack, or on the Supabase project that SUPABASE_URL and SUPABASE_SECRET_KEY name.",
    )
    .option("--data <folder>", "work on the local stack of npm start -- --data <folder>")
    .hook("preAction", (program) => {
      const { data } = program.opts<{ data?: string }>();
      if (data !== undefined) chooseLocalStack(data);
    })
    .helpOption("--help", "show this text")
    .helpCommand("help [command]", "show the help of a command")
    .showHelpAfterError("Try --help.")
    .configureOutput({ outputError: (message, write) => write(`${parserMessage(message)}\n`) })
    .exitOverride()
    .addHelpText(
      "after",
      `
Examples:
  npm run admin -- company create "My company"
  npm run admin -- key create --help
  npm run --silent admin -- company list --json    (--silent keeps npm's own lines out of the JSON)

A command that fails says why and exits with 1; wrong usage exits with 2.`,
    );
  // The commands are added last, because they inherit the settings above when they are added.
  companyCommands(program);
  contactCommands(program);
  keyCommands(program);
  memberCommands(program);
  accountCommands(program);
  appCommands(program);
  channelCommands(program);
  templateCommands(program);
  webhookCommands(program);
  jobCommands(program);
  changesCommands(program);
  schemaCommands(program);
  secretsCommands(program);
  return program;
}

/** Prints an error on stderr, unless the parser has printed it already. Returns the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  if (error instanceof OperatorError || error instanceof ConfigError) {
    console.error(printable(error.message));
  } else {
    console.error(`Unexpected error: ${printable(String(error))}`);
  }
  return FAILED;
}

/**
 * The parser's message on one line. For an unknown option, the message shows only the option's
 * name, because the value, as in `--token=abc` or `-tabc`, may be a secret.
 */
function parserMessage(message: string): string {
  const withoutValue = message.replace(
    /^(error: unknown option '(?:-[^-]|--[^=]*)).*'/s,
    "$1'",
  );
  return printable(withoutValue.trimEnd());
}
