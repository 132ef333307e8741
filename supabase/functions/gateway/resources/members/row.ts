import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { table } from "../../../_shared/database/table.ts";
import { RequiredShortText, ROW_CHANGE, ROW_IDS } from "../../../_shared/http/fields.ts";

export const ROLES = ["owner", "admin", "agent"] as const;

/**
 * A member of the company, without an email address. Conversations can be assigned to a member.
 */
export const Member = lazily(() =>
  z.object({
    ...ROW_IDS,
    name: z.nullable(RequiredShortText),
    role: z.enum(ROLES),
    ...ROW_CHANGE,
  }).register(z.globalRegistry, { id: "Member" })
);

export const MEMBERS = table("company_members", Member, "own_members", "own_plain_members");
