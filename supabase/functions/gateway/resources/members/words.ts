import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Member } from "./row.ts";

/** The descriptions of members in the OpenAPI document. */
export const words = {
  operations: {
    listMembers: {
      tag: "People",
      summary: "List members",
      description: "Lists your company's members, newest first unless `sort` says otherwise. A " +
        "conversation's `assigned_to` is a member's id.",
    },
    getMember: {
      tag: "People",
      summary: "Get a member",
      description: "Returns one of your company's members, without an email address.",
    },
  },
  schemas: {
    Member: "A person who works in your company.",
  },
  fields: {
    Member: {
      ...ROW,
      id: "The person's id.",
      name: "The person's name. `null` until a name is set.",
      role: "The person's role in the company.",
    } satisfies FieldsOf<typeof Member>,
  },
} satisfies Words;
