import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Team } from "./row.ts";

/** The texts about teams in the API's description. */
export const words = {
  operations: {
    listTeams: {
      tag: "People",
      summary: "List teams",
      description:
        "Lists the teams of your company, newest first unless `sort` says otherwise. The " +
        "`team_id` of a conversation is the id of a team.",
    },
    getTeam: {
      tag: "People",
      summary: "Get a team",
      description: "Returns one team of your company.",
    },
  },
  schemas: {
    Team: "A team of your company.",
  },
  fields: {
    Team: {
      ...ROW,
      name: "The name of the team.",
    } satisfies FieldsOf<typeof Team>,
  },
} satisfies Words;
