import type { Sql } from "../local/postgres/database.ts";
import { SANDBOX_TOKEN } from "../local/sandbox/rules.ts";
import {
  readCredentialsKey,
  sealToken,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
import { writeDataset } from "./dataset.ts";

/** The company that is measured: the one with a tenth of all contacts. */
export interface MeasuredCompany {
  apiKey: string;
  contacts: number;
  pipelineId: string;
  stages: number;
  /** Some of its contacts and deals, which requests change in turn. */
  contactTargets: { id: string; phone: string }[];
  dealTargets: { id: string }[];
}

/** More than the clients change at the same time. */
const TARGETS = 1000;

/**
 * Fills a database that has no rows, and leaves it as it is after long use.
 * @param rows the number of contacts.
 * @param progress is called with a sentence for each table.
 */
export async function fillDatabase(
  owner: Sql,
  rows: number,
  credentialsKey: string,
  progress: (step: string) => void,
): Promise<MeasuredCompany> {
  const token = await sealToken(SANDBOX_TOKEN, readCredentialsKey(credentialsKey));
  for await (const { table, count } of writeDataset(owner, rows, token)) {
    progress(`${count.toLocaleString("en")} rows in ${table}`);
  }
  const keys = await owner.begin(async (sql) => {
    await sql`set local role service_role`;
    return await sql`
      select id, (create_api_key('bench', array['read', 'write', 'messaging'], null, id)).api_key
      from companies order by name = 'Company 0' desc
    `;
  });
  // Hint bits, visibility and statistics as in a database that has been in use for long.
  await owner`vacuum analyze companies, stages, contacts, deals, conversations`;
  const [{ id, api_key: apiKey }] = keys;
  const [{ contacts }] = await owner`
    select count(*)::integer as contacts from contacts where company_id = ${id}
  `;
  const contactTargets = await owner<{ id: string; phone: string }[]>`
    select id, phone from contacts where company_id = ${id} order by id limit ${TARGETS}
  `;
  const stages = await owner`select pipeline_id from stages where company_id = ${id}`;
  const dealTargets = await owner<{ id: string }[]>`
    select id from deals where company_id = ${id} order by id limit ${TARGETS}
  `;
  return {
    apiKey,
    contacts,
    pipelineId: stages[0].pipeline_id,
    stages: stages.length,
    contactTargets: [...contactTargets],
    dealTargets: [...dealTargets],
  };
}
