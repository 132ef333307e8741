import type { Command } from "commander";
import { credentialsKeyId } from "../supabase/functions/_shared/credentials/credentials.ts";
import { ACCOUNT, type Account } from "./account.ts";
import { appKey, channelId, COMPANY_OPTION, phone, uuid } from "./arguments.ts";
import { requireCompany } from "./companies.ts";
import { connectAccount } from "./connect_account.ts";
import { EXAMPLE_COMPANY, EXAMPLE_ROW, examples } from "./examples.ts";
import { JSON_OPTION, moment, print, type Printing, table } from "./print.ts";
import { resealTokens } from "./reseal.ts";
import { resealAppSecrets } from "./reseal_apps.ts";
import { resealWebhookSecrets } from "./reseal_webhooks.ts";
import { byAge, everyRow } from "./lists.ts";
import { currentNotices, noticesTable } from "./notices.ts";
import { OperatorError } from "./operator_error.ts";
import { openProject } from "./project.ts";

const EXAMPLE_CONNECT = `npm run admin -- account connect --company ${EXAMPLE_COMPANY} ` +
  "--phone-number-id 106540352242922 --display-phone +5511987654321";

/** Adds the commands `account connect`, `list`, `disconnect` and `reseal`. */
export function accountCommands(program: Command) {
  const account = program.command("account")
    .description(
      "Connect, list and disconnect the phone numbers that a company sends from, and re-encrypt " +
        "their access tokens.",
    )
    .addHelpText(
      "after",
      examples(EXAMPLE_CONNECT, `npm run admin -- account list --company ${EXAMPLE_COMPANY}`),
    );

  account.command("connect")
    .description(
      "Connect a phone number of the messaging channel. Its access token is read from " +
        "standard input or a prompt, and stored encrypted. The command first asks the channel " +
        "whether the token and the number belong together; then it reads the templates of the " +
        "account. Connecting a number again replaces the token.",
    )
    .usage("--company <id> --phone-number-id <id> --display-phone <e164> [options]")
    .requiredOption(...COMPANY_OPTION)
    .requiredOption("--phone-number-id <id>", "the number's id on the messaging channel", channelId)
    .requiredOption("--display-phone <e164>", "the phone number, such as +5511987654321", phone)
    .option(
      "--business-account-id <id>",
      "the number's business account, to which the templates belong (default: the business " +
        "account that the channel names, or else the stored business account)",
      channelId,
    )
    .option(
      "--app <app_key>",
      "the app that may send events about this number, from app list (default: the stored app, " +
        "if any)",
      appKey,
    )
    .option(...JSON_OPTION)
    .addHelpText("after", examples(EXAMPLE_CONNECT, `${EXAMPLE_CONNECT} < token.txt`))
    .action(connectAccount);

  account.command("list")
    .description(
      "List the messaging accounts of a company, newest first, and what the channel reports about them, such as a restriction.",
    )
    .usage("--company <id> [options]")
    .requiredOption(...COMPANY_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- account list --company ${EXAMPLE_COMPANY}`))
    .action(listAccounts);

  account.command("disconnect")
    .description("Disconnect a messaging account and delete its token. Its conversations are kept.")
    .argument("<id>", "the account's id, from account list", uuid)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- account disconnect ${EXAMPLE_ROW}`))
    .action(disconnectAccount);

  account.command("reseal")
    .description(
      "Re-encrypt the access token of each connected account, and the secrets of each app and " +
        "webhook, with CREDENTIALS_KEY. The command can also decrypt values that " +
        "CREDENTIALS_KEY_PREVIOUS encrypted. Each token is encrypted for its own account. You " +
        "can stop the command at any time and run it again.",
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        "npm run admin -- account reseal",
        "npm run --silent admin -- account reseal --json",
      ),
    )
    .action(resealAccounts);
}

async function listAccounts(options: Printing & { company: string }) {
  const project = openProject();
  const accounts = await everyRow<Account>(
    project,
    (after, limit) =>
      project.db.from("messaging_accounts").select(ACCOUNT).eq("company_id", options.company)
        .gt("id", after).order("id").limit(limit),
  );
  if (accounts.length === 0) await requireCompany(project, options.company);
  const notices = await currentNotices(project, options.company);
  const shown = accounts.sort(byAge).map((account) => ({
    ...account,
    notices: notices.filter(({ account_id }) => account_id === account.id),
  }));
  print(options, shown, () => {
    const list = table(shown, {
      ID: ({ id }) => id,
      PHONE: ({ display_phone }) => display_phone,
      "PHONE NUMBER ID": ({ phone_number_id }) => phone_number_id,
      "BUSINESS ACCOUNT ID": ({ business_account_id }) => business_account_id ?? "unknown",
      STATE: ({ disconnected_at }) => disconnected_at ? "disconnected" : "connected",
      DISCONNECTED: ({ disconnected_at }) => moment(disconnected_at, ""),
    }, "This company has no messaging accounts.");
    if (notices.length === 0) return list;
    const phones = new Map(shown.map(({ id, display_phone }) => [id, display_phone]));
    return `${list}\n\nWhat the channel reports about them:\n${noticesTable(notices, phones)}`;
  });
}

async function disconnectAccount(id: string, options: Printing) {
  const { db, rows } = openProject();
  const { was_connected } = rows(
    await db.rpc("disconnect_messaging_account", { account_id: id }),
    { PT404: noAccount(id) },
  );
  const account: Account | null = rows(
    await db.from("messaging_accounts").select(ACCOUNT).eq("id", id).maybeSingle(),
  );
  if (!account) throw new OperatorError(noAccount(id)); // the account was deleted in the meantime
  const named = `${account.display_phone} (${account.phone_number_id})`;
  print(
    options,
    account,
    () =>
      was_connected
        ? `Disconnected ${named}; its token is deleted.`
        : `${named} is already disconnected, ` +
          `since ${moment(account.disconnected_at, "just now")}.`,
  );
}

function noAccount(id: string): string {
  return `No messaging account has the id ${id}: npm run admin -- account list shows the ids.`;
}

async function resealAccounts(options: Printing) {
  const project = openProject();
  const keys = project.credentialsKeys();
  const tokens = await resealTokens(project, keys);
  const { resealed, already_current, unopened, of_another_account } = tokens;
  const apps = await resealAppSecrets(project, keys);
  const webhooks = await resealWebhookSecrets(project, keys);
  const currentId = await credentialsKeyId(keys[0]);
  print(
    options,
    { ...tokens, app_secrets: apps, webhook_secrets: webhooks },
    () =>
      `Tokens re-encrypted under the key ${currentId}: ${resealed}; already under this key: ${already_current}.` +
      (apps.resealed + apps.already_current + apps.unopened.length === 0
        ? ""
        : `\nSecrets of apps re-encrypted: ${apps.resealed}; already under this key: ${apps.already_current}.`) +
      (webhooks.resealed + webhooks.already_current + webhooks.unopened.length === 0
        ? ""
        : `\nSecrets of webhooks re-encrypted: ${webhooks.resealed}; already under this key: ${webhooks.already_current}.`),
  );
  const sentences = [];
  if (unopened.length > 0) {
    const named = listed(
      unopened.map(({ id, key_id }) => `the account ${id} (key ${key_id ?? "unknown"})`),
    );
    sentences.push(
      `Neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS opens the token of ${named}. ` +
        "Set CREDENTIALS_KEY_PREVIOUS to the key that encrypted the token, or connect the " +
        "account again.",
    );
  }
  if (of_another_account.length > 0) {
    const named = listed(
      of_another_account.map(({ id, sealed_for }) =>
        `the account ${id} (it has the token of ${sealed_for})`
      ),
    );
    sentences.push(
      `Someone changed a token or the ids of an account in the database: ${named}. The ` +
        "account cannot send. Find out who changed it, and connect the account again.",
    );
  }
  if (apps.unopened.length > 0) {
    const named = listed(
      apps.unopened.map(({ app_key, kind, key_id }) =>
        `the ${kind.replaceAll("_", " ")} of the app ${app_key} (key ${key_id ?? "unknown"})`
      ),
    );
    sentences.push(
      `Neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS opens ${named}. Set ` +
        "CREDENTIALS_KEY_PREVIOUS to the key that encrypted the secret. Or give the app its " +
        "secret again (app rotate, then app rotate --finish), or create the app again.",
    );
  }
  if (webhooks.unopened.length > 0) {
    const named = listed(
      webhooks.unopened.map(({ webhook_id, kind, key_id }) =>
        `the ${kind.replaceAll("_", " ")} of the webhook ${webhook_id} (key ${key_id ?? "unknown"})`
      ),
    );
    sentences.push(
      `Neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS opens ${named}. Set ` +
        "CREDENTIALS_KEY_PREVIOUS to the key that encrypted the secret. Or let the company " +
        "rotate the secret of the webhook.",
    );
  }
  if (sentences.length > 0) throw new OperatorError(sentences.join(" "));
}

/**
 * The maximum number of accounts or secrets in an error message. With a wrong key, none of a
 * project's secrets can be decrypted, so the list could be long.
 */
const MAX_NAMED = 10;

function listed(each: string[]): string {
  const more = each.length - MAX_NAMED;
  const named = each.slice(0, MAX_NAMED);
  if (more > 0) named.push(`and ${more} more; --json lists all of them`);
  return named.join(", ");
}
