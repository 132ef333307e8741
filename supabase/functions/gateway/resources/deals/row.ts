import * as z from "zod/mini";
import { table } from "../../../_shared/database/table.ts";
import {
  Id,
  Money,
  readOnly,
  RequiredShortText,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
} from "../../../_shared/http/fields.ts";

/** A deal (specification, 2.2). */
export const Deal = z.object({
  ...ROW_IDS,
  external_id: z.nullable(RequiredShortText),
  title: RequiredShortText,
  value: z.nullable(Money),
  status: z.enum(["open", "won", "lost"]),
  contact_id: Id,
  stage_id: Id,
  won_at: readOnly(z.nullable(Timestamp)),
  lost_at: readOnly(z.nullable(Timestamp)),
  stage_changed_at: readOnly(Timestamp),
  archived_at: readOnly(z.nullable(Timestamp)),
  ...ROW_CHANGE,
}).register(z.globalRegistry, { id: "Deal" });

export type Deal = z.output<typeof Deal>;

export const DEALS = table("deals", Deal, "own_deals", "own_plain_deals");
