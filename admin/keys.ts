import type { Command } from "commander";
import {
  API_KEY,
  type ApiKey,
  called,
  endOf,
  type NewApiKey,
  noKey,
  shortened,
  shownOnce,
  stateOf,
} from "./api_key.ts";
import { COMPANY_OPTION, futureMoment, nameOf, overlapHours, scopes, uuid } from "./arguments.ts";
import { noCompany, requireCompany } from "./companies.ts";
import { EXAMPLE_COMPANY, EXAMPLE_ROW, examples } from "./examples.ts";
import { JSON_OPTION, moment, print, printable, type Printing, table } from "./print.ts";
import { byAge, everyRow } from "./lists.ts";
import { OperatorError } from "./operator_error.ts";
import { openProject } from "./project.ts";
import type { Webhook } from "./webhooks_text.ts";

const HOUR_MS = 3_600_000;
const ID_ARGUMENT = ["<id>", "the key's id, from key list", uuid] as const;

/** Adds the commands `key create`, `list`, `rotate`, `deactivate`, `activate` and `delete`. */
export function keyCommands(program: Command) {
  const key = program.command("key")
    .description("Create, list, rotate, deactivate, activate and delete the API keys of a company.")
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
      "the key's name, for example the program that uses it, 1 to 100 characters",
      nameOf(100),
    )
    .requiredOption(
      "--scopes <list>",
      "what the key may do: one or more of read, write, messaging and webhooks, separated by commas",
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

  key.command("rotate")
    .description(
      "Create a successor of an API key, with the same name and scopes, and print it. The successor is never shown again. " +
        "The old key works until the overlap ends. Without an overlap, its webhooks are switched off.",
    )
    .usage("<id> [options]")
    .argument(...ID_ARGUMENT)
    .option(
      "--overlap <time>",
      "for how long both keys work: now, 1h, 24h, 7d or a number of hours up to 168 (default: 24h)",
      overlapHours,
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        `npm run admin -- key rotate ${EXAMPLE_ROW}`,
        `npm run admin -- key rotate ${EXAMPLE_ROW} --overlap 7d`,
      ),
    )
    .action(rotateKey);

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
    .description("Delete an API key permanently.")
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
      `${endOf(created)} Its id is ${created.id}.`,
      ...shownOnce(created),
    ].join("\n"));
}

async function rotateKey(
  id: string,
  { overlap = 24, ...options }: Printing & { overlap?: number },
) {
  const { db, rows } = openProject();
  // The old key and its webhooks are read before the rotation. If a request failed after the
  // rotation, the new key would be lost.
  const old: ApiKey | null = rows(
    await db.from("api_keys").select(API_KEY).eq("id", id).maybeSingle(),
  );
  if (!old) throw new OperatorError(noKey(id));
  const webhooks = overlap > 0 ? [] : rows(
    await db.rpc("list_webhooks", { company_id: old.company_id }),
  ) as unknown as Webhook[];
  const stopped = webhooks.filter(({ state, created_by_key_id }) =>
    state !== "off" && created_by_key_id === id
  );
  const made = rows(
    await db.rpc("rotate_api_key", { key_id: id, overlap_hours: overlap }),
    {
      PT404: noKey(id),
      PT409: `The key ${
        called(old)
      } was already replaced: rotate its successor, which key list shows.`,
    },
  ) as NewApiKey;
  const overlapEnd = Date.parse(made.created_at) + overlap * HOUR_MS;
  const end = Math.min(overlapEnd, Date.parse(old.expires_at ?? "") || Infinity);
  const oldKeyEndsAt = new Date(end).toISOString();
  print(options, { ...made, replaces: id, old_key_ends_at: oldKeyEndsAt }, () =>
    [
      `Created a successor of the key ${called(old)}, with the same scopes (${
        made.scopes.join(", ")
      }), ${endOf(made)} Its id is ${made.id}.`,
      end <= Date.parse(made.created_at)
        ? "The old key is refused from now on."
        : old.is_active
        ? `The old key works until ${moment(oldKeyEndsAt, "")}.`
        : `The old key stays inactive, and ends ${moment(oldKeyEndsAt, "")}.`,
      ...(stopped.length === 0 ? [] : [
        "These webhooks of the old key are off now. Check their URLs before anyone switches them on:",
        ...stopped.map((webhook) => `${webhook.id}  ${printable(webhook.url)}`),
      ]),
      ...shownOnce(made),
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
  const byId = new Map(keys.map((key) => [key.id, key]));
  const replaced = new Set(keys.map(({ replaces }) => replaces));
  const predecessor = ({ replaces }: ApiKey) => replaces ? byId.get(replaces) : undefined;
  print(options, keys.sort(byAge), () =>
    table(keys, {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      KEY: shortened,
      SCOPES: ({ scopes }) => scopes.join(","),
      STATE: (key) => stateOf(key, replaced.has(key.id)),
      EXPIRES: ({ expires_at }) => moment(expires_at, "never"),
      "LAST USED": ({ last_used_at }) => moment(last_used_at, "never"),
      // This column is left out when none of the company's keys was ever rotated.
      ...(keys.some(predecessor) && {
        REPLACES: (key: ApiKey) => predecessor(key) ? shortened(predecessor(key)!) : "",
      }),
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
