import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "../local/postgres/database.ts";
import { SANDBOX_TOKEN } from "../local/sandbox/rules.ts";
import {
  readCredentialsKey,
  sealToken,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
import {
  COMPANIES,
  companyOf,
  contactOf,
  CONTACTS_PER_CONVERSATION,
  CONTACTS_PER_DEAL,
  idOf,
  LARGE,
  momentOf,
  phoneOf,
  pick,
} from "./contents.ts";

/** The company that is measured, and what of it requests are about. */
export interface MeasuredCompany {
  apiKey: string;
  contacts: number;
  pipelineId: string;
  stages: number;
  /** Some of its contacts and deals, to be changed in turn. */
  contactTargets: { id: string; phone: string }[];
  dealTargets: { id: string }[];
}

interface Stage {
  id: string;
  company_id: string;
  pipeline_id: string;
}

/**
 * Writes the data set: companies, each with pipeline, stages, account and key, and their contacts, deals
 * and conversations. Only ids of stages and the keys differ from run to run.
 *
 * @param rows how many contacts there are.
 * @param progress is told a sentence when a table is written.
 */
export async function loadData(
  owner: Sql,
  rows: number,
  credentialsKey: string,
  progress: (step: string) => void,
) {
  await loadCompanies(owner, credentialsKey);
  const stages = await stagesByCompany(owner);
  for (const table of [contacts(rows), deals(rows, stages), conversations(rows)]) {
    const began = performance.now();
    const copy = await owner.unsafe(`copy ${table.name} (${table.columns}) from stdin`).writable();
    await pipeline(Readable.from(inPieces(table)), copy);
    const seconds = (performance.now() - began) / 1000;
    progress(
      `${table.count.toLocaleString("en")} rows in ${table.name}, ${seconds.toFixed(1)} s`,
    );
  }
  // Hint bits, visibility and statistics as a database has them that is in use for long.
  for (const table of ["companies", "stages", "contacts", "deals", "conversations"]) {
    await owner.unsafe(`vacuum analyze ${table}`);
  }
}

async function loadCompanies(owner: Sql, credentialsKey: string) {
  const numbers = Array.from({ length: COMPANIES }, (_, index) => index);
  const token = await sealToken(SANDBOX_TOKEN, readCredentialsKey(credentialsKey));
  await owner`
    insert into companies ${
    owner(numbers.map((index) => ({ id: idOf("company", index), name: `Company ${index}` })))
  }
  `;
  await owner`
    insert into messaging_accounts ${
    owner(numbers.map((index) => ({
      id: idOf("account", index),
      company_id: idOf("company", index),
      phone_number_id: String(100_000_000_000 + index),
      display_phone: `+1555010${String(index).padStart(4, "0")}`,
      encrypted_token: token,
    })))
  }
  `;
  await owner.begin(async (sql) => {
    await sql`set local role service_role`;
    await sql`
      select create_api_key('bench', array['read', 'write', 'messaging'], null, id) from companies
    `;
  });
}

async function stagesByCompany(owner: Sql): Promise<Map<string, Stage[]>> {
  const stages = await owner<Stage[]>`
    select id, company_id, pipeline_id from stages order by company_id, position
  `;
  return Map.groupBy(stages, ({ company_id }) => company_id);
}

interface Table {
  name: string;
  columns: string;
  count: number;
  /** The values of a row, in the order of the columns. */
  row(index: number): (string | number)[];
}

const FIRST_NAMES = ["Ana", "Bruno", "Carla", "Diego", "Elisa", "Fabio", "Gabriela", "Hugo"];
const LAST_NAMES = ["Silva", "Souza", "Oliveira", "Lima", "Costa", "Pereira", "Almeida", "Rocha"];
const TAGS = ["{}", "{vip}", "{lead}", "{lead,newsletter}", "{vip,partner,north}"];

function contacts(rows: number): Table {
  return {
    name: "contacts",
    columns: "id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, " +
      "custom_fields, created_at, updated_at",
    count: rows,
    row(index) {
      const [first, last] = [pick(FIRST_NAMES, index, 71), pick(LAST_NAMES, index, 72)];
      const moment = momentOf(index / rows);
      return [
        idOf("contact", index),
        idOf("company", companyOf(index)),
        `${first} ${last}`,
        `${first}.${last}.${index}@example.com`.toLowerCase(),
        phoneOf(index),
        pick(["cold", "warm", "hot"], index, 73),
        pick(TAGS, index, 74),
        pick(["api", "site", "event"], index, 75),
        pick(["Buyer", "Engineer", "Director", "\\N"], index, 76),
        pick(["Acme", "Globex", "Initech", "\\N"], index, 77),
        JSON.stringify({ plan: pick(["free", "pro"], index, 78), seats: index % 40 }),
        moment,
        moment,
      ];
    },
  };
}

function deals(rows: number, stages: Map<string, Stage[]>): Table {
  const count = Math.floor(rows / CONTACTS_PER_DEAL);
  return {
    name: "deals",
    columns: "id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at",
    count,
    row(index) {
      const contact = contactOf(index, CONTACTS_PER_DEAL);
      const companyId = idOf("company", companyOf(contact));
      const moment = momentOf(index / count);
      return [
        idOf("deal", index),
        companyId,
        `Deal ${index}`,
        (index % 90_000) + 0.5,
        pick(["open", "open", "won", "lost"], index, 81),
        idOf("contact", contact),
        pick(stages.get(companyId)!, index, 82).id,
        moment,
        moment,
      ];
    },
  };
}

function conversations(rows: number): Table {
  const count = Math.floor(rows / CONTACTS_PER_CONVERSATION);
  return {
    name: "conversations",
    columns: "id, company_id, contact_id, messaging_account_id, status, last_message_at, " +
      "window_expires_at, created_at, updated_at",
    count,
    row(index) {
      const contact = contactOf(index, CONTACTS_PER_CONVERSATION);
      const company = companyOf(contact);
      const moment = momentOf(index / count);
      return [
        idOf("conversation", index),
        idOf("company", company),
        idOf("contact", contact),
        idOf("account", company),
        pick(["open", "pending", "closed"], index, 91),
        moment,
        moment,
        moment,
        moment,
      ];
    },
  };
}

const ROWS_IN_A_PIECE = 500;

/** The text format of COPY. Nothing here holds what it would have to escape. */
function* inPieces({ count, row }: Table): Generator<string> {
  for (let start = 0; start < count; start += ROWS_IN_A_PIECE) {
    let piece = "";
    for (let index = start; index < Math.min(start + ROWS_IN_A_PIECE, count); index++) {
      piece += row(index).join("\t") + "\n";
    }
    yield piece;
  }
}

/** How many contacts and deals are changed in turn: more than are changed at the same time. */
const TARGETS = 1000;

/** What the requests are about: the company that has a tenth of everything. */
export async function measuredCompany(owner: Sql): Promise<MeasuredCompany> {
  const id = idOf("company", LARGE);
  const [{ api_key: apiKey }] = await owner.begin(async (sql) => {
    await sql`set local role service_role`;
    return await sql`
      select api_key
      from create_api_key('measured', array['read', 'write', 'messaging'], null, ${id})
    `;
  });
  const [{ contacts }] = await owner`
    select count(*)::integer as contacts from contacts where company_id = ${id}
  `;
  const stages = await owner<Stage[]>`select pipeline_id from stages where company_id = ${id}`;
  return {
    apiKey,
    contacts,
    pipelineId: stages[0].pipeline_id,
    stages: stages.length,
    contactTargets: [
      ...await owner<{ id: string; phone: string }[]>`
        select id, phone from contacts where company_id = ${id} order by id limit ${TARGETS}
      `,
    ],
    dealTargets: [
      ...await owner<{ id: string }[]>`
        select id from deals where company_id = ${id} order by id limit ${TARGETS}
      `,
    ],
  };
}
