import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Member } from "./row.ts";

/** The texts about members in the API's description. */
export const words = {
  operations: {
    listMembers: {
      tag: "People",
      summary: "List members",
      description:
        "Lists the members of your company, newest first unless `sort` says otherwise. The " +
        "`assigned_to` of a conversation is the id of a member.",
    },
    getMember: {
      tag: "People",
      summary: "Get a member",
      description: "Returns one member of your company, without the member's email address.",
    },
  },
  schemas: {
    Member: "A person who works in your company.",
  },
  fields: {
    Member: {
      ...ROW,
      id: "The id of the person.",
      name: "The person's name; `null` until one is set.",
      role: "The person's role in the company.",
    } satisfies FieldsOf<typeof Member>,
  },
} satisfies Words;
