import { checkAccount } from "../supabase/functions/_shared/channel/account_check.ts";
import { sealToken } from "../supabase/functions/_shared/credentials/credentials.ts";
import { ACCOUNT, type Account } from "./account.ts";
import { appId } from "./apps.ts";
import { noCompany } from "./companies.ts";
import { OperatorError } from "./operator_error.ts";
import { print, printable, type Printing } from "./print.ts";
import { openProject, type Project } from "./project.ts";
import { readToken } from "./token.ts";
import { inWords, synchronise } from "./synchronise.ts";

/** The options of `account connect`. */
interface Connection {
  company: string;
  phoneNumberId: string;
  displayPhone: string;
  businessAccountId?: string;
  app?: string;
}

/**
 * Asks the channel whether the token and the number belong together, stores the account, and reads
 * its templates.
 */
export async function connectAccount(options: Printing & Connection) {
  const project = openProject();
  const [key] = project.credentialsKeys(); // a wrong key fails here, before the operator types a token
  const channel = project.channel(); // a wrong address of the channel fails here too
  const channel_app_id = options.app && await appId(project, options.app);
  const token = await readToken();
  const businessAccountId = await askChannel(channel, token, options);

  const { company: company_id, phoneNumberId: phone_number_id } = options;
  const account = await store(project, {
    company_id,
    phone_number_id,
    display_phone: options.displayPhone,
    business_account_id: businessAccountId, // undefined keeps the stored id
    encrypted_token: await sealToken(token, { company_id, phone_number_id }, key),
    disconnected_at: null,
    ...(channel_app_id && { channel_app_id }), // without it, the stored app is kept
  });
  print(
    options,
    account,
    () =>
      `Connected ${account.display_phone} (${account.phone_number_id}) as the account ${account.id}; ` +
      "its token is stored encrypted.",
  );
  if (account.business_account_id === null) return;

  const ended = await synchronise(project, channel, account.id);
  if (ended.outcome === "done" || ended.outcome === "busy") {
    if (!options.json) console.log(`Its templates: ${inWords(ended)}.`);
  } else {
    warn(
      `its templates are not known yet: ${inWords(ended)}. The jobs try again later. To try now: ` +
        "npm run admin -- template sync",
    );
  }
}

/**
 * Asks the channel about the account, and warns if something does not match.
 * @returns the business account, given or found; undefined when it is not known.
 * @throws OperatorError when the channel clearly refuses the account.
 */
async function askChannel(
  channel: ReturnType<Project["channel"]>,
  token: string,
  { phoneNumberId, displayPhone, businessAccountId }: Connection,
): Promise<string | undefined> {
  const check = await checkAccount(channel, { token, phoneNumberId, businessAccountId });
  if (check.verdict === "refused") {
    throw new OperatorError(`${printable(check.sentence)}. Nothing was stored.`);
  }
  if (check.verdict === "unclear") {
    warn(`${check.sentence}. The account is still connected`);
  }
  const found = businessAccountId ?? check.businessAccountId;
  if (check.verdict === "fits" && found === undefined) warn(check.sentence);
  const digits = (phone: string) => phone.replace(/\D/g, "");
  if (check.displayPhone && digits(check.displayPhone) !== digits(displayPhone)) {
    warn(
      `the channel shows ${check.displayPhone} for this number, but --display-phone is ${displayPhone}`,
    );
  }
  return found;
}

function warn(sentence: string) {
  console.error(`Warning: ${printable(sentence)}.`);
}

/** An account as it is stored. */
type AccountRow = Omit<Account, "id" | "created_at" | "business_account_id"> & {
  business_account_id: string | undefined;
  encrypted_token: string;
  channel_app_id?: string;
};

async function store({ db, rows }: Project, connection: AccountRow): Promise<Account> {
  const { company_id, phone_number_id } = connection;
  const sentences = {
    messaging_accounts_one_connection_idx:
      `The phone number id ${phone_number_id} is connected to another company: disconnect it there first.`,
    messaging_accounts_company_id_fkey: noCompany(company_id),
  };
  // There are two statements, because `on conflict do update` needs permission to read the columns
  // that it sets, and no role may read the token. The first statement creates the account if the
  // company does not have it yet. Otherwise the second one updates it.
  const created: Account | null = rows(
    await db.from("messaging_accounts")
      .upsert(connection, { onConflict: "company_id,phone_number_id", ignoreDuplicates: true })
      .select(ACCOUNT).maybeSingle(),
    sentences,
  );
  return created ?? rows(
    await db.from("messaging_accounts").update(connection).match({ company_id, phone_number_id })
      .select(ACCOUNT).single(),
    sentences,
  );
}
