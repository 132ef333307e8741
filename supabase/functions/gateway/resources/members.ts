import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { RequiredShortText, ROW_CHANGE, ROW_IDS } from "../../_shared/http/fields.ts";
import { choice, searchedText, time } from "../records/filters.ts";
import { listOperation } from "../records/list_operation.ts";
import { oneOf, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byText, byTime, newestFirst } from "../records/sorting.ts";

/** A member of the company, to whom conversations are assigned. Email addresses are not shown. */
export const Member = z.object({
  ...ROW_IDS,
  name: RequiredShortText.nullable(),
  role: z.enum(["owner", "admin", "agent"]),
  ...ROW_CHANGE,
}).meta({ id: "Member" });

const MEMBERS = table("company_members", Member, "own_members", { id: "user_id" });

const MEMBER = resource({
  table: MEMBERS,
  name: "Member",
  filters: {
    id: choice("user_id", UUID),
    name: searchedText("name", "name_words"),
    role: choice("role", oneOf(Member.shape.role.options)),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: {
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
    name: byText("name_sort"),
  },
  order: newestFirst("user_id"),
});

/** Specification, 4.11 and 4.13. */
export const members = [
  listOperation({ id: "listMembers", path: "/members", resource: MEMBER }),

  readOperation({ id: "getMember", path: "/members/:id", resource: MEMBER }),
];
