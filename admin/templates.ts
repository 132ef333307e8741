import type { Command } from "commander";
import { whyNotSendable } from "../supabase/functions/_shared/templates/template_words.ts";
import { ACCOUNT, type Account } from "./account.ts";
import { COMPANY_OPTION, uuid } from "./arguments.ts";
import { requireCompany } from "./companies.ts";
import { EXAMPLE_COMPANY, EXAMPLE_ROW, examples } from "./examples.ts";
import { everyRow } from "./lists.ts";
import { OperatorError } from "./operator_error.ts";
import { JSON_OPTION, print, printable, type Printing, table } from "./print.ts";
import { openProject, type Project } from "./project.ts";
import { inWords, synchronise } from "./synchronise.ts";

const EXAMPLE_LIST = `npm run admin -- template list --company ${EXAMPLE_COMPANY}`;

/** Adds the commands `template sync` and `template list`. */
export function templateCommands(program: Command) {
  const template = program.command("template")
    .description(
      "Read the message templates of messaging accounts from the channel, and list them.",
    )
    .addHelpText("after", examples("npm run admin -- template sync", EXAMPLE_LIST));

  template.command("sync")
    .description(
      "Read the templates from the channel, and upload the media files of their headers. Without " +
        "options, the command does this for all connected accounts. The jobs do it each day.",
    )
    .option(...COMPANY_OPTION)
    .option("--account <id>", "the account's id, from account list", uuid)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        "npm run admin -- template sync",
        `npm run admin -- template sync --company ${EXAMPLE_COMPANY}`,
        `npm run admin -- template sync --account ${EXAMPLE_ROW}`,
      ),
    )
    .action(syncAccounts);

  template.command("list")
    .description("List a company's templates as they were last read, sorted by name and language.")
    .usage("--company <id> [options]")
    .requiredOption(...COMPANY_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(EXAMPLE_LIST))
    .action(listTemplates);
}

async function syncAccounts(options: Printing & { company?: string; account?: string }) {
  const project = openProject();
  const channel = project.channel();
  project.credentialsKeys(); // a wrong encryption key causes one error here, instead of one for each account
  const accounts = await connectedAccounts(project, options);
  const ends = [];
  for (const account of accounts) {
    const ended = await synchronise(project, channel, account.id);
    const { id: account_id, company_id, phone_number_id, display_phone } = account;
    ends.push({ account_id, company_id, phone_number_id, display_phone, ...ended });
    if (!options.json) {
      console.log(printable(`${display_phone} (${phone_number_id}): ${inWords(ended)}.`));
    }
  }
  if (options.json) print(options, ends, () => "");
  else if (accounts.length === 0) console.log("No messaging account is connected.");
  const failed = ends.filter(({ outcome }) => outcome === "failed").length;
  if (failed > 0) {
    throw new OperatorError(
      `The templates of ${failed} of ${accounts.length} accounts could not be read.`,
    );
  }
}

async function connectedAccounts(
  project: Project,
  { company, account }: { company?: string; account?: string },
): Promise<Account[]> {
  const accounts = await everyRow<Account>(project, (after, limit) => {
    let query = project.db.from("messaging_accounts").select(ACCOUNT).is("disconnected_at", null);
    if (company) query = query.eq("company_id", company);
    if (account) query = query.eq("id", account);
    return query.gt("id", after).order("id").limit(limit);
  });
  if (accounts.length === 0 && account) {
    throw new OperatorError(
      `No connected messaging account has the id ${account}: npm run admin -- account list shows the ids.`,
    );
  }
  if (accounts.length === 0 && company) await requireCompany(project, company);
  return accounts;
}

/** A template in the form that `template list` prints. */
interface Template {
  id: string;
  business_account_id: string;
  name: string;
  language: string;
  status: string;
  status_since: string;
  category: string | null;
  quality: string | null;
  unsupported: string[];
  media_problem: string | null;
  phone_number_ids: string[];
  read_at: string;
}

const TEMPLATE =
  "id, business_account_id, name, language, status, status_since, category, quality, " +
  "unsupported, media_problem, phone_number_ids, read_at";

async function listTemplates(options: Printing & { company: string }) {
  const project = openProject();
  const found = await everyRow<Template>(
    project,
    (after, limit) =>
      project.db.from("templates").select(TEMPLATE).eq("company_id", options.company)
        .gt("id", after).order("id").limit(limit).overrideTypes<Template[], { merge: false }>(),
  );
  if (found.length === 0) await requireCompany(project, options.company);
  const templates = found.map((template) => ({ ...template, why_not: whyNotSendable(template) }))
    .sort((a, b) => `${a.name} ${a.language}` < `${b.name} ${b.language}` ? -1 : 1);
  print(options, templates, () =>
    table(templates, {
      NAME: ({ name }) => name,
      LANGUAGE: ({ language }) => language,
      STATUS: ({ status }) => status,
      CATEGORY: ({ category }) => category ?? "unknown",
      "CAN BE SENT": ({ why_not }) => why_not.length === 0 ? "yes" : why_not.join("; "),
    }, "This company has no known templates: npm run admin -- template sync reads them."));
}
