import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { RequiredShortText, ROW_IDS, ROW_TIMES } from "../../_shared/http/fields.ts";
import { listOperation } from "../../_shared/http/list_operation.ts";
import { newestFirst } from "../../_shared/http/pagination.ts";
import { readOperation } from "../../_shared/http/read_operation.ts";

/** A team of the company; conversations are assigned to it. Specification, 4.11. */
export const Team = z.object({ ...ROW_IDS, name: RequiredShortText, ...ROW_TIMES }).meta({
  id: "Team",
});

const TEAMS = table("teams", Team);

/** Specification, 4.11 and 4.13. */
export const teams = [
  listOperation({ id: "listTeams", path: "/teams", order: newestFirst(TEAMS) }),

  readOperation({ id: "getTeam", path: "/teams/:id", table: TEAMS, name: "Team" }),
];
