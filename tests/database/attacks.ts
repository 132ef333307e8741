// The settings page is files and no server: what it shows and does, anybody can ask of the Data API with the publishable
// key. So each thing that it must not show or do is asked for, by whoever may not have it.

import assert from "node:assert/strict";
import type { Answer } from "../support/calls.ts";
import { addSentMessage, newCompany, newMember } from "../support/company.ts";
import { addKeyUsage, keyIds } from "../support/key_usage.ts";
import { keyToken, personToken, readerToken, rest, token } from "../support/rest.ts";
import { snapshot } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";

/** The company that is attacked. */
export const own = await newCompany();
export const other = await newCompany();
const people = await withDatabase((sql) =>
  sql.begin(async (sql) => {
    for (const company of [own, other]) {
      await addKeyUsage(sql, company);
      await addSentMessage(sql, company);
    }
    const member = (role: "agent" | "admin" | "owner") => newMember(sql, own.id, role);
    const people = {
      agent: await member("agent"),
      admin: await member("admin"),
      former: await member("owner"),
    };
    await sql`delete from company_members where user_id = ${people.former}`;
    const [[event], [error]] = await Promise.all([
      sql`select id from api_key_events where company_id = ${own.id} limit 1`,
      sql`select id from api_key_errors where company_id = ${own.id} limit 1`,
    ]);
    const { read: key } = await keyIds(sql, own);
    const [{ id: presented }] = await sql`
      select id from api_keys where company_id = ${own.id} and cardinality(scopes) = 3
    `;
    return {
      ...people,
      ids: { key, presented, event: event.id as string, error: error.id as string },
    };
  })
);
export const owner = own.member_id;
export const { agent, ids } = people;

/** Whoever looks after no keys of the company, by what they present. A session ends later than a membership. */
export const OUTSIDERS: Record<string, string | null> = {
  "the owner of another company": await personToken(other.member_id),
  "an agent": await personToken(agent),
  "a former owner": await personToken(people.former),
  "a session of nobody": await token({ role: "authenticated" }),
  "the publishable key alone": null,
  "an API key, to read": await keyToken(own.keys.all, "read"),
  "an API key, to write": await keyToken(own.keys.all, "write"),
  "an API key, as the functions read": await readerToken(own.keys.all),
};
/** Those of them who act in a role that reads these tables at all. */
export const PEOPLE = [
  "the owner of another company",
  "an agent",
  "a former owner",
  "a session of nobody",
];
export const MANAGERS = {
  "an owner": await personToken(owner),
  "an admin": await personToken(people.admin),
};

/** What everything was before the attacks, and must be after them. */
const before = { own: await everything(own.id), other: await everything(other.id) };

async function everything(company_id: string) {
  return await snapshot(company_id, { withUsage: true });
}

/** What of the company nobody else may be shown: digests of keys, and the ids of what the page shows. */
const SECRETS = new Set(
  JSON.stringify(
    ["api_keys", "api_key_events", "api_key_errors", "api_key_usage"].map((table) =>
      before.own[table]
    ),
  ).match(/[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)!
    // Whoever has a key may know which one it is.
    .filter((secret) => ![own.id, owner, ids.presented].includes(secret)),
);
export const DIGESTS = [...SECRETS].filter((secret) => secret.length === 64);

/** A request to the Data API. */
export interface Attempt {
  method?: string;
  path: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** Makes an attempt, and asserts that the answer shows nothing but what the attempt itself said. */
export async function attempt(
  who: string,
  to: string | null,
  { method = "GET", ...asked }: Attempt,
) {
  const answer = await rest(to, method, asked.path, asked);
  const shown = JSON.stringify([answer.body, [...answer.headers]]);
  const hidden = who in MANAGERS ? DIGESTS : SECRETS;
  const said = JSON.stringify(asked);
  for (const secret of hidden) {
    assert.ok(!shown.includes(secret) || said.includes(secret), `${who}: ${said} shows ${secret}`);
  }
  return answer;
}

/** The status of an answer and the code of its error. */
export const outcome = ({ status, body }: Answer) => `${status} ${body?.code ?? ""}`.trim();

/** A test after which every row of both companies is as before. */
export function test(fact: string, work: () => Promise<void>) {
  Deno.test(fact, async () => {
    await work();
    assert.deepEqual(await everything(own.id), before.own);
    assert.deepEqual(await everything(other.id), before.other);
  });
}

/** The tables that only owners and admins read, with their readable columns and one row's condition. */
export const MANAGED: Record<string, { column: string; row: string }> = {
  api_keys: { column: "id", row: `id=eq.${ids.key}` },
  api_key_events: { column: "id", row: `id=eq.${ids.event}` },
  api_key_errors: { column: "id", row: `id=eq.${ids.error}` },
  api_key_usage: { column: "key_id", row: `key_id=eq.${ids.key}` },
};
