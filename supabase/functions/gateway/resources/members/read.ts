import { rows } from "../../../_shared/database/rows.ts";
import { invalidRequest } from "../../../_shared/errors.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { type Condition, isAnyOf, testsOf } from "../../records/conditions.ts";
import { choice, literal, searchedText, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { oneOf, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byText, byTime, newestFirst } from "../../records/sorting.ts";
import { MEMBERS, ROLES } from "./row.ts";

const MEMBER = resource({
  table: MEMBERS,
  name: "Member",
  filters: {
    id: choice("id", UUID),
    name: searchedText("name", "name_words"),
    email: literal("email", 320),
    role: choice("role", oneOf(ROLES)),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: {
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
    name: byText("name_sort"),
  },
  order: newestFirst(),
});

/** See the specification, 4.11 and 4.13. */
export const members = [
  listOperation({ id: "listMembers", path: "/members", resource: MEMBER, resolve: byEmail }),

  readOperation({ id: "getMember", path: "/members/:id", resource: MEMBER }),
];

/**
 * Finds members by their email address. No view contains members' email addresses, and a company
 * must allow this search.
 */
async function byEmail({ db }: Caller, conditions: Condition[]): Promise<Condition[]> {
  const isOfEmail = (each: Condition) => testsOf(each)[0].column === "email";
  const asked = conditions.find(isOfEmail);
  if (!asked) return conditions;
  const [{ operand: email }] = testsOf(asked);
  // A POST, because in a GET, PostgREST parses the beginning of `in.fo@example.com` as an operator.
  const ids: string[] | null = rows(await db.rpc("member_ids_by_email", { email }));
  if (ids) return [...conditions.filter((each) => each !== asked), ...isAnyOf("id", ids)];
  const message =
    "is not allowed as a filter in your company; an owner or admin can allow this filter";
  throw invalidRequest([{ field: "email", message }]);
}
