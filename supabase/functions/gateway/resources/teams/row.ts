import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { RequiredShortText, ROW_CHANGE, ROW_IDS } from "../../../_shared/http/fields.ts";

/** A team of the company. Conversations can be assigned to a team (specification, 4.11). */
export const Team = lazily(() =>
  z.object({ ...ROW_IDS, name: RequiredShortText, ...ROW_CHANGE }).register(
    z.globalRegistry,
    {
      id: "Team",
    },
  )
);
