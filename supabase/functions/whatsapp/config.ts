import { ConfigError } from "../_shared/config.ts";
import type { Share } from "../_shared/fair_share.ts";
import { readSendingConfig, type SendingConfig } from "../_shared/sending/config.ts";

/** What the channel's own door needs: what sends need, its own secret, and bounds of jobs and events. */
export interface WhatsappConfig extends SendingConfig {
  /** Who calls for a job presents it. Null: this installation runs no jobs. */
  jobsSecret: string | null;
  /** A job begins nothing more after this time. */
  jobMs: number;
  /** So does the job of the channel, which is called each minute: the next run must find it ended. */
  channelJobMs: number;
  /** After so many events or bytes of them, it leaves the rest to the next run: a run may use 2 s of the CPU. */
  channelJobMost: { events: number; bytes: number };
  /** A database that takes longer for a statement of a job is treated as down. */
  jobDatabaseTimeoutMs: number;
  /** A database that takes longer for an event is treated as down: the channel sends the event again. */
  eventTimeoutMs: number;
  /** The events of one app. They come in bursts, and one that is turned away comes again ever later. */
  eventShare: Share;
  /** How many large events an instance has in its memory at once. Anybody who knows an app's path can send one. */
  largeEventShare: Share;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with one sentence, for the operator's log.
 */
export async function readWhatsappConfig(
  env: Record<string, string | undefined>,
): Promise<WhatsappConfig> {
  return {
    ...await readSendingConfig(env),
    jobsSecret: readJobsSecret(env.JOBS_SECRET),
    jobMs: 60_000,
    channelJobMs: 45_000,
    // An event takes 2 ms, and a megabyte 150 ms.
    channelJobMost: { events: 500, bytes: 4 * 1024 * 1024 },
    // To store a reading of thousands of templates is one statement, which may take 20 s.
    jobDatabaseTimeoutMs: 25_000,
    eventTimeoutMs: 8_000,
    eventShare: { atOnce: 5, waiting: 1_000, patienceMs: 5_000 },
    // One of 3 MB, read and written for the database, takes some 45 MB; an instance has 256.
    largeEventShare: { atOnce: 3, waiting: 64, patienceMs: 5_000 },
  };
}

/** The rest of the function works without jobs, so the secret may be missing. A bad one is a mistake. */
function readJobsSecret(secret: string | undefined): string | null {
  if (!secret) return null;
  if (/^[!-~]{32,255}$/.test(secret)) return secret;
  throw new ConfigError(
    "JOBS_SECRET must have 32 to 255 visible ASCII characters, or be left out, which switches the jobs off; " +
      "`openssl rand -base64 32` makes one.",
  );
}
