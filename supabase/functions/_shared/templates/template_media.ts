import type { CompanyDb } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import { inTime } from "../in_time.ts";
import { pause } from "../pause.ts";
import { ChannelTrouble } from "../channel/channel_list.ts";
import { isAboutAccount } from "../channel/outcome.ts";
import type { ChannelConfig } from "../channel/channel_config.ts";
import { MediaTrouble } from "./media_trouble.ts";
import type { Sample } from "./sample.ts";
import { uploadSample } from "./sample_media.ts";
import { readByName } from "./template_reading.ts";

// The media of a template's header. The database decides which request uploads the media; see
// `begin_media_upload()`.

/** The header media that a send needs. */
export interface TemplateMedia {
  mediaId: string;
  /** The name that the recipient sees; only a document has a name. */
  filename: string | null;
}

/**
 * How long a send waits until its media is uploaded, by the send itself or by another request.
 */
export interface MediaPatience {
  /** The total time for waiting, fetching and uploading. */
  timeoutMs: number;
  /**
   * During this time, no other request begins the same upload. This time is longer than the
   * timeout, so that the end of the upload is recorded before another upload begins.
   */
  leaseSeconds: number;
}

/** A template of an account, the account's token, and the purpose of the upload. */
export interface MediaAccount {
  accountId: string;
  phoneNumberId: string;
  businessAccountId: string;
  templateId: string;
  token: string;
  /** The token as the database stores it. */
  encryptedToken: string;
  /** Whether a send needs the media now. The job uploads media in advance. */
  forSend: boolean;
}

/** The result of `begin_media_upload()`. */
type Beginning =
  | { result: "ready"; media_id: string; filename: string | null }
  | ({ result: "upload" } & Upload)
  | { result: "wait" }
  | { result: "failed"; reason: string | null; is_permanent?: boolean }
  | { result: "gone" };

/** An upload that this caller must perform. */
interface Upload {
  upload_id: string;
  format: Sample["format"];
  sample_url: string;
  template_name: string;
  language: string;
  /** When the upload began, on the database's clock. */
  began_at: string;
}

/** The uploads that this instance performs or waits for, by account and template. */
const underWay = new Map<string, Promise<TemplateMedia>>();

const LOOK_EVERY_MS = 300;

/**
 * Returns the header media of a template for an account. If the channel does not have the media,
 * the service uploads it first. If several callers need the media at the same time, in any
 * instance, one caller uploads it and the others wait. If the sample's URL has expired, the
 * template is read again, once.
 *
 * @throws MediaTrouble when the media cannot be uploaded in time; DatabaseError, ApiError. If the
 * database could not record the failed upload, MediaTrouble has the database's error.
 */
export async function uploadMedia(
  db: CompanyDb,
  channel: ChannelConfig,
  account: MediaAccount,
  patience: MediaPatience,
): Promise<TemplateMedia> {
  const key = `${account.accountId} ${account.templateId}`;
  const signal = AbortSignal.timeout(patience.timeoutMs);
  const others = underWay.get(key);
  if (others) {
    const shared = await inTime(others, signal, () => late(true)).catch((error) => {
      if (error instanceof MediaTrouble) throw error;
      return null; // for example because the other caller's key has been revoked
    });
    if (shared) return shared;
  }
  const own = mediaOf(db, channel, account, patience.leaseSeconds, signal);
  underWay.set(key, own);
  try {
    return await own;
  } finally {
    if (underWay.get(key) === own) underWay.delete(key);
  }
}

/**
 * Waits until another caller has uploaded the media, or uploads the media if the database assigns
 * the upload to this caller.
 */
async function mediaOf(
  db: CompanyDb,
  channel: ChannelConfig,
  account: MediaAccount,
  leaseSeconds: number,
  signal: AbortSignal,
): Promise<TemplateMedia> {
  for (let isReread = false;;) {
    const beginning = rows(
      await db.rpc("begin_media_upload", {
        account_id: account.accountId,
        template_id: account.templateId,
        lease_seconds: leaseSeconds,
        for_send: account.forSend,
      }),
    ) as unknown as Beginning; // the jsonb from begin_media_upload()
    switch (beginning.result) {
      case "ready":
        return { mediaId: beginning.media_id, filename: beginning.filename };
      case "failed":
        throw new MediaTrouble(beginning.reason ?? "The media could not be uploaded", {
          isPermanent: beginning.is_permanent,
          isUntried: true,
        });
      case "gone":
        throw new MediaTrouble(
          "The template is no longer in the list of templates, or has no media",
          { isUntried: true },
        );
      case "wait":
        await pause(LOOK_EVERY_MS);
        break;
      case "upload": {
        const media = await upload(db, channel, account, beginning, isReread, signal);
        if (media) return media;
        isReread = true;
      }
    }
    if (signal.aborted) throw late(beginning.result === "wait");
  }
}

/**
 * Uploads the sample, and records the end of the upload.
 *
 * @param isReread whether the template has already been read again.
 * @returns null when the upload must begin again: the template has another sample now, or another
 *   caller has begun the upload in the meantime.
 */
async function upload(
  db: CompanyDb,
  channel: ChannelConfig,
  account: MediaAccount,
  beginning: Upload,
  isReread: boolean,
  signal: AbortSignal,
): Promise<TemplateMedia | null> {
  const { upload_id, format, template_name: templateName } = beginning;
  const uploadFrom = (url: string) =>
    uploadSample(channel, account, { url, format, templateName }, signal);
  let media: TemplateMedia;
  try {
    try {
      media = await uploadFrom(beginning.sample_url);
    } catch (error) {
      if (!(error instanceof MediaTrouble && error.isExpired) || isReread) throw error;
      const fresh = await freshAddress(db, channel, account, beginning, signal);
      if (!isSameSample(fresh, beginning.sample_url)) {
        await fail(db, account, upload_id, "The template has another sample now");
        return null;
      }
      media = await uploadFrom(fresh);
    }
  } catch (error) {
    const trouble = error instanceof MediaTrouble ? error : null;
    const refused = trouble?.channel && isAboutAccount(trouble.channel);
    await fail(db, account, upload_id, trouble?.message ?? "The upload failed unexpectedly", {
      refusal: refused ? String(trouble.channel!.code) : undefined,
      is_permanent: trouble?.isPermanent,
    }).catch((unrecorded) => {
      // The reason for the failure is more important to the caller than the error of the database.
      if (trouble) trouble.unrecorded = unrecorded;
    });
    throw error;
  }
  const isRecorded = rows(
    await db.rpc("finish_media_upload", {
      upload_id,
      media_id: media.mediaId,
      filename: media.filename ?? undefined,
    }),
  );
  return isRecorded ? media : null;
}

/**
 * Records a failure. If the database cannot be reached, other callers can begin the upload again
 * when its lease ends. If the account was refused, and has a new token now, the database only ends
 * the upload.
 * @param refusal the channel's code, if the channel refused the account.
 * @param is_permanent whether the sample itself caused the failure.
 * @throws DatabaseError, ApiError.
 */
async function fail(
  db: CompanyDb,
  { encryptedToken: encrypted_token, forSend: for_send }: MediaAccount,
  upload_id: string,
  reason: string,
  { refusal, is_permanent }: { refusal?: string; is_permanent?: boolean } = {},
) {
  const failure = { upload_id, reason, refusal, encrypted_token, for_send, is_permanent };
  rows(await db.rpc("fail_media_upload", failure));
}

/** The URL that the channel currently gives for the sample. */
async function freshAddress(
  db: CompanyDb,
  channel: ChannelConfig,
  account: MediaAccount,
  { template_name, language, began_at: beganAt }: Upload,
  signal: AbortSignal,
): Promise<string> {
  let entries;
  try {
    const reading = readByName(db, channel, { ...account, beganAt }, template_name);
    entries = await inTime(reading, signal, () => late());
  } catch (error) {
    if (!(error instanceof ChannelTrouble)) throw error;
    const { reply } = error;
    throw new MediaTrouble(`The address of the sample has expired. ${error.message}`, {
      channel: reply?.kind === "refused" ? reply.channel : undefined,
      retryAfter: reply?.kind === "unavailable" ? reply.retryAfter : undefined,
    });
  }
  const address = entries.find((entry) => entry.language === language)?.sample_url;
  if (address) return address;
  throw new MediaTrouble(
    "The address of the sample has expired, and the channel lists no new one",
    { isPermanent: true },
  );
}

/** Whether two URLs differ only in their signatures. */
function isSameSample(one: string, other: string): boolean {
  return one.split("?", 1)[0] === other.split("?", 1)[0];
}

function late(isUntried = false): MediaTrouble {
  return new MediaTrouble(
    "The media is being uploaded, which takes longer than this request can wait",
    { isUntried },
  );
}
