import { choice, searchedText, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { oneOf, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byText, byTime, newestFirst } from "../../records/sorting.ts";
import { Member, MEMBERS } from "./row.ts";

const MEMBER = resource({
  table: MEMBERS,
  name: "Member",
  filters: {
    id: choice("id", UUID),
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
  order: newestFirst(),
});

/** See the specification, 4.11 and 4.13. */
export const members = [
  listOperation({ id: "listMembers", path: "/members", resource: MEMBER }),

  readOperation({ id: "getMember", path: "/members/:id", resource: MEMBER }),
];
