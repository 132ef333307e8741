import type { Words } from "../../../_shared/http/api_words.ts";

const found = {
  type: "The kind of record.",
  id: "The record's id.",
  label:
    "A one-line text that a list can show for the record. A conversation has its contact's label.",
  row: "The record.",
};

/** The descriptions of the search in the OpenAPI document. */
export const words = {
  operations: {
    search: {
      tag: "Search",
      summary: "Search contacts, deals and conversations",
      description:
        "Finds contacts, deals and conversations by words, the best match first. A conversation " +
        "is found by its contact. A record must contain every word, in any order. Accents and " +
        "case make no difference. Records whose label equals the search text come first. Then " +
        "come records whose label begins with the text, and then records with a label in which a " +
        "word begins with the text. Records that match equally well are sorted newest first. " +
        "If more than 100 contacts or deals match, the search ranks only some of them: the newest " +
        "100, 100 whose name or title begins with the text, the newest 100 whose name or title " +
        "has a word that begins with the text, and the newest 100 contacts whose `email` equals " +
        "the text. Each contact adds only its 3 newest conversations.",
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
