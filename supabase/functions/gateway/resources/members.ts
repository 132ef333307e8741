import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { RequiredShortText, ROW_IDS, ROW_TIMES } from "../../_shared/http/fields.ts";
import { listOperation } from "../../_shared/http/list_operation.ts";
import { newestFirst } from "../../_shared/http/pagination.ts";
import { readOperation } from "../../_shared/http/read_operation.ts";

/** A member of the company, to whom conversations are assigned. Email addresses are not shown. */
export const Member = z.object({
  ...ROW_IDS,
  name: RequiredShortText.nullable(),
  role: z.enum(["owner", "admin", "agent"]),
  ...ROW_TIMES,
}).meta({ id: "Member" });

const MEMBERS = table("company_members", Member, { id: "user_id" });

/** Specification, 4.11 and 4.13. */
export const members = [
  listOperation({ id: "listMembers", path: "/members", order: newestFirst(MEMBERS) }),

  readOperation({ id: "getMember", path: "/members/:id", table: MEMBERS, name: "Member" }),
];
