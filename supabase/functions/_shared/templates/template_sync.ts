import type { CompanyDb } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import { inTime } from "../in_time.ts";
import { readTemplates } from "./catalogue.ts";
import { ChannelTrouble } from "../channel/channel_list.ts";
import type { ChannelConfig } from "../channel/channel_config.ts";
import type { CredentialsKeys } from "../credentials/credentials_keys.ts";
import { type JobAccount, type JobOutcome, type JobRun, runJob } from "./account_job.ts";
import { MediaTrouble } from "./media_trouble.ts";
import { noteNumbers } from "./number_health.ts";
import { uploadMedia } from "./template_media.ts";
import { type Changes, storeReading } from "./template_reading.ts";

/** The results of uploading the media that `due_media()` returned. */
export interface MediaUploads {
  uploaded: number;
  /**
   * The first templates, at most 20, with media that could not be uploaded. Each entry gives the
   * reason.
   */
  failed: { name: string; language: string; reason: string }[];
  /** The number of further failed templates; left out when `failed` lists all of them. */
  more_failed?: number;
}

/** The result of a synchronisation. */
export interface Synchronisation extends Changes {
  /**
   * Null when another run is uploading the account's media, or when the run of template-media
   * failed.
   */
  media: MediaUploads | null;
}

/**
 * Reading stops after this time, because a run must take less than three minutes, and hosted
 * functions end after 150 s.
 */
const READING_MS = 90_000;
/** An upload that begins at the last moment must also end within the 150 s of a hosted function. */
const UPLOAD = { timeoutMs: 80_000, leaseSeconds: 120 };
const DUE_AT_ONCE = 50;
/**
 * At most this many failed templates are listed in the report on a run, each with its reason. The
 * report is written to the log as one line, and is also stored.
 */
const MAX_TOLD = 20;

/**
 * The job template-sync: reads all templates of an account's business account and stores all of
 * them or none. Then uploads the due media, as a run of template-media.
 *
 * @throws DatabaseError when the database cannot begin or end the run.
 */
export async function syncTemplates(
  db: CompanyDb,
  channel: ChannelConfig,
  keys: CredentialsKeys,
  accountId: string,
  { untilMs, onBegun }: JobRun,
): Promise<JobOutcome<Synchronisation>> {
  const run = { job: "template-sync", accountId, onBegun } as const;
  const synced = await runJob(db, keys, run, async (account) => {
    const late = () =>
      new ChannelTrouble(`The channel took more than ${READING_MS / 1000} s to list its templates`);
    const reading = readTemplates(channel, account);
    const entries = await inTime(reading, AbortSignal.timeout(READING_MS), late);
    const changes = await storeReading(db, account, entries);
    await noteNumbers(db, channel, account);
    return changes;
  });
  if (synced.outcome !== "done") return synced;
  const media = await uploadDueMedia(db, channel, keys, accountId, { untilMs });
  const result = { ...synced.result, media: media.outcome === "done" ? media.result : null };
  return { outcome: "done", result };
}

/**
 * The job template-media: uploads the due media of an account's templates, one after the other. The
 * database decides which media is due; see `due_media()`. A failed upload is due again later.
 *
 * @throws DatabaseError when the database cannot begin or end the run.
 */
export async function uploadDueMedia(
  db: CompanyDb,
  channel: ChannelConfig,
  keys: CredentialsKeys,
  accountId: string,
  { untilMs, onBegun }: JobRun,
): Promise<JobOutcome<MediaUploads>> {
  return await runJob(db, keys, { job: "template-media", accountId, onBegun }, async (account) => {
    const uploads: MediaUploads = { uploaded: 0, failed: [] };
    const tried = new Set<string>();
    let unrecorded: Error | undefined;
    // A failure that the database did not store fails the run, but only after the other uploads.
    const end = () => {
      if (unrecorded) throw unrecorded;
      return uploads;
    };
    for (;;) {
      const due = await dueMedia(db, accountId);
      const next = due.filter(({ template_id }) => !tried.has(template_id));
      if (next.length === 0) return end();
      for (const template of next) {
        if (performance.now() >= untilMs) return end();
        tried.add(template.template_id);
        const failure = await uploadOne(db, channel, account, template, uploads);
        unrecorded ??= failure;
      }
    }
  });
}

/** A template with media that is due. */
interface DueMedia {
  template_id: string;
  name: string;
  language: string;
}

async function dueMedia(db: CompanyDb, account_id: string): Promise<DueMedia[]> {
  const due = rows(await db.rpc("due_media", { account_id, max_rows: DUE_AT_ONCE }));
  return due as unknown as DueMedia[]; // the jsonb from due_media()
}

/**
 * Uploads the media of one template, and adds the result to `uploads`. Returns the database's error
 * if the database could not store that the upload failed.
 */
async function uploadOne(
  db: CompanyDb,
  channel: ChannelConfig,
  account: JobAccount,
  { template_id: templateId, name, language }: DueMedia,
  uploads: MediaUploads,
): Promise<Error | undefined> {
  try {
    await uploadMedia(db, channel, { ...account, templateId, forSend: false }, UPLOAD);
    uploads.uploaded++;
  } catch (error) {
    if (!(error instanceof MediaTrouble)) throw error;
    if (uploads.failed.length < MAX_TOLD) {
      uploads.failed.push({ name, language, reason: error.message });
    } else uploads.more_failed = (uploads.more_failed ?? 0) + 1;
    return error.unrecorded;
  }
}
