import type { Sql } from "../../local/postgres/database.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import {
  sealToken,
  type TokenAccount,
} from "../../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";

export const COMPANIES = 200;
/** The number of templates of each company, each in two languages. */
const TEMPLATES = 50;
/** The approximate number of contacts with the rare tag, all in the first company. */
const RARE = 20;
export const RARE_TAG = "founder";
/** One contact in 56 has this name. */
export const NAME = "Bruno Silva";
/** The number of rows that requests change in turn. It is larger than the number of clients. */
const TARGETS = 1000;

/** The measured company, which has a tenth of all contacts. */
export type MeasuredCompany = Awaited<ReturnType<typeof fillDatabase>>;

/**
 * Fills a database that has no rows, so that it resembles a database that has been in use for a
 * long time.
 * @param rows the number of contacts.
 */
export async function fillDatabase(owner: Sql, rows: number, credentialsKey: string) {
  const key = readCredentialsKey(credentialsKey);
  // Creating the indexes after all rows are written is several times faster. For each new contact, a
  // trigger searches the archived contacts, so the index of those contacts remains.
  const indexes = await owner`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid in ('contacts'::regclass, 'deals'::regclass, 'conversations'::regclass)
      and not exists (select from pg_constraint where conindid = indexrelid)
      and indexrelid <> 'contacts_archived_phone_idx'::regclass
  `;
  for (const { name } of indexes) await owner.unsafe(`drop index ${name}`);
  await writeDataset(owner, rows, (account) => sealToken(SANDBOX_TOKEN, account, key));
  await owner.begin(async (sql) => {
    await sql`set local maintenance_work_mem = '512MB'`;
    for (const { definition } of indexes) await sql.unsafe(definition);
  });
  const [{ id, api_key: apiKey }] = await owner.begin(async (sql) => {
    await sql`set local role service_role`;
    return await sql`
      select id, (create_api_key('bench', array['read', 'write', 'messaging'], null, id)).api_key
      from companies order by name = 'Company 0' desc
    `;
  });
  // After this, hint bits, visibility and statistics are as in a database that has been in use for
  // a long time.
  await owner`vacuum analyze companies, stages, contacts, deals, conversations`;
  const count = async (condition: ReturnType<typeof owner>) =>
    Number((await owner`select count(*) from contacts where ${condition}`)[0].count);
  const stages = await owner`select pipeline_id from stages where company_id = ${id}`;
  return {
    apiKey,
    contacts: Math.ceil(rows / 10),
    pipelineId: stages[0].pipeline_id,
    stages: stages.length,
    rare: await count(owner`company_id = ${id} and ${RARE_TAG} = any (tags)`),
    namesakes: await count(owner`company_id = ${id} and name = ${NAME}`),
    // Some contacts and deals of the measured company. Requests change them in turn.
    contactTargets: await owner`
      select id, phone from contacts where company_id = ${id} order by id limit ${TARGETS}
    `,
    dealTargets: await owner`
      select id from deals where company_id = ${id} order by id limit ${TARGETS}
    `,
  };
}

/**
 * Writes the rows of the benchmark: companies with their contacts. Each company has a pipeline,
 * stages and an account. There is a deal for every second contact and a conversation for every
 * fourth. Every value of a row follows from the row's number, so the rows are the same in every
 * run, and one row can refer to another. Text is ASCII, because autocannon assembles responses byte
 * by byte.
 *
 * @param sql one connection, as the owner of the tables.
 * @param contacts the number of contacts; the first company has a tenth of all rows.
 * @param seal encrypts an account's token.
 */
export async function writeDataset(
  sql: Sql,
  contacts: number,
  seal: (account: TokenAccount) => Promise<string>,
) {
  await sql.unsafe(`
    -- While this transaction writes contacts, autovacuum would count none, and the triggers would
    -- get plans for an empty table.
    alter table contacts set (autovacuum_enabled = false);
    -- A version 4 UUID. These ids are spread like random ids, so that indexes grow as they do with
    -- random ids.
    create function pg_temp.id_of(kind text, n integer) returns uuid immutable
      return overlay(overlay(md5(kind || n) placing '4' from 13) placing '8' from 17)::uuid;
    create function pg_temp.hash(n integer, seed integer) returns integer immutable
      return (hashint4extended(n, seed) & 1073741823)::integer;
    create function pg_temp.pick(n integer, seed integer, variadic options text[]) returns text immutable
      return options[1 + pg_temp.hash(n, seed) % cardinality(options)];
    -- The first company has one contact in ten. The other companies share the rest evenly.
    create function pg_temp.company_of(contact integer) returns uuid immutable
      return pg_temp.id_of(
        'company', case when contact % 10 = 0 then 0 else 1 + contact % ${COMPANIES - 1} end
      );
    -- The contact of a deal or conversation. Each group of contacts has one deal or conversation,
    -- and no contact has two.
    create function pg_temp.contact_of(n integer, each integer) returns integer immutable
      return n * each + pg_temp.hash(n, 61) % each;
    -- A moment in 2025. A contact with a greater number has a later moment.
    create function pg_temp.moment_of(contact integer) returns timestamptz immutable
      return timestamptz '2025-01-01 00:00Z' + contact * interval '365 days' / ${contacts};

    insert into companies (id, name)
    select pg_temp.id_of('company', n), 'Company ' || n
    from generate_series(0, ${COMPANIES - 1}) as n;

    insert into messaging_accounts (id, company_id, phone_number_id, business_account_id, display_phone,
      disconnected_at)
    select pg_temp.id_of('account', n), pg_temp.id_of('company', n), 100000000000 + n, 200000000000 + n,
      '+' || 15550100000 + n, now()
    from generate_series(0, ${COMPANIES - 1}) as n;

    insert into template_catalogues (company_id, business_account_id, synced_at)
    select pg_temp.id_of('company', n), 200000000000 + n, now()
    from generate_series(0, ${COMPANIES - 1}) as n;

    -- The templates of every business account. The scenarios send the template whose name has no
    -- number.
    insert into templates (company_id, business_account_id, name, language, status, status_since, category,
      parameter_format, components, variables, rendering, read_at)
    select pg_temp.id_of('company', n), 200000000000 + n, concat_ws('_', 'order_update', nullif(m, 0)), language,
      'APPROVED', now(), 'UTILITY', 'POSITIONAL',
      '[{"type": "BODY", "text": "Your order {{1}} is on its way."}]',
      '{"header": [], "body": [{"name": "1", "example": "A-1815"}], "buttons": []}',
      '{"header": null, "body": ["Your order ", 0, " is on its way."], "footer": null, "buttons": []}',
      now()
    from generate_series(0, ${COMPANIES - 1}) as n, generate_series(0, ${TEMPLATES - 1}) as m,
      unnest(array['pt_BR', 'en_US']) as language;

    insert into contacts (id, company_id, name, email, phone, temperature, tags, source, job_title,
      empresa, custom_fields, created_at, updated_at)
    select pg_temp.id_of('contact', n), pg_temp.company_of(n), name,
      lower(replace(name, ' ', '.')) || '.' || n || '@example.com',
      -- Mobile numbers in no particular order, all different.
      '+55119' || lpad((n * 61803399::bigint % 100000000)::text, 8, '0'),
      pg_temp.pick(n, 73, 'cold', 'warm', 'hot'),
      pg_temp.pick(n, 74, '{}', '{vip}', '{lead}', '{lead,newsletter}', '{vip,partner,north}')::text[]
        || case n % (10 * greatest(${contacts} / ${
    10 * RARE
  }, 1)) when 0 then '{${RARE_TAG}}'::text[] end,
      pg_temp.pick(n, 75, 'api', 'site', 'event'),
      pg_temp.pick(n, 76, 'Buyer', 'Engineer', 'Director', null),
      pg_temp.pick(n, 77, 'Acme', 'Globex', 'Initech', null),
      jsonb_build_object('plan', pg_temp.pick(n, 78, 'free', 'pro'), 'seats', n % 40),
      pg_temp.moment_of(n), pg_temp.moment_of(n)
    from generate_series(0, ${contacts - 1}) as n, concat_ws(' ',
      pg_temp.pick(n, 71, 'Ana', 'Bruno', 'Carla', 'Diego', 'Elisa', 'Fabio', 'Gabriela', 'Hugo'),
      pg_temp.pick(n, 72, 'Silva', 'Souza', 'Lima', 'Costa', 'Pereira', 'Almeida', 'Rocha')
    ) as name;

    insert into deals (id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at)
    select pg_temp.id_of('deal', n), company_id, 'Deal ' || n, n % 90000 + 0.5,
      pg_temp.pick(n, 81, 'open', 'open', 'won', 'lost'), pg_temp.id_of('contact', contact),
      stages[1 + pg_temp.hash(n, 82) % cardinality(stages)],
      pg_temp.moment_of(contact), pg_temp.moment_of(contact)
    from generate_series(0, ${contacts} / 2 - 1) as n
    cross join pg_temp.contact_of(n, 2) as contact
    join (
      select company_id, array_agg(id order by position) as stages from stages group by company_id
    ) as companies on company_id = pg_temp.company_of(contact);

    insert into conversations (id, company_id, contact_id, messaging_account_id, status,
      last_message_at, window_expires_at, created_at, updated_at)
    select pg_temp.id_of('conversation', n), company_id, pg_temp.id_of('contact', contact), accounts.id,
      pg_temp.pick(n, 91, 'open', 'pending', 'closed'), moment, moment, moment, moment
    from generate_series(0, ${contacts} / 4 - 1) as n
    cross join pg_temp.contact_of(n, 4) as contact
    cross join pg_temp.moment_of(contact) as moment
    join messaging_accounts as accounts on company_id = pg_temp.company_of(contact);

    alter table contacts reset (autovacuum_enabled);
  `);
  const accounts = await sql<TokenAccount[]>`
    select company_id, phone_number_id from messaging_accounts
    where id in (select pg_temp.id_of('account', n) from generate_series(0, ${COMPANIES - 1}) as n)
  `;
  const tokens = await Promise.all(accounts.map(seal));
  await sql`
    update messaging_accounts as accounts set encrypted_token = token, disconnected_at = null
    from unnest(
      ${accounts.map(({ phone_number_id }) => phone_number_id)}::text[], ${tokens}::text[]
    ) as sealed (number, token)
    where phone_number_id = number
  `;
}
