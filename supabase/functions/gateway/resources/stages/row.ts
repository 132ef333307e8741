import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { table } from "../../../_shared/database/table.ts";
import {
  Id,
  MaybeTime,
  Position,
  RequiredShortText,
  ROW_CHANGE,
  ROW_IDS,
} from "../../../_shared/http/fields.ts";

/** A stage of a pipeline (specification, 2.4). */
export const Stage = lazily(() =>
  z.object({
    ...ROW_IDS,
    pipeline_id: Id,
    name: RequiredShortText,
    position: Position,
    archived_at: MaybeTime,
    ...ROW_CHANGE,
  }).register(z.globalRegistry, { id: "Stage" })
);

export type Stage = z.output<typeof Stage>;

/** How stages are read from the database. */
export const STAGES = table("stages", Stage, "own_stages", "own_plain_stages");
