// The settings page is a set of static files. Anyone with the publishable key can send the page's
// requests to the Data API directly. So the tests send each forbidden request with the credentials
// of callers who are not allowed to make it.

import assert from "node:assert/strict";
import type { Answer } from "../support/calls.ts";
import { addSentMessage, newCompany, newMember } from "../support/company.ts";
import { addKeyUsage, keyIds } from "../support/key_usage.ts";
import { keyToken, personToken, readerToken, rest, token } from "../support/rest.ts";
import { snapshot } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";

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
    const [[event], [error], [invitation], [session]] = await Promise.all([
      sql`select id from company_events where company_id = ${own.id} limit 1`,
      sql`select id from api_key_errors where company_id = ${own.id} limit 1`,
      sql`select id from company_invitations where company_id = ${own.id}`,
      sql`
        insert into auth.sessions (id, user_id, created_at, updated_at)
        values (gen_random_uuid(), ${own.member_id}, now(), now()) returning id
      `,
    ]);
    const { read: key } = await keyIds(sql, own);
    const [{ id: presented }] = await sql`
      select id from api_keys where company_id = ${own.id} and cardinality(scopes) = 4
    `;
    const webhook = await addWebhook(sql, own);
    return {
      ...people,
      ids: {
        webhook,
        ...{ key, presented, event: event.id as string, error: error.id as string },
        ...{ invitation: invitation.id as string, session: session.id as string },
      },
    };
  })
);
export const owner = own.member_id;
export const { agent, ids } = people;
const colleagues = [agent, people.admin, people.former];

/**
 * The credentials of callers who do not manage the company's keys. A session can outlast its user's
 * membership.
 */
export const OUTSIDERS: Record<string, string | null> = {
  "the owner of another company": await personToken(other.member_id),
  "an agent": await personToken(agent),
  "a former owner": await personToken(people.former),
  "a session without a person": await token({ role: "authenticated" }),
  "the publishable key alone": null,
  "an API key, to read": await keyToken(own.keys.all, "read"),
  "an API key, to write": await keyToken(own.keys.all, "write"),
  "an API key, in the role api_reader": await readerToken(own.keys.all),
};
/** The callers with a role that can read the tables of the settings page. */
export const PEOPLE = [
  "the owner of another company",
  "an agent",
  "a former owner",
  "a session without a person",
];
export const MANAGERS = {
  "an owner": await personToken(owner),
  "an admin": await personToken(people.admin),
};

/** All rows of both companies before the attacks. The attacks must not change these rows. */
const before = { own: await everything(own.id), other: await everything(other.id) };

async function everything(company_id: string) {
  return await snapshot(company_id, { withUsage: true });
}

/**
 * Values that no one outside the company may see: digests of keys, and the ids that the settings
 * page shows.
 */
const SECRETS = new Set(
  JSON.stringify(
    ["api_keys", "company_events", "api_key_errors", "api_key_usage"].map((table) =>
      before.own[table]
    ),
  ).match(/[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)!
    // An API key may see its own id. A user may see the ids of their company, account and
    // colleagues.
    .filter((secret) =>
      ![own.id, own.account_id, owner, ids.presented, ...colleagues].includes(secret)
    ),
);
const DIGESTS = [...SECRETS].filter((secret) => secret.length === 64);

/** A request to the Data API. */
interface Attempt {
  method?: string;
  path: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/**
 * Sends a request, and asserts that the response contains no secret value that the request itself
 * did not contain.
 */
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

/** The status of a response and its error code. */
export const outcome = ({ status, body }: Answer) => `${status} ${body?.code ?? ""}`.trim();

/** Defines a test that must leave every row of both companies unchanged. */
export function test(fact: string, work: () => Promise<void>) {
  Deno.test(fact, async () => {
    await work();
    assert.deepEqual(await everything(own.id), before.own);
    assert.deepEqual(await everything(other.id), before.other);
  });
}
