import { isAboutAccount } from "../../_shared/channel/outcome.ts";
import { UnusableToken } from "../../_shared/credentials/account_token.ts";
import { urgent } from "../../_shared/database/company_db.ts";
import { rows } from "../../_shared/database/rows.ts";
import type { Json } from "../../_shared/database/types.ts";
import { ApiError } from "../../_shared/errors.ts";
import {
  arriving,
  declaredLength,
  type FileLimit,
  namedType,
  tooLarge,
  withBeginning,
  wrongFile,
} from "../../_shared/http/file_body.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { takeLine } from "../../_shared/line_limit.ts";
import { logEvent, logFrequentFailure, type Origin } from "../../_shared/log.ts";
import type { Access } from "../../_shared/sending/claim.ts";
import { withToken } from "../../_shared/sending/readable_token.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { notedRefusal } from "../../_shared/sending/refusal.ts";
import { noAccount } from "../../_shared/sending/no_account.ts";
import { givenFileName } from "../../_shared/templates/file_name.ts";
import { MediaTrouble } from "../../_shared/templates/media_trouble.ts";
import { ACCEPTED_TYPES, formatOfType } from "../../_shared/templates/media_types.ts";
import { uploadFile } from "../../_shared/templates/media_upload.ts";
import { acceptedType, BEGINNING_BYTES, typeByBytes } from "./file_type.ts";
import type { MediaUpload } from "./media_answers.ts";

/** How long an upload may take. */
export interface UploadTimes {
  /** A file that takes longer than this to arrive is refused. */
  fileMs: number;
  /** The total time for the file to arrive and the channel to respond. */
  allMs: number;
}

/** The result of `account_for_upload()`. */
type UploadAccount =
  | ({ result: "account" } & Access)
  | {
    result: "no_account";
    company_id: string;
    connected: { phone_number_id: string; display_phone: string }[];
  };

/** The parameters of an upload. */
interface Asked {
  phone_number_id?: string;
  filename?: string;
}

/**
 * Uploads a file to the channel for one phone number while the file arrives, and then stores the
 * file's metadata. The type is determined from the first bytes. A repeat creates another upload,
 * which does no harm.
 *
 * @throws ApiError for every error that the operation declares.
 */
export async function uploadMedia(
  caller: Caller,
  config: SendingConfig & { uploadTimes: UploadTimes },
  request: Request,
  asked: Asked,
  origin: Origin,
): Promise<MediaUpload> {
  const began = performance.now();
  const named = acceptedType(namedType(request.headers));
  const limit: FileLimit = { type: named, maxBytes: ACCEPTED_TYPES[named] };
  const length = declaredLength(request.headers, limit);
  const account = rows(
    await caller.db.rpc("account_for_upload", { phone_number_id: asked.phone_number_id }),
  ) as unknown as UploadAccount; // the jsonb from account_for_upload()
  caller.wasJudged(account.company_id);
  if (account.result === "no_account") throw noAccount(account.connected, asked.phone_number_id);

  const pieces = arriving(request, config.uploadTimes.fileMs);
  const { beginning, bytes } = await withBeginning(pieces, BEGINNING_BYTES);
  try {
    if (beginning.length === 0) throw wrongFile(`is ${named}, but the file is empty`);
    const type = typeByBytes(named, beginning);
    const format = formatOfType(named);
    const filename = format === "DOCUMENT" || asked.filename
      ? givenFileName(format, named, asked.filename ?? "")
      : null;
    const counted = await countedAndHashed(bytes, limit);
    const mediaId = await handOn(caller, config, account, {
      type,
      filename: filename ?? givenFileName(format, named, ""),
      length,
      bytes: counted.bytes,
    }, origin);
    const upload = {
      ...{ media_id: mediaId, type: format.toLowerCase(), mime_type: type },
      ...counted.facts(),
      filename,
    };
    // The channel has the file, so its row must be stored even if the company's queue is full.
    const statement = caller.db.rpc("add_media_upload", {
      account_id: account.account_id,
      upload: upload as Json,
    });
    const stored = rows(await urgent(statement)) as unknown as MediaUpload; // the jsonb from add_media_upload()
    const line = takeLine("media_upload");
    if (line) {
      logEvent(origin, "media_upload", {
        company_id: account.company_id,
        account_id: account.account_id,
        media_upload_id: stored.id,
        bytes: stored.bytes,
        ms: Math.round(performance.now() - began),
        ...line,
      });
    }
    return stored;
  } finally {
    await bytes.return(undefined).catch(() => {});
  }
}

/** Counts and hashes the bytes as they pass. WebCrypto cannot hash a stream. */
async function countedAndHashed(bytes: AsyncGenerator<Uint8Array>, limit: FileLimit) {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  let count = 0;
  const passing = async function* () {
    for await (const piece of bytes) {
      count += piece.length;
      if (count > limit.maxBytes) throw tooLarge(limit);
      hash.update(piece);
      yield piece;
    }
  };
  return { bytes: passing(), facts: () => ({ bytes: count, sha256: hash.digest("hex") }) };
}

/** Uploads the file with the account's token, and returns the channel's media id. */
async function handOn(
  { db }: Caller,
  config: SendingConfig & { uploadTimes: UploadTimes },
  account: Access,
  file: Parameters<typeof uploadFile>[2],
  origin: Origin,
): Promise<string> {
  const { account_id, phone_number_id: phoneNumberId } = account;
  const signal = AbortSignal.timeout(config.uploadTimes.allMs);
  try {
    return await withToken(
      config,
      account,
      origin,
      (token) => uploadFile(config.whatsapp, { token, phoneNumberId }, file, signal),
    );
  } catch (error) {
    if (error instanceof UnusableToken) {
      throw await notedRefusal(db, account, { stopsSend: false }, origin);
    }
    if (!(error instanceof MediaTrouble)) throw error;
    logFrequentFailure(origin, "media_upload", error, { account_id }, "media_upload failure");
    if (error.channel && isAboutAccount(error.channel)) {
      throw await notedRefusal(db, account, { code: error.channel.code, stopsSend: false }, origin);
    }
    throw errorOfTrouble(error);
  }
}

/** The error for an upload that the channel did not accept. */
function errorOfTrouble({ channel, retryAfter }: MediaTrouble): ApiError {
  if (!channel) {
    return new ApiError(
      "channel_unavailable",
      "The messaging channel did not accept the file. Nothing was stored; repeat the request later",
      {
        body: { outcome: "not_sent" },
        headers: retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) },
      },
    );
  }
  const { code, message, details } = channel;
  return new ApiError(
    "media_rejected",
    "The messaging channel rejected the file; the field channel has the reason",
    { body: { channel: { code, message, ...(details && { details }) } } },
  );
}
