import type { Words } from "../../../_shared/http/api_words.ts";

const found = {
  type: "The kind of the record.",
  id: "The id of the record.",
  label:
    "A text of one line that a list can show for the record. A conversation has the label of its contact.",
  row: "The record.",
};

/** The texts about the search in the API's description. */
export const words = {
  operations: {
    search: {
      tag: "Search",
      summary: "Search contacts, deals and conversations",
      description:
        "Finds contacts, deals and conversations by words, the best match first. A conversation " +
        "is found by its contact. A record must have every word, in any order; accents and case " +
        "make no difference. First come records whose label equals the text, then records whose " +
        "label begins with the text. After them come records with a word in the label that begins " +
        "with the text. Records that match equally well come newest first.",
    },
  },
  schemas: {
    FoundContact: "A contact that matches a search.",
    FoundDeal: "A deal that matches a search.",
    FoundConversation: "A conversation whose contact matches a search.",
  },
  fields: {
    FoundContact: found,
    FoundDeal: found,
    FoundConversation: found,
  },
} satisfies Words;
