import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import {
  MaybeTime,
  Position,
  RequiredShortText,
  ROW_CHANGE,
  ROW_IDS,
} from "../../../_shared/http/fields.ts";

/** A pipeline (specification, 2.4). */
export const Pipeline = lazily(() =>
  z.object({
    ...ROW_IDS,
    name: RequiredShortText,
    position: Position,
    is_default: z.boolean(),
    archived_at: MaybeTime,
    ...ROW_CHANGE,
  }).register(z.globalRegistry, { id: "Pipeline" })
);

export type Pipeline = z.output<typeof Pipeline>;
