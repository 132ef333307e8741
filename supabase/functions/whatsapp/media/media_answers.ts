import * as z from "zod/mini";
import { Id, PhoneNumberId, Timestamp } from "../../_shared/http/fields.ts";

/** An uploaded file. Only the channel stores the bytes of the file. */
export const MediaUpload = z.object({
  id: Id,
  phone_number_id: PhoneNumberId,
  type: z.enum(["image", "video", "audio", "document"]),
  mime_type: z.string(),
  bytes: z.int(),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  filename: z.nullable(z.string()),
  created_at: Timestamp,
  expires_at: Timestamp,
}).register(z.globalRegistry, { id: "MediaUpload" });
export type MediaUpload = z.output<typeof MediaUpload>;
