import type { CompanyDb } from "../database/company_db.ts";
import { DatabaseError, rows } from "../database/rows.ts";
import type { Json } from "../database/types.ts";
import { accountToken, UnusableToken } from "../credentials/account_token.ts";
import { ChannelTrouble } from "../channel/channel_list.ts";
import { isAboutAccount } from "../channel/outcome.ts";
import type { CredentialsKeys } from "../credentials/credentials_keys.ts";

/** The jobs that the database knows; see begin_job(). */
export type JobName = "template-sync" | "template-media";

/** The result of a job for one account. */
export type JobOutcome<Result> =
  | { outcome: "done"; result: Result }
  /** `failure` is a message for operators. */
  | { outcome: "failed"; failure: string }
  /** Another run of the job for this account is in progress. */
  | { outcome: "busy" }
  /** No connected account has the id. */
  | { outcome: "no_account" };

/** The account for which a job runs. */
export interface JobAccount {
  accountId: string;
  phoneNumberId: string;
  businessAccountId: string;
  token: string;
  /** The token as the database stores it. */
  encryptedToken: string;
  /** The database's time when the run began. */
  beganAt: string;
}

/** The result of `begin_job()` for a run that has begun. */
interface Run {
  run_id: string;
  began_at: string;
  account_id: string;
  company_id: string;
  phone_number_id: string;
  business_account_id: string | null;
  encrypted_token: string;
}

/** The options for a run of a job. */
export interface JobRun {
  /**
   * After this time, no further upload begins. The time is on the clock of `performance.now()`;
   * Infinity means no limit.
   */
  untilMs: number;
  /** Called when the database has recorded that the run has begun. */
  onBegun?: () => void;
}

/**
 * Runs a job for one account. The database records the beginning and the end of the run.
 *
 * @param work the job. If the job throws ChannelTrouble or DatabaseError, the run has failed.
 * @throws DatabaseError when the database cannot begin or end the run; unexpected errors of `work`.
 */
export async function runJob<Result extends object>(
  db: CompanyDb,
  keys: CredentialsKeys,
  { job, accountId, onBegun }: { job: JobName; accountId: string } & Pick<JobRun, "onBegun">,
  work: (account: JobAccount) => Promise<Result>,
): Promise<JobOutcome<Result>> {
  const begun = rows(await db.rpc("begin_job", { job, account_id: accountId })) as unknown as
    | Run
    | { busy: true }
    | null; // the jsonb from begin_job()
  if (begun === null) return { outcome: "no_account" };
  if ("busy" in begun) return { outcome: "busy" };
  const { run_id } = begun;
  onBegun?.();
  try {
    const result = await work(await accountOf(begun, keys));
    rows(await db.rpc("end_job", { run_id, result: result as Json }));
    return { outcome: "done", result };
  } catch (error) {
    const failure = failureOf(error);
    // If the database cannot be reached now, it treats the run as failed after some minutes.
    await db.rpc("end_job", {
      run_id,
      failure: failure ?? "The job failed unexpectedly",
      refusal: refusalOf(error),
    });
    if (failure === null) throw error;
    return { outcome: "failed", failure };
  }
}

/** The job needs the templates of the account's business account, which is not known. */
class NoBusinessAccount extends Error {
  override name = "NoBusinessAccount";
}

async function accountOf(run: Run, keys: CredentialsKeys): Promise<JobAccount> {
  const { account_id, phone_number_id, business_account_id, began_at } = run;
  if (business_account_id === null) {
    throw new NoBusinessAccount(
      `The business account of the phone number ${phone_number_id}, which has the templates, is not known: ` +
        "connect the account again with --business-account-id",
    );
  }
  return {
    accountId: account_id,
    phoneNumberId: phone_number_id,
    businessAccountId: business_account_id,
    token: await accountToken(run, keys),
    encryptedToken: run.encrypted_token,
    beganAt: began_at,
  };
}

/**
 * Why the account itself was refused: the channel's error code, or `token_unusable`. Undefined for
 * any other error.
 */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof UnusableToken) return "token_unusable";
  const reply = error instanceof ChannelTrouble ? error.reply : undefined;
  if (reply?.kind !== "refused" || !isAboutAccount(reply.channel)) return undefined;
  return String(reply.channel.code);
}

/** The message for operators; null for an unexpected error. */
function failureOf(error: unknown): string | null {
  if (
    error instanceof ChannelTrouble || error instanceof UnusableToken ||
    error instanceof NoBusinessAccount
  ) return error.message;
  if (error instanceof DatabaseError) return `The database failed (${error.message})`;
  return null;
}
