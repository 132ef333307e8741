import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Team } from "./row.ts";

/** The descriptions of teams in the OpenAPI document. */
export const words = {
  operations: {
    listTeams: {
      tag: "People",
      summary: "List teams",
      description:
        "Lists your company's teams, newest first unless `sort` says otherwise. A conversation's " +
        "`team_id` is a team's id.",
    },
    getTeam: {
      tag: "People",
      summary: "Get a team",
      description: "Returns one of your company's teams.",
    },
  },
  schemas: {
    Team: "A team in your company.",
  },
  fields: {
    Team: {
      ...ROW,
      name: "The team's name.",
    } satisfies FieldsOf<typeof Team>,
  },
} satisfies Words;
