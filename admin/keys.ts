import type { Command } from "commander";
import { COMPANY_OPTION, futureMoment, nameOf, scopes, uuid } from "./arguments.ts";
import { noCompany, requireCompany } from "./companies.ts";
import { EXAMPLE_COMPANY, EXAMPLE_ROW, examples } from "./examples.ts";
import { JSON_OPTION, moment, print, printable, type Printing, table } from "./print.ts";
import { byAge, everyRow } from "./lists.ts";
import { OperatorError } from "./operator_error.ts";
import { openProject } from "./project.ts";

/** An API key as the commands show it: neither the key itself nor its hash. */
interface ApiKey {
  id: string;
  company_id: string;
  name: string;
  hint: string;
  scopes: string[];
  is_active: boolean;
  expires_at: string | null;
  last_used_at: string | null;
  created_at: string;
}

const API_KEY =
  "id, company_id, name, hint, scopes, is_active, expires_at, last_used_at, created_at";

/** What create_api_key() answers. */
interface NewApiKey extends Omit<ApiKey, "hint" | "is_active" | "last_used_at"> {
  /** The key itself, which is shown only when it is created. */
  api_key: string;
}

const ID_ARGUMENT = ["<id>", "the key's id, from key list", uuid] as const;

/** Adds `key create`, `list`, `deactivate`, `activate` and `delete`. */
export function keyCommands(program: Command) {
  const key = program.command("key")
    .description("Create, list, deactivate, activate and delete the API keys of a company.")
    .addHelpText(
      "after",
      examples(
        `npm run admin -- key create --company ${EXAMPLE_COMPANY} --name "My program" --scopes read,write`,
        `npm run admin -- key list --company ${EXAMPLE_COMPANY}`,
      ),
    );

  key.command("create")
    .description("Create an API key and print it. It is never shown again.")
    .usage("--company <id> --name <n> --scopes <list> [options]")
    .requiredOption(...COMPANY_OPTION)
    .requiredOption(
      "--name <n>",
      "the key's name, such as the program that uses it, 1 to 100 characters",
      nameOf(100),
    )
    .requiredOption(
      "--scopes <list>",
      "what the key may do: one or more of read, write and messaging, separated by commas",
      scopes,
    )
    .option(
      "--expires <ISO>",
      "when the key expires: a date, or a date and time, in UTC unless it has an offset (default: never)",
      futureMoment,
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        `npm run admin -- key create --company ${EXAMPLE_COMPANY} --name "My program" --scopes read,write`,
        `npm run admin -- key create --company ${EXAMPLE_COMPANY} --name Trial --scopes read --expires 2030-01-31`,
      ),
    )
    .action(createKey);

  key.command("list")
    .description("List the API keys of a company, newest first.")
    .usage("--company <id> [options]")
    .requiredOption(...COMPANY_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- key list --company ${EXAMPLE_COMPANY}`))
    .action(listKeys);

  key.command("deactivate")
    .description("Deactivate an API key. Its next request is refused.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- key deactivate ${EXAMPLE_ROW}`))
    .action((id: string, options: Printing) => switchKey(id, false, options));

  key.command("activate")
    .description("Activate an API key again.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- key activate ${EXAMPLE_ROW}`))
    .action((id: string, options: Printing) => switchKey(id, true, options));

  key.command("delete")
    .description("Delete an API key for good.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- key delete ${EXAMPLE_ROW}`))
    .action(deleteKey);
}

async function createKey(
  options: Printing & { company: string; name: string; scopes: string[]; expires?: string },
) {
  const { db, rows } = openProject();
  const created = rows(
    await db.rpc("create_api_key", {
      name: options.name,
      scopes: options.scopes,
      expires_at: options.expires,
      company_id: options.company,
    }),
    { PT404: noCompany(options.company) },
  ) as NewApiKey;
  print(options, created, () =>
    [
      `Created the key "${printable(created.name)}" (${created.scopes.join(", ")}), ` +
      `which ${
        created.expires_at ? `expires ${moment(created.expires_at, "")}` : "does not expire"
      }. ` +
      `Its id is ${created.id}.`,
      "",
      created.api_key,
      "",
      "The key is shown only this once: store it where you keep secrets.",
    ].join("\n"));
}

async function listKeys(options: Printing & { company: string }) {
  const project = openProject();
  const keys = await everyRow<ApiKey>(
    project,
    (after, limit) =>
      project.db.from("api_keys").select(API_KEY).eq("company_id", options.company)
        .gt("id", after).order("id").limit(limit),
  );
  if (keys.length === 0) await requireCompany(project, options.company);
  print(options, keys.sort(byAge), () =>
    table(keys, {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      KEY: shortened,
      SCOPES: ({ scopes }) => scopes.join(","),
      STATE: stateOf,
      EXPIRES: ({ expires_at }) => moment(expires_at, "never"),
      "LAST USED": ({ last_used_at }) => moment(last_used_at, "never"),
    }, "This company has no API keys."));
}

async function switchKey(id: string, on: boolean, options: Printing) {
  const { db, rows } = openProject();
  const key: ApiKey | null = rows(
    await db.from("api_keys").update({ is_active: on }).eq("id", id).select(API_KEY).maybeSingle(),
  );
  if (!key) throw new OperatorError(noKey(id));
  print(options, key, () => `The key ${called(key)} is now ${stateOf(key)}.`);
}

async function deleteKey(id: string, options: Printing) {
  const { db, rows } = openProject();
  const key: ApiKey | null = rows(
    await db.from("api_keys").delete().eq("id", id).select(API_KEY).maybeSingle(),
  );
  if (!key) throw new OperatorError(noKey(id));
  print(options, key, () => `Deleted the key ${called(key)}.`);
}

/** Whether the API accepts a key, and if not, why. */
function stateOf({ is_active, expires_at }: ApiKey): string {
  if (!is_active) return "inactive";
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? "expired" : "active";
}

function called(key: ApiKey): string {
  return `"${printable(key.name)}" (${shortened(key)})`;
}

function shortened({ hint }: ApiKey): string {
  return `sk_live_…${hint}`;
}

function noKey(id: string): string {
  return `No API key has the id ${id}: npm run admin -- key list shows the ids.`;
}
