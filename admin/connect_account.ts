import {
  type AccountCheck,
  checkAccount,
} from "../supabase/functions/_shared/channel/account_check.ts";
import { sealToken } from "../supabase/functions/_shared/credentials/credentials.ts";
import type { Account } from "./account.ts";
import { appId } from "./apps.ts";
import { noCompany } from "./companies.ts";
import { OperatorError } from "./operator_error.ts";
import { print, printable, type Printing } from "./print.ts";
import { openProject, type Project } from "./project.ts";
import { readToken } from "./token.ts";
import { inWords, synchronise } from "./synchronise.ts";

/** The options of the command `account connect`. */
interface Connection {
  company: string;
  phoneNumberId: string;
  displayPhone: string;
  businessAccountId?: string;
  app?: string;
}

/**
 * Asks the channel whether the token belongs to the phone number, stores the account, and reads the
 * account's templates.
 */
export async function connectAccount(options: Printing & Connection) {
  const project = openProject();
  const [key] = project.credentialsKeys(); // a wrong encryption key causes an error here, before the operator types a token
  const channel = project.channel(); // a wrong channel URL also causes an error here
  const channel_app_id = options.app && await appId(project, options.app);
  const token = await readToken();
  const check = await askChannel(channel, token, options);

  const { company: company_id, phoneNumberId: phone_number_id } = options;
  const { was_known: _, ...account } = project.rows(
    await project.db.rpc("connect_messaging_account", {
      company_id,
      phone_number_id,
      display_phone: options.displayPhone,
      encrypted_token: await sealToken(token, { company_id, phone_number_id }, key),
      business_account_id: check.businessAccountId, // undefined keeps the stored id; this also applies to channel_app_id
      channel_app_id: channel_app_id || undefined,
      token_expires_at: check.tokenExpiresAt,
      quality_rating: check.qualityRating,
    }),
    { messaging_accounts_company_id_fkey: noCompany(company_id) },
  ) as unknown as Account & { was_known: boolean }; // the jsonb result of connect_messaging_account()
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
 * Asks the channel about the account, and prints a warning if the channel's data differs from the
 * options.
 * @returns the channel's data, with the business account if the options or the channel name it.
 * @throws OperatorError when the channel clearly refuses the account.
 */
async function askChannel(
  channel: ReturnType<Project["channel"]>,
  token: string,
  { phoneNumberId, displayPhone, businessAccountId }: Connection,
): Promise<AccountCheck> {
  const check = await checkAccount(channel, { token, phoneNumberId, businessAccountId });
  if (check.verdict === "refused") {
    throw new OperatorError(`${printable(check.sentence)}. Nothing was stored.`);
  }
  if (check.verdict === "unclear") {
    warn(`${check.sentence}. The account is connected anyway`);
  }
  const found = businessAccountId ?? check.businessAccountId;
  if (check.verdict === "fits" && found === undefined) warn(check.sentence);
  const digits = (phone: string) => phone.replace(/\D/g, "");
  if (check.displayPhone && digits(check.displayPhone) !== digits(displayPhone)) {
    warn(
      `the channel shows ${check.displayPhone} for this number, but --display-phone is ${displayPhone}`,
    );
  }
  return { ...check, businessAccountId: found };
}

function warn(sentence: string) {
  console.error(`Warning: ${printable(sentence)}.`);
}
