import { bootstrap, connect, migrate, type Sql } from "../../local/postgres/database.ts";
import { startPostgres } from "../../local/postgres/server.ts";
import { withFolder } from "../support/started.ts";

// A company with 100,000 contacts among 200 companies, in a separate database server. So many rows
// would keep the tests' shared database busy, and one long transaction would delay other tests.

const MANY = 100_000;
const COMPANIES = 200;
/** The number of contacts in each other company. */
const FEW = 20;
const FIRST_OF_MEDIUM = MANY + COMPANIES * FEW;

/**
 * The number of contacts that the medium company has in addition to `FEW`. None of these contacts
 * has both the name Bruno and the employer Globex.
 */
export const MEDIUM = 4_000;

/** The digests of the API keys of the large and the medium company. */
export const KEY_HASH = "a".repeat(64);
export const MEDIUM_KEY_HASH = "b".repeat(64);

/** Opens a connection as the database user with this name. */
export type Open = (user: string, database?: string) => Sql;

/** Runs the work with a separate server, whose database has the schema but no rows. */
export async function withOwnServer(work: (open: Open) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const server = await startPostgres({
      dataFolder: `${folder}/data`,
      fresh: false,
      port: 0,
      password: "test",
      logFile: `${folder}/postgres.log`,
      durable: false,
    });
    await using ends = new AsyncDisposableStack();
    ends.defer(server.stop);
    const open: Open = (user, database) => {
      const sql = connect(server.port, user, "test", 1, database);
      ends.defer(() => sql.end());
      return sql;
    };
    const [owner, admin] = [open("postgres"), open("supabase_admin")];
    await bootstrap(admin, "test");
    await Array.fromAsync(migrate(owner));
    await Promise.all([owner.end(), admin.end()]);
    await work(open);
  });
}

/**
 * Runs the work as the superuser in a database with these companies. Each row's values depend only
 * on its number, so every run has the same rows. The planner has fresh statistics.
 */
export async function withLargeCompany(work: (sql: Sql) => Promise<void>): Promise<void> {
  await withOwnServer(async (open) => {
    const admin = open("supabase_admin");
    await fill(open("postgres"), admin, open("supabase_admin"));
    await work(admin);
  });
}

/** Fills the tables on two connections, so that the server can use two processor cores. */
async function fill(owner: Sql, sql: Sql, beside: Sql) {
  const both = [sql, beside];
  await Promise.all(both.map((each) => each.unsafe(FUNCTIONS)));
  // The indexes are built after all rows are inserted, which is several times faster.
  const indexes = await owner`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid in ('contacts'::regclass, 'deals'::regclass, 'conversations'::regclass)
      and not exists (select from pg_constraint where conindid = indexrelid)
  `;
  await owner.unsafe(`drop index ${indexes.map(({ name }) => name).join(", ")}`);
  await sql.unsafe(COMPANY);
  await Promise.all([
    sql.unsafe(CONTACTS),
    beside.unsafe(DEALS).then(() => beside.unsafe(CONVERSATIONS)),
  ]);
  await Promise.all(both.map((each) => each`reset session_replication_role`));
  for (const { definition } of indexes) await owner.unsafe(definition);
  // A search reads only an index if a vacuum has found that all transactions see the contacts.
  await owner`vacuum analyze contacts`;
  await owner`analyze deals, deal_history, conversations`;
}

const FUNCTIONS = `
  -- Triggers and foreign key checks are off, because the rows are valid and there are many.
  set session_replication_role = replica;
  create function pg_temp.id_of(kind text, n bigint) returns uuid immutable
    return overlay(overlay(md5(kind || n) placing '4' from 13) placing '8' from 17)::uuid;
  create function pg_temp.pick(n bigint, seed integer, variadic options text[]) returns text immutable
    return options[1 + (hashint8extended(n, seed) & 1073741823) % cardinality(options)];
  create function pg_temp.moment_of(n bigint) returns timestamptz immutable
    return timestamptz '2025-01-01 00:00Z' + n * interval '5 minutes';
  -- A name of seven letters, as many real names have.
  create function pg_temp.name_of(n bigint) returns text immutable
    return initcap(translate(left(md5(n::text), 7), '0123456789', 'aeioulnrst'));
  -- For each contact: its number, its company, and its place in that company. The oldest contact has the lowest place.
  create temporary view numbers as
    select n, 0 as company, n as place from generate_series(0::bigint, ${MANY - 1}) as n
    union all
    select n, 1 + n % ${COMPANIES - 1}, (n - ${MANY}) / ${COMPANIES - 1} * ${MANY / FEW}
    from generate_series(${MANY}::bigint, ${MANY + (COMPANIES - 1) * FEW - 1}) as n
    union all
    select n, 1, (n - ${FIRST_OF_MEDIUM}) * ${MANY / MEDIUM}
    from generate_series(${FIRST_OF_MEDIUM}::bigint, ${FIRST_OF_MEDIUM + MEDIUM - 1}) as n;
`;

const COMPANY = `
  insert into companies (id, name)
  select pg_temp.id_of('company', n), 'Company ' || n
  from generate_series(0, ${COMPANIES - 1}) as n;
  insert into pipelines (id, company_id, name, position, is_default)
  select pg_temp.id_of('pipeline', n), pg_temp.id_of('company', n), 'Sales', 0, true
  from generate_series(0, ${COMPANIES - 1}) as n;
  insert into stages (id, company_id, pipeline_id, name, position)
  select pg_temp.id_of('stage', n * 5 + m), pg_temp.id_of('company', n), pg_temp.id_of('pipeline', n), 'Stage ' || m, m
  from generate_series(0, ${COMPANIES - 1}) as n, generate_series(0, 4) as m;
  insert into teams (id, company_id, name)
  select pg_temp.id_of('team', n * 5 + m), pg_temp.id_of('company', n), 'Team ' || m
  from generate_series(0, ${COMPANIES - 1}) as n, generate_series(0, 4) as m;
  insert into messaging_accounts (id, company_id, phone_number_id, display_phone, encrypted_token)
  select pg_temp.id_of('account', n), pg_temp.id_of('company', n), 100000 + n, '+15550100', 'h..iv.c.t'
  from generate_series(0, ${COMPANIES - 1}) as n;
  insert into api_keys (company_id, name, key_hash, hint, scopes)
  values (pg_temp.id_of('company', 0), 'Reader', '${KEY_HASH}', 'aaaa', '{read}'),
    (pg_temp.id_of('company', 1), 'Reader', '${MEDIUM_KEY_HASH}', 'aaaa', '{read}');
`;

// Most columns have common values and a rare value (20 of 100,000 rows). Some also have a value
// that only the oldest rows have.
const CONTACTS = `
  insert into contacts (id, company_id, external_id, name, email, phone, has_identity, temperature, tags, source, job_title, empresa,
    custom_fields, do_not_contact, is_active, created_at, updated_at, marketing_stopped_at,
    marketing_opt_out)
  select
    pg_temp.id_of('contact', n), pg_temp.id_of('company', company), case when n % 5 = 0 then 'C-' || n end, name,
    case when n % 11 > 0 then 'Person.' || n || '@Example.com' end,
    case when n % 5000 <> 21 then '+55119' || lpad((n * 61803399 % 100000000)::text, 8, '0') end, n % 5000 = 21,
    case when n % 20 = 0 then 'hot' else pg_temp.pick(n, 73, 'cold', 'warm') end,
    pg_temp.pick(n, 74, '{}', '{vip}', '{lead}', '{lead,newsletter}', '{vip,partner,north}')::text[]
      || case when n % 5000 = 7 then '{rare}'::text[] else '{}' end
      || case when place < ${MANY / 50} then '{ancient}'::text[] else '{}' end,
    case when n % 5000 = 9 then 'fair' else pg_temp.pick(n, 75, 'api', 'site', 'event') end,
    case when n % 5000 = 11 then 'Astronaut' else pg_temp.pick(n, 76, 'Buyer', 'Engineer', 'Diretora', null) end,
    case when n % 5000 = 13 then 'Wayne, Inc.' when n >= ${FIRST_OF_MEDIUM} and name like 'Bruno %' then 'Acme'
      else pg_temp.pick(n, 77, 'Acme', 'Globex', 'Initech', null) end,
    jsonb_build_object(
      'plan', pg_temp.pick(n, 78, 'free', 'pro'), 'seats', n % 40, 'number', 'crm-' || n,
      'tier', case when n % 5000 = 5 then 'platinum' else 'basic' end
    ),
    n % 700 = 3, n % 900 <> 4, pg_temp.moment_of(place), pg_temp.moment_of(n * 7919 % 100003),
    case when n % 50 = 0 then pg_temp.moment_of(n * 7919 % 100003) end, n % 50 = 0
  from numbers, concat_ws(' ',
    pg_temp.pick(n, 71, 'Ana', 'Bruno', 'Carla', 'Diego', 'Fábio', 'Hugo', 'Íris', 'João', 'Lúcia', 'Nádia', 'Paula'),
    pg_temp.pick(n, 72, 'Silva', 'Souza', 'Lima', 'Costa', 'Pereira', 'Almeida', 'Rocha', 'Conceição', 'Gonçalves'),
    pg_temp.name_of(n),
    case n % 5000 when 17 then 'Zylberstajn' when 19 then 'Щербаков' end,
    case when place < ${MANY / 50} then 'Oldenburg' end
  ) as name;
`;

const DEALS = `
  insert into deals (id, company_id, external_id, title, value, status, contact_id, stage_id, created_at, updated_at,
    stage_changed_at, won_at, lost_at)
  select
    id, company_id, external_id, title, value, status, contact_id, stage_id, created_at, updated_at, created_at,
    case status when 'won' then updated_at end, case status when 'lost' then updated_at end
  from (select
    pg_temp.id_of('deal', n) as id, pg_temp.id_of('company', company) as company_id,
    case when n % 5 = 0 then 'D-' || n end as external_id,
    concat_ws(' ', pg_temp.pick(n, 83, 'Acme', 'Globex', 'Renovação', 'Upgrade'), pg_temp.name_of(n),
      case when n % 5000 = 8 then 'Zeppelin' end) as title,
    case when n % 13 > 0 then n * 7919 % 100003 + 0.5 end as value,
    case when n % 100 = 0 then 'won' else pg_temp.pick(n, 81, 'open', 'lost') end as status,
    pg_temp.id_of('contact', n) as contact_id,
    pg_temp.id_of('stage', company * 5 + case when n % 1000 = 0 then 4 else n % 4 end) as stage_id,
    pg_temp.moment_of(place) as created_at, pg_temp.moment_of(n * 7919 % 100003) as updated_at
    from numbers where n % 2 = 0) as deal;
  insert into deal_history (company_id, deal_id, kind, at)
  select company_id, id, 'created', created_at from deals;
`;

const CONVERSATIONS = `
  insert into conversations (id, company_id, contact_id, messaging_account_id, phone_number_id, status, team_id,
    last_message_at, window_expires_at, created_at, updated_at)
  select
    pg_temp.id_of('conversation', n), pg_temp.id_of('company', company), pg_temp.id_of('contact', n),
    pg_temp.id_of('account', company),
    case when company = 0 and n % 5000 = 0 then '99' else (100000 + company)::text end,
    case when n % 1000 = 0 then 'pending' when n % 100 = 0 then 'open' else 'closed' end,
    case when n % 1000 = 0 then pg_temp.id_of('team', company * 5)
      when n % 3 = 0 then pg_temp.id_of('team', company * 5 + 1) end,
    case when n % 17 > 0 then pg_temp.moment_of(n * 7919 % 100003) end,
    case when n % 17 > 0 then pg_temp.moment_of(n * 7919 % 100003) + interval '24 hours' end,
    pg_temp.moment_of(place), pg_temp.moment_of(n * 7919 % 100003)
  from numbers where n % 4 = 0;
  insert into contact_windows (company_id, contact_id, account_id, last_inbound_at)
  select company_id, contact_id, messaging_account_id, window_expires_at - interval '24 hours'
  from conversations where window_expires_at is not null;
`;
