import * as z from "zod/mini";
import { rows } from "../../_shared/database/rows.ts";
import { ApiError, tooManyOfAll } from "../../_shared/errors.ts";
import { FairShare, type Share } from "../../_shared/fair_share.ts";
import { IdParams, PhoneNumberId, verbatim } from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { ACCEPTED_TYPES } from "../../_shared/templates/media_types.ts";
import { OTHER_NAMES } from "./file_type.ts";
import { MediaUpload } from "./media_answers.ts";
import { uploadMedia, type UploadTimes } from "./upload_media.ts";

/** The settings for uploads. */
export interface UploadConfig extends SendingConfig {
  uploadTimes: UploadTimes;
  /**
   * How many uploads an instance forwards to the channel at the same time: for one company, and for
   * all companies.
   */
  uploadShare: Share & { inAll: number };
}

const UploadParameters = z.strictObject({
  phone_number_id: z.optional(PhoneNumberId),
  filename: z.optional(verbatim(240)),
});

/** The maximum number of bytes for each content type that a request may have. */
const FILES = {
  ...ACCEPTED_TYPES,
  ...Object.fromEntries(
    Object.entries(OTHER_NAMES).map(([name, type]) => [name, ACCEPTED_TYPES[type]]),
  ),
};

/** The operations for uploading media that a company sends. */
export function mediaOperations(config: UploadConfig) {
  const { inAll, ...share } = config.uploadShare;
  const ofCompany = new FairShare(share);
  const ofAll = new FairShare({ ...share, atOnce: inAll }, tooManyOfAll);
  const data = z.object({ data: MediaUpload });
  return [
    operation({
      id: "uploadMedia",
      method: "POST",
      path: "/media",
      scope: "messaging",
      query: UploadParameters,
      file: FILES,
      answers: () => ({ 201: data }),
      errors: [
        "account_not_connected",
        "phone_number_id_required",
        "media_rejected",
        "channel_account_error",
        "channel_unavailable",
      ],
    }, async ({ caller, query, file, origin }) => {
      const upload = () => uploadMedia(caller, config, file, query, origin);
      // Callers without a valid key must use no part of the share of all companies.
      await caller.judgeUnlessKnown();
      const stored = await ofCompany.run(caller.holder, () => ofAll.run("all", upload));
      return reply(201, { data: stored });
    }),
    operation({
      id: "getMediaUpload",
      method: "GET",
      path: "/media/:id",
      scope: "messaging",
      params: IdParams,
      answers: () => ({ 200: data }),
      errors: ["not_found"],
    }, async ({ caller, params }) => {
      const found = rows(
        await caller.db.rpc("media_upload", { id: params.id }),
      ) as unknown as { company_id: string; data: MediaUpload | null };
      caller.wasJudged(found.company_id);
      if (!found.data) {
        throw new ApiError(
          "not_found",
          "Upload not found: it has expired, or your company has none",
        );
      }
      return reply(200, { data: found.data });
    }),
  ];
}
