import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { table } from "../../../_shared/database/table.ts";
import {
  Id,
  MaybeTime,
  Money,
  readOnly,
  RequiredShortText,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
} from "../../../_shared/http/fields.ts";

export const DEAL_STATUSES = ["open", "won", "lost"] as const;

/** A deal (specification, 2.2). */
export const Deal = lazily(() =>
  z.object({
    ...ROW_IDS,
    external_id: z.nullable(RequiredShortText),
    title: RequiredShortText,
    value: z.nullable(Money),
    status: z.enum(DEAL_STATUSES),
    contact_id: Id,
    stage_id: Id,
    won_at: MaybeTime,
    lost_at: MaybeTime,
    stage_changed_at: readOnly(Timestamp),
    archived_at: MaybeTime,
    ...ROW_CHANGE,
  }).register(z.globalRegistry, { id: "Deal" })
);

export type Deal = z.output<typeof Deal>;

export const DEALS = table("deals", Deal, "own_deals", "own_plain_deals");
