import * as z from "zod/mini";
import { withinBudget } from "../../../_shared/database/company_db.ts";
import { readRows } from "../../../_shared/database/page_budget.ts";
import type { Json } from "../../../_shared/database/types.ts";
import { lazily } from "../../../_shared/lazily.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { Archived } from "../../records/archived.ts";
import { searchedWords, WORDS } from "../../records/filters.ts";
import { limitUpTo } from "../../records/list_parameters.ts";
import { PageSize } from "../../records/page_size.ts";
import { pastedPhone } from "../../records/pasted_phone.ts";
import { rowsInTime } from "../../records/too_expensive.ts";
import { folded, patternOf, wordsOf } from "../../records/searched_words.ts";
import { Found } from "./row.ts";

const SearchQuery = lazily(() =>
  z.strictObject({
    q: z.string().check(z.refine((text) => searchedWords(text) !== null, WORDS.must)).register(
      z.globalRegistry,
      WORDS.schema,
    ),
    limit: limitUpTo(50, 20),
    archived: Archived,
  })
);

/**
 * Searches contacts, deals and the contacts' conversations for a search box. The best match comes
 * first.
 */
export const search = operation({
  id: "search",
  method: "GET",
  path: "/search",
  scope: "read",
  query: SearchQuery,
  answers: () => ({ 200: z.object({ data: z.array(Found) }) }),
  errors: ["query_too_expensive"],
}, async ({ caller, query: { q, limit, archived } }) => {
  const phone = pastedPhone(q);
  const patterns = (phone?.others ?? wordsOf(q)).map(patternOf);
  const asked = {
    patterns,
    text: folded(q).trim(),
    max_rows: limit,
    archived,
    ...(q.includes("@") && { email: q.trim() }),
    ...(phone && {
      phone_parts: phone.parts.map(patternOf),
      phone_patterns: phone.patterns,
      phone_keys: phone.keys,
    }),
  };
  const size = new PageSize(`${caller.holder} search`);
  // All rows are read, even large ones, because a search has no next page.
  const read = async () =>
    await withinBudget(caller.reader.rpc("search_records", asked, { get: true }), limit);
  const answer = await size.read(limit, caller, read);
  const records: Json[] = rowsInTime(answer, "search for longer words, or for more words");
  size.note(records.length, readRows(answer).bytes);
  return reply(200, { data: records as z.output<typeof Found>[] });
});
