import type { Sql } from "../local/postgres/database.ts";

export const COMPANIES = 200;

/**
 * Functions for one session. Every value of a row follows from the row's number: it is the same in every run,
 * and one row can refer to another. Text is ASCII, because autocannon puts answers together byte by byte.
 */
const FUNCTIONS = `
  -- A version 4 UUID, spread over its range as random ones are, so that indexes grow as with those.
  create or replace function pg_temp.id_of(kind text, n integer) returns uuid immutable
    return overlay(overlay(md5(kind || n) placing '4' from 13) placing '8' from 17)::uuid;
  create or replace function pg_temp.hash(n integer, seed integer) returns integer immutable
    return (hashint4extended(n, seed) & 1073741823)::integer;
  create or replace function pg_temp.pick(n integer, seed integer, variadic options text[])
    returns text immutable
    return options[1 + pg_temp.hash(n, seed) % cardinality(options)];
  -- One contact in ten is the first company's, the others are spread evenly.
  create or replace function pg_temp.company_of(contact integer) returns integer immutable
    return case when contact % 10 = 0 then 0 else 1 + contact % ${COMPANIES - 1} end;
  -- The contact of a deal or conversation, of which there is one for so many contacts; none has two.
  create or replace function pg_temp.contact_of(n integer, each integer) returns integer immutable
    return n * each + pg_temp.hash(n, 61) % each;
  -- A moment of 2025, later for a greater number.
  create or replace function pg_temp.moment_of(n integer, count integer) returns timestamptz immutable
    return timestamptz '2025-01-01 00:00Z' + n * interval '365 days' / count;
`;

/**
 * Writes the rows of the benchmark: companies, each with pipeline, stages and account, their contacts, and a
 * deal for two contacts and a conversation for four.
 *
 * @param sql one connection, as the owner of the tables.
 * @param rows the number of contacts; the first company has a tenth of everything.
 * @param encryptedToken of every account.
 * @returns each table with its number of rows, once it is written.
 */
export async function* writeDataset(
  sql: Sql,
  rows: number,
  encryptedToken: string,
): AsyncGenerator<{ table: string; count: number }> {
  await sql.unsafe(FUNCTIONS);
  const companies = sql`
    insert into companies (id, name)
    select pg_temp.id_of('company', n), 'Company ' || n
    from generate_series(0, ${COMPANIES - 1}) as n
  `;
  const messaging_accounts = sql`
    insert into messaging_accounts (id, company_id, phone_number_id, display_phone, encrypted_token)
    select pg_temp.id_of('account', n), pg_temp.id_of('company', n), (100000000000 + n)::text,
      '+1555010' || lpad(n::text, 4, '0'), ${encryptedToken}
    from generate_series(0, ${COMPANIES - 1}) as n
  `;
  const contacts = sql`
    insert into contacts (id, company_id, name, email, phone, temperature, tags, source, job_title,
      empresa, custom_fields, created_at, updated_at)
    select pg_temp.id_of('contact', n), pg_temp.id_of('company', pg_temp.company_of(n)),
      name, lower(replace(name, ' ', '.')) || '.' || n || '@example.com',
      -- Mobile numbers, each used once; their order says nothing.
      '+55119' || lpad((n * 61803399::bigint % 100000000)::text, 8, '0'),
      pg_temp.pick(n, 73, 'cold', 'warm', 'hot'),
      pg_temp.pick(n, 74, '{}', '{vip}', '{lead}', '{lead,newsletter}', '{vip,partner,north}')::text[],
      pg_temp.pick(n, 75, 'api', 'site', 'event'),
      pg_temp.pick(n, 76, 'Buyer', 'Engineer', 'Director', null),
      pg_temp.pick(n, 77, 'Acme', 'Globex', 'Initech', null),
      jsonb_build_object('plan', pg_temp.pick(n, 78, 'free', 'pro'), 'seats', n % 40),
      moment, moment
    from generate_series(0, ${rows}::integer - 1) as n,
      concat_ws(' ',
        pg_temp.pick(n, 71, 'Ana', 'Bruno', 'Carla', 'Diego', 'Elisa', 'Fabio', 'Gabriela', 'Hugo'),
        pg_temp.pick(n, 72, 'Silva', 'Souza', 'Lima', 'Costa', 'Pereira', 'Almeida', 'Rocha')
      ) as name,
      pg_temp.moment_of(n, ${rows}) as moment
  `;
  const deals = sql`
    insert into deals (id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at)
    select pg_temp.id_of('deal', n), company_id, 'Deal ' || n, n % 90000 + 0.5,
      pg_temp.pick(n, 81, 'open', 'open', 'won', 'lost'), pg_temp.id_of('contact', contact),
      ids[1 + pg_temp.hash(n, 82) % cardinality(ids)], moment, moment
    from generate_series(0, ${rows}::integer / 2 - 1) as n
    cross join pg_temp.contact_of(n, 2) as contact
    cross join pg_temp.moment_of(n, ${rows}::integer / 2) as moment
    join (
      select company_id, array_agg(id order by position) as ids from stages group by company_id
    ) as stages on company_id = pg_temp.id_of('company', pg_temp.company_of(contact))
  `;
  const conversations = sql`
    insert into conversations (id, company_id, contact_id, messaging_account_id, status, last_message_at,
      window_expires_at, created_at, updated_at)
    select pg_temp.id_of('conversation', n), pg_temp.id_of('company', company),
      pg_temp.id_of('contact', contact), pg_temp.id_of('account', company),
      pg_temp.pick(n, 91, 'open', 'pending', 'closed'), moment, moment, moment, moment
    from generate_series(0, ${rows}::integer / 4 - 1) as n,
      pg_temp.contact_of(n, 4) as contact,
      pg_temp.company_of(contact) as company,
      pg_temp.moment_of(n, ${rows}::integer / 4) as moment
  `;
  const inserts = { companies, messaging_accounts, contacts, deals, conversations };
  // A statement is sent when it is awaited.
  for (const [table, insert] of Object.entries(inserts)) {
    yield { table, count: (await insert).count };
  }
}
