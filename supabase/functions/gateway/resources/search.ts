import * as z from "zod";
import { withinBudget } from "../../_shared/database/company_db.ts";
import { readRows } from "../../_shared/database/page_budget.ts";
import type { Json } from "../../_shared/database/types.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { Id } from "../../_shared/http/fields.ts";
import { Archived } from "../records/archived.ts";
import { searchedWords, WORDS } from "../records/filters.ts";
import { limitUpTo } from "../records/list_parameters.ts";
import { PageSize } from "../records/page_size.ts";
import { rowsInTime } from "../records/too_expensive.ts";
import { folded, patternOf, wordsOf } from "../records/words.ts";
import { Contact } from "./contacts.ts";
import { Conversation } from "./conversations.ts";
import { Deal } from "./deals.ts";

/** A record that a search has found. */
function found<Type extends string, Row extends z.ZodObject>(type: Type, row: Row) {
  return z.object({ type: z.literal(type), id: Id, label: z.string(), row });
}

export const FoundContact = found("contact", Contact).meta({ id: "FoundContact" });
export const FoundDeal = found("deal", Deal).meta({ id: "FoundDeal" });
export const FoundConversation = found("conversation", Conversation)
  .meta({ id: "FoundConversation" });

const Found = z.union([FoundContact, FoundDeal, FoundConversation]);

const SearchQuery = z.strictObject({
  q: z.string()
    .refine((text) => searchedWords(text) !== null, WORDS.must)
    .meta(WORDS.schema),
  limit: limitUpTo(50, 20),
  archived: Archived,
});

/** For a search box: contacts, deals and the conversations of contacts at once, best first. */
export const search = operation({
  id: "search",
  method: "GET",
  path: "/search",
  scope: "read",
  query: SearchQuery,
  answers: { 200: z.object({ data: z.array(Found) }) },
  errors: ["query_too_expensive"],
}, async ({ caller, query: { q, limit, archived } }) => {
  const patterns = wordsOf(q).map(patternOf);
  const size = new PageSize(`${caller.holder} search`);
  // All of them, whatever they weigh: a search has no next page.
  const read = async () =>
    await withinBudget(
      caller.reader.rpc(
        "search_records",
        { patterns, text: folded(q).trim(), max_rows: limit, archived },
        { get: true },
      ),
      limit,
    );
  const answer = await size.read(limit, caller, read);
  const records: Json[] = rowsInTime(answer, "search for longer words, or for more of them");
  size.note(records.length, readRows(answer).bytes);
  return reply(200, { data: records as z.output<typeof Found>[] });
});
