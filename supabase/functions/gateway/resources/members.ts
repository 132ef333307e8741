import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { page } from "../../_shared/http/answers.ts";
import { requiredText, ROW, ROW_TIMES } from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { newestFirst, paging, readPage } from "../../_shared/http/pagination.ts";

/** A person who works in the company, to whom conversations are assigned. Never with an e-mail address. */
export const Member = z.object({
  ...ROW,
  name: requiredText(255).nullable(),
  role: z.enum(["owner", "admin", "agent"]),
  ...ROW_TIMES,
}).meta({ id: "Member" });
type Member = z.output<typeof Member>;

const MEMBERS = table("company_members", Member, { id: "user_id" });
const ORDER = newestFirst(MEMBERS);

export const members = [
  operation({
    id: "listMembers",
    method: "GET",
    path: "/members",
    scope: "read",
    query: paging(ORDER),
    answers: { 200: page(Member) },
  }, async ({ caller, query }) => {
    const select = caller.db.from("company_members").select<string, Member>(MEMBERS.columns);
    return reply(200, await readPage(caller, select, ORDER, query));
  }),
];
