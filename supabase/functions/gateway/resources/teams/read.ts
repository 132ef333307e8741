import { table } from "../../../_shared/database/table.ts";
import { choice, searchedText, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byText, byTime, newestFirst } from "../../records/sorting.ts";
import { Team } from "./row.ts";

const TEAM = resource({
  table: table("teams", Team, "own_teams", "own_plain_teams"),
  name: "Team",
  filters: {
    id: choice("id", UUID),
    name: searchedText("name", "name_words"),
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
export const teams = [
  listOperation({ id: "listTeams", path: "/teams", resource: TEAM }),

  readOperation({ id: "getTeam", path: "/teams/:id", resource: TEAM }),
];
