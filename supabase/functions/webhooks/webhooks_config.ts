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
  /**
   * The caller of the job sends this secret. If it is null, this installation delivers no events.
   */
  jobsSecret: string | null;
  /** The keys that decrypt webhook secrets. */
  credentialsKeys: CredentialsKeys;
  /** The rules for the URLs to which requests may be sent. */
  addresses: AddressRules & { resolve?: Resolve };
  /**
   * How long a run asks the database for work. The scheduler starts a run each minute.
   */
  runMs: number;
  /**
   * After about this much CPU time, a run begins nothing new, and calls the next run. The platform
   * gives an instance no new request after about one second of CPU time, and kills the instance
   * after two seconds. So the runs of an instance together use at most 1.7 times this time.
   */
  cpuMs: number;
  /**
   * The time between two requests for work: `busy` for five seconds after the last work, then
   * `idle`.
   */
  pollMs: { busy: number; idle: number };
  /** How many requests a run may have in flight: for all webhooks, and for one webhook. */
  atOnce: { inAll: number; ofOne: number };
  /** A response whose headers have not arrived after this time counts as missing. */
  postTimeoutMs: number;
  /** How long the result of a DNS lookup is cached, unless the lookup failed. */
  addressMs: number;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with a message for the operator's log.
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
