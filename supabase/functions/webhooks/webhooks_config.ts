import { type Config, readConfig } from "../_shared/config.ts";
import {
  type CredentialsKeys,
  readCredentialsKeys,
} from "../_shared/credentials/credentials_keys.ts";
import { readJobsSecret } from "../_shared/jobs/jobs_secret.ts";
import type { AddressRules, Resolve } from "../_shared/webhooks/address.ts";
import { readAddressRules } from "../_shared/webhooks/address_rules.ts";

/** The settings of the function `webhooks`: the secret of its job, and the limits of a run. */
export interface WebhooksConfig extends Config {
  /** The caller of the job sends this secret. Null: this installation delivers nothing. */
  jobsSecret: string | null;
  /** The keys that open the secrets of webhooks. */
  credentialsKeys: CredentialsKeys;
  /** Where requests may go besides the public internet, and where they may not go. */
  addresses: AddressRules & { resolve?: Resolve };
  /** For this long, a run asks for work. The scheduler starts a run each minute. */
  runMs: number;
  /**
   * After about this much CPU, a run takes nothing new, and calls the next run if something is due.
   * An instance of the platform gets no new request after about a second of CPU, and is killed
   * after two.
   */
  cpuMs: number;
  /** How often a run asks for work, for five seconds after there was some, and later. */
  pollMs: { busy: number; idle: number };
  /** How many requests a run has in flight: for all webhooks, and for one. */
  atOnce: { inAll: number; ofOne: number };
  /** After this time, an answer that has not ended counts as missing. */
  postTimeoutMs: number;
  /** The result of a look-up of a host name is used for this long. */
  addressMs: number;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with one sentence, for the operator's log.
 */
export async function readWebhooksConfig(
  env: Record<string, string | undefined>,
): Promise<WebhooksConfig> {
  return {
    ...await readConfig(env),
    jobsSecret: readJobsSecret(env.JOBS_SECRET),
    credentialsKeys: readCredentialsKeys(env),
    addresses: readAddressRules(env),
    runMs: 65_000,
    cpuMs: 1_000,
    pollMs: { busy: 250, idle: 500 },
    atOnce: { inAll: 60, ofOne: 20 },
    postTimeoutMs: 10_000,
    addressMs: 60_000,
  };
}
