import { type Command, Option } from "commander";
import { COMPANY_OPTION } from "./arguments.ts";
import { requireCompany } from "./companies.ts";
import { EXAMPLE_COMPANY, examples } from "./examples.ts";
import type { Imported, Writing } from "./import_contacts.ts";
import { OperatorError } from "./operator_error.ts";
import { JSON_OPTION, print, printable, type Printing } from "./print.ts";
import { openProject } from "./project.ts";

const EXAMPLE = `npm run admin -- contacts import contacts.csv --company ${EXAMPLE_COMPANY}`;

interface Chosen extends Printing, Writing {
  rejected?: string;
}

/** Adds `contacts import`. */
export function contactCommands(program: Command) {
  const contacts = program.command("contacts")
    .description("Import the contacts of a company from a file.")
    .addHelpText("after", examples(EXAMPLE));

  contacts.command("import")
    .description(
      "Import contacts from a CSV file in UTF-8. Its first line has the names of the fields, as " +
        "in the API: phone, external_id, name, email, temperature, tags (separated by ;), source, " +
        "job_title, empresa, do_not_contact, marketing_opt_out, is_active, custom_fields.<key>. " +
        "An empty cell changes nothing. It is safe to repeat the import: each phone number has one contact.",
    )
    .usage("<file.csv> --company <id> [options]")
    .argument("<file.csv>", "the file; cells are separated by commas, semicolons or tabs")
    .requiredOption(...COMPANY_OPTION)
    .addOption(
      new Option(
        "--on-conflict <what>",
        "for a contact that already exists: keep its values and fill its empty fields, update it, update it and keep its tags, or reject the row",
      ).choices(["keep", "update", "merge", "fail"]).default("keep"),
    )
    .option("--dry-run", "import, roll everything back, and print what would be imported", false)
    .option(
      "--rejected <file>",
      "write the rejected rows into a new file, each with its line number and the reason",
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        `${EXAMPLE} --dry-run`,
        `${EXAMPLE} --rejected rejected.csv`,
        `${EXAMPLE} --on-conflict update`,
      ),
    )
    .action(runImport);
}

async function runImport(path: string, { rejected: rejectedPath, ...options }: Chosen) {
  const project = openProject();
  await requireCompany(project, options.company);
  // The gateway's schemas are imported here because no other command needs them.
  const { openContactFile } = await import("./contact_file.ts");
  const { importContacts, inWords } = await import("./import_contacts.ts");
  const { rejectedRows } = await import("./rejected_rows.ts");
  const file = await openContactFile(path);
  using rejected = rejectedRows(rejectedPath, file);
  const imported = await untilInterrupted((stopping) =>
    importContacts(project, file, options, rejected, stopping)
  );
  print(options, { ...imported, dry_run: options.dryRun }, () => {
    const rows = imported.rows === 1 ? "row" : "rows";
    const words = `${imported.rows.toLocaleString("en")} ${rows}: ${inWords(imported)}.`;
    return options.dryRun ? `A dry run, nothing was written. ${words}` : `Imported ${words}`;
  });
  if (imported.rejected > 0) throw new OperatorError(rejection(imported, rejected));
}

function rejection(
  { rejected: count }: Imported,
  { path, told }: { path?: string; told: string[] },
) {
  const rows = count === 1
    ? "1 row was rejected"
    : `${count.toLocaleString("en")} rows were rejected`;
  if (path !== undefined) {
    return `${rows}. ${path} has the reasons: correct its rows, and import that file.`;
  }
  for (const line of told) console.error(printable(line));
  return `${rows}. --rejected <file> writes a file with the reasons, which you can correct and import.`;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs a task that can be interrupted. The first signal asks the task to stop, and a second signal
 * ends the process.
 */
async function untilInterrupted<Result>(
  work: (stopping: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  const listen = () => SIGNALS.forEach((signal) => Deno.addSignalListener(signal, stop));
  const ignore = () => SIGNALS.forEach((signal) => Deno.removeSignalListener(signal, stop));
  const stop = () => {
    ignore();
    stopping.abort();
  };
  listen();
  try {
    return await work(stopping.signal);
  } finally {
    if (!stopping.signal.aborted) ignore();
  }
}
