import type { Command } from "commander";
import { nameOf, onOrOff, uuid } from "./arguments.ts";
import { EXAMPLE_COMPANY, examples } from "./examples.ts";
import { JSON_OPTION, print, printable, type Printing, table } from "./print.ts";
import { everyRow } from "./lists.ts";
import { OperatorError } from "./operator_error.ts";
import { openProject, type Project } from "./project.ts";

interface Company {
  id: string;
  name: string;
  created_at: string;
}

const COMPANY = "id, name, created_at";

/** Adds the commands `company create`, `company list` and `company members-by-email`. */
export function companyCommands(program: Command) {
  const company = program.command("company")
    .description("Create and list companies, the customers of the platform.")
    .addHelpText(
      "after",
      examples(
        'npm run admin -- company create "My company"',
        "npm run admin -- company list",
      ),
    );

  company.command("create")
    .description("Create a company. It starts with a sales pipeline and its stages.")
    .argument("<name>", "the company's name, 1 to 255 characters", nameOf(255))
    .option(...JSON_OPTION)
    .addHelpText("after", examples('npm run admin -- company create "My company"'))
    .action(createCompany);

  company.command("list")
    .description("List all companies by name.")
    .option(...JSON_OPTION)
    .addHelpText("after", examples("npm run admin -- company list"))
    .action(listCompanies);

  company.command("members-by-email")
    .description("Choose whether API keys may find the company's members by e-mail address.")
    .argument("<id>", "the company's id", uuid)
    .argument("<on|off>", "off is the default of a new company", onOrOff)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(`npm run admin -- company members-by-email ${EXAMPLE_COMPANY} on`),
    )
    .action(chooseMembersByEmail);
}

async function createCompany(name: string, options: Printing) {
  const { db, rows } = openProject();
  const created: Company = rows(
    await db.from("companies").insert({ name }).select(COMPANY).single(),
  );
  print(
    options,
    created,
    () => `Created the company "${printable(created.name)}" with the id ${created.id}.`,
  );
}

async function chooseMembersByEmail(id: string, isOn: boolean, options: Printing) {
  const { db, rows } = openProject();
  const changed = rows(
    await db.from("companies").update({ members_found_by_email: isOn }).eq("id", id)
      .select("id, name, members_found_by_email").maybeSingle(),
  );
  if (!changed) throw new OperatorError(noCompany(id));
  print(
    options,
    changed,
    () =>
      `API keys of the company "${printable(changed.name)}" ` +
      `${isOn ? "may now" : "can no longer"} find members by e-mail address.`,
  );
}

async function listCompanies(options: Printing) {
  const project = openProject();
  const companies = await everyRow<Company>(
    project,
    (after, limit) =>
      project.db.from("companies").select(COMPANY).gt("id", after).order("id").limit(limit),
  );
  companies.sort((a, b) => a.name.localeCompare(b.name));
  print(options, companies, () =>
    table(companies, {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      CREATED: ({ created_at }) => created_at.slice(0, 10),
    }, "There are no companies yet."));
}

/**
 * Checks that a company exists, because an empty list does not show whether the company exists.
 * @throws OperatorError when no company has the id.
 */
export async function requireCompany({ db, rows }: Project, id: string): Promise<void> {
  const found = rows(await db.from("companies").select("id").eq("id", id).maybeSingle());
  if (!found) throw new OperatorError(noCompany(id));
}

/** The error message when `--company` has the id of a company that does not exist. */
export function noCompany(id: string): string {
  return `No company has the id ${id}: npm run admin -- company list shows the ids.`;
}
