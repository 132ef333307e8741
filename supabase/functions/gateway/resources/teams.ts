import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { page } from "../../_shared/http/answers.ts";
import { requiredText, ROW, ROW_TIMES } from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { newestFirst, paging, readPage } from "../../_shared/http/pagination.ts";

/** A team, to which conversations are assigned. */
export const Team = z.object({ ...ROW, name: requiredText(255), ...ROW_TIMES }).meta({
  id: "Team",
});
type Team = z.output<typeof Team>;

const TEAMS = table("teams", Team);
const ORDER = newestFirst(TEAMS);

export const teams = [
  operation({
    id: "listTeams",
    method: "GET",
    path: "/teams",
    scope: "read",
    query: paging(ORDER),
    answers: { 200: page(Team) },
  }, async ({ caller, query }) => {
    const select = caller.db.from("teams").select<string, Team>(TEAMS.columns);
    return reply(200, await readPage(caller, select, ORDER, query));
  }),
];
