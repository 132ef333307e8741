import { bootstrap, connect, migrate, type Sql } from "../../local/postgres/database.ts";
import { startPostgres } from "../../local/postgres/server.ts";
import { withFolder } from "../support/started.ts";

// A company of 100,000 contacts among 200 companies, in a server of its own: so many rows would keep the tests'
// database busy, and one long transaction would delay what others wait for.

const MANY = 100_000;
const COMPANIES = 200;
/** The contacts of each of the others. */
const FEW = 20;

/** The digest of the large company's key. */
export const KEY_HASH = "a".repeat(64);

/**
 * Works on such a database as the superuser. Each value of a row follows from its number, so it is the same in every
 * run. The rows are there before the indexes, which the migration makes of them, as on a database in use. What the
 * planner knows of the rows is what the migrations leave behind.
 */
export async function withLargeCompany(work: (sql: Sql) => Promise<void>): Promise<void> {
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
    const open = (user: string) => {
      const sql = connect(server.port, user, "test");
      ends.defer(() => sql.end());
      return sql;
    };
    const [owner, admin, beside] = [
      open("postgres"),
      open("supabase_admin"),
      open("supabase_admin"),
    ];
    await bootstrap(admin, "test");
    for await (const file of migrate(owner)) {
      if (file.endsWith("_own_rows.sql")) await fill(admin, beside);
      if (file.endsWith("_windows.sql")) await admin.unsafe(FACTS);
      if (file.endsWith("_deal_history.sql")) await admin.unsafe(ENDINGS);
    }
    await work(admin);
  });
}

/** Fills the tables on two connections, which share the work of the machine's two cores. */
async function fill(sql: Sql, beside: Sql) {
  await Promise.all([sql, beside].map((each) => each.unsafe(FUNCTIONS)));
  await sql.unsafe(COMPANY);
  await Promise.all([
    sql.unsafe(CONTACTS),
    beside.unsafe(DEALS).then(() => beside.unsafe(CONVERSATIONS)),
  ]);
  await sql`set session_replication_role = origin`;
}

const FUNCTIONS = `
  -- No trigger and no check of references: the rows are right, and there are many.
  set session_replication_role = replica;
  create function pg_temp.id_of(kind text, n bigint) returns uuid immutable
    return overlay(overlay(md5(kind || n) placing '4' from 13) placing '8' from 17)::uuid;
  create function pg_temp.pick(n bigint, seed integer, variadic options text[]) returns text immutable
    return options[1 + (hashint8extended(n, seed) & 1073741823) % cardinality(options)];
  create function pg_temp.moment_of(n bigint) returns timestamptz immutable
    return timestamptz '2025-01-01 00:00Z' + n * interval '5 minutes';
  -- Seven letters, as many names have that are people's own.
  create function pg_temp.name_of(n bigint) returns text immutable
    return initcap(translate(left(md5(n::text), 7), '0123456789', 'aeioulnrst'));
  -- The number of each contact, its company and its place in that company, the oldest first.
  create temporary view numbers as
    select n, 0 as company, n as place from generate_series(0::bigint, ${MANY - 1}) as n
    union all
    select n, 1 + n % ${COMPANIES - 1}, (n - ${MANY}) / ${COMPANIES - 1} * ${MANY / FEW}
    from generate_series(${MANY}::bigint, ${MANY + (COMPANIES - 1) * FEW - 1}) as n;
`;

const COMPANY = `
  insert into companies (id, name)
  select pg_temp.id_of('company', n), 'Company ' || n from generate_series(0, ${
  COMPANIES - 1
}) as n;
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
  values (pg_temp.id_of('company', 0), 'Reader', '${KEY_HASH}', 'aaaa', '{read}');
`;

// Of each kind of value there is a common one, a rare one (20 of 100,000), and one that only the oldest rows have.
const CONTACTS = `
  insert into contacts (id, company_id, name, email, phone, temperature, tags, source, job_title, empresa,
    custom_fields, do_not_contact, is_active, created_at, updated_at)
  select
    pg_temp.id_of('contact', n), pg_temp.id_of('company', company), name,
    case when n % 11 > 0 then 'Person.' || n || '@Example.com' end,
    '+55119' || lpad((n * 61803399 % 100000000)::text, 8, '0'),
    case when n % 20 = 0 then 'hot' else pg_temp.pick(n, 73, 'cold', 'warm') end,
    pg_temp.pick(n, 74, '{}', '{vip}', '{lead}', '{lead,newsletter}', '{vip,partner,north}')::text[]
      || case when n % 5000 = 7 then '{rare}'::text[] else '{}' end
      || case when place < ${MANY / 50} then '{ancient}'::text[] else '{}' end,
    case when n % 5000 = 9 then 'fair' else pg_temp.pick(n, 75, 'api', 'site', 'event') end,
    case when n % 5000 = 11 then 'Astronaut' else pg_temp.pick(n, 76, 'Buyer', 'Engineer', 'Diretora', null) end,
    case when n % 5000 = 13 then 'Wayne, Inc.' else pg_temp.pick(n, 77, 'Acme', 'Globex', 'Initech', null) end,
    jsonb_build_object(
      'plan', pg_temp.pick(n, 78, 'free', 'pro'), 'seats', n % 40, 'number', 'crm-' || n,
      'tier', case when n % 5000 = 5 then 'platinum' else 'basic' end
    ),
    n % 700 = 3, n % 900 <> 4, pg_temp.moment_of(place), pg_temp.moment_of(n * 7919 % 100003)
  from numbers, concat_ws(' ',
    pg_temp.pick(n, 71, 'Ana', 'Bruno', 'Carla', 'Diego', 'Fábio', 'Hugo', 'Íris', 'João', 'Lúcia', 'Nádia', 'Paula'),
    pg_temp.pick(n, 72, 'Silva', 'Souza', 'Lima', 'Costa', 'Pereira', 'Almeida', 'Rocha', 'Conceição', 'Gonçalves'),
    pg_temp.name_of(n),
    case n % 5000 when 17 then 'Zylberstajn' when 19 then 'Щербаков' end,
    case when place < ${MANY / 50} then 'Oldenburg' end
  ) as name;
`;

const DEALS = `
  insert into deals (id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at)
  select
    pg_temp.id_of('deal', n), pg_temp.id_of('company', company),
    concat_ws(' ', pg_temp.pick(n, 83, 'Acme', 'Globex', 'Renovação', 'Upgrade'), pg_temp.name_of(n),
      case when n % 5000 = 8 then 'Zeppelin' end),
    case when n % 13 > 0 then n * 7919 % 100003 + 0.5 end,
    case when n % 100 = 0 then 'won' else pg_temp.pick(n, 81, 'open', 'lost') end,
    pg_temp.id_of('contact', n),
    pg_temp.id_of('stage', company * 5 + case when n % 1000 = 0 then 4 else n % 4 end),
    pg_temp.moment_of(place), pg_temp.moment_of(n * 7919 % 100003)
  from numbers where n % 2 = 0;
`;

// When deals ended is known of those that end from then on.
const ENDINGS = `
  set session_replication_role = replica;
  update deals set
    won_at = case status when 'won' then updated_at end, lost_at = case status when 'lost' then updated_at end
  where status <> 'open';
  set session_replication_role = origin;
`;

const CONVERSATIONS = `
  insert into conversations (id, company_id, contact_id, messaging_account_id, status, team_id, last_message_at,
    window_expires_at, created_at, updated_at)
  select
    pg_temp.id_of('conversation', n), pg_temp.id_of('company', company), pg_temp.id_of('contact', n),
    pg_temp.id_of('account', company),
    case when n % 1000 = 0 then 'pending' when n % 100 = 0 then 'open' else 'closed' end,
    case when n % 1000 = 0 then pg_temp.id_of('team', company * 5)
      when n % 3 = 0 then pg_temp.id_of('team', company * 5 + 1) end,
    case when n % 17 > 0 then pg_temp.moment_of(n * 7919 % 100003) end,
    case when n % 17 > 0 then pg_temp.moment_of(n * 7919 % 100003) + interval '24 hours' end,
    pg_temp.moment_of(place), pg_temp.moment_of(n * 7919 % 100003)
  from numbers where n % 4 = 0;
`;

// What a release later added. Few have no phone, some want no marketing, and few are on another number.
const FACTS = `
  set session_replication_role = replica;
  update contacts set
    phone = case when n % 5000 <> 21 then phone end,
    has_identity = n % 5000 = 21,
    marketing_stopped_at = case when n % 50 = 0 then pg_temp.moment_of(n * 7919 % 100003) end
  from numbers where id = pg_temp.id_of('contact', n) and (n % 50 = 0 or n % 5000 = 21);
  update conversations set phone_number_id = '99'
  from numbers where id = pg_temp.id_of('conversation', n) and company = 0 and n % 5000 = 0;
  set session_replication_role = origin;
`;
