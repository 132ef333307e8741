import type { Share } from "../_shared/fair_share.ts";
import type { Pace } from "../_shared/http/body.ts";
import { readJobsSecret } from "../_shared/jobs/jobs_secret.ts";
import { readSendingConfig } from "../_shared/sending/send_config.ts";
import type { UploadConfig } from "./media/operations.ts";

/**
 * The settings of the function `whatsapp`: the settings for sends and uploads, the jobs secret, and
 * the limits for jobs and events.
 */
export interface WhatsappConfig extends UploadConfig {
  /** The caller of a job sends this secret. Null means that this installation runs no jobs. */
  jobsSecret: string | null;
  /** After this time, a job does not begin further work. */
  jobMs: number;
  /**
   * The same limit for the job `channel-events`. The scheduler starts that job each minute, and
   * each run must end before the next run begins.
   */
  channelJobMs: number;
  /**
   * After this many events or bytes, the job leaves the other events to the next run. The platform
   * kills an instance after 2 s of CPU time, and a run may begin in an instance that has used almost
   * one second.
   */
  channelJobMost: { events: number; bytes: number };
  /** A database that takes longer than this for a statement of a job is treated as down. */
  jobDatabaseTimeoutMs: number;
  /**
   * A database that takes longer than this for an event is treated as down, and the channel sends
   * the event again.
   */
  eventTimeoutMs: number;
  /**
   * How many events of one owner an instance receives at the same time: for one business account
   * (`atOnce`), and for all business accounts of the owner (`inAll`). An owner is a company with
   * its own apps, or a single app of the operator. An event may wait for a lock of its company, and
   * must then not delay the events of other business accounts. Many events may wait in the queue,
   * because events come in bursts, and the channel repeats refused events at growing intervals.
   */
  eventShare: Share & { inAll: number };
  /**
   * How many large bodies an instance may have in memory at the same time: of one owner, and of all
   * owners (`inAll`). Anyone who knows an app's path can send such a body, because the signature is
   * checked only after the body has arrived.
   */
  largeBodyShare: Share & { inAll: number };
  /**
   * A large body that arrives more slowly than this is refused, so that another body can arrive.
   */
  largeBodyPace: Pace;
  /**
   * How many large events with a valid signature an instance stores at the same time: of one owner,
   * and of all owners.
   */
  largeEventShare: Share & { inAll: number };
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with a message for the operator's log.
 */
export async function readWhatsappConfig(
  env: Record<string, string | undefined>,
): Promise<WhatsappConfig> {
  return {
    ...await readSendingConfig(env),
    uploadTimes: { fileMs: 60_000, allMs: 90_000 },
    uploadShare: { atOnce: 3, inAll: 6, waiting: 64, patienceMs: 5_000 },
    jobsSecret: readJobsSecret(env.JOBS_SECRET),
    jobMs: 60_000,
    channelJobMs: 45_000,
    // Applying an event takes 2 ms, and applying a megabyte of events takes 150 ms.
    channelJobMost: { events: 300, bytes: 4 * 1024 * 1024 },
    // Storing a list of thousands of templates is one statement, which may take 20 s.
    jobDatabaseTimeoutMs: 25_000,
    eventTimeoutMs: 8_000,
    // The database applies a company's events one after the other, so more than two of them at the
    // same time would only wait.
    eventShare: { atOnce: 2, inAll: 5, waiting: 1_000, patienceMs: 5_000 },
    // A body takes at most 3 MiB of memory, and twice as much while its chunks are joined.
    largeBodyShare: { atOnce: 2, inAll: 6, waiting: 64, patienceMs: 5_000 },
    // The minimum speed is 256 kB a second. At this speed, the longest body takes 15 s. The channel
    // sends such a body within a second.
    largeBodyPace: { graceMs: 3_000, bytesPerMs: 256 },
    // An event of 3 MB takes about 40 MB of memory while it is prepared for the database. An
    // instance has 256 MB.
    largeEventShare: { atOnce: 2, inAll: 3, waiting: 64, patienceMs: 5_000 },
  };
}
