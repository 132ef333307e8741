// The query plans of writes, sends, events and jobs do not depend on fresh statistics. A company is
// added in one transaction. The planner has no statistics, or only statistics about 200 earlier
// rows. A session may have kept plans that it made before the company was added. The test counts the
// rows that each operation reads.
//
// A plan that Postgres made in a database without statistics can read all contacts of a company. The
// test has no session with such a plan. Autovacuum collects statistics within about a minute after the first 50
// rows of a table, and Postgres then makes new plans.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsSuperuser, type Sql } from "../support/acting_as.ts";
import { anyPhone, type Company, makeCompany } from "../support/company.ts";
import { itemOf } from "./inbound.ts";
import { type Open, withOwnServer } from "./large_company.ts";
import { callClaim, callSettle } from "./sends.ts";
import { report } from "./statuses.ts";

const MANY = 10_000;
/**
 * The number of contacts in a smaller company. A scan of all its rows costs little, so the planner
 * is more likely to choose this scan.
 */
const SOME = 4_000;
/**
 * With so few contacts and without statistics, the planner estimates the same cost for all indexes.
 */
const FEW = 1_000;
const MOST = 300;
/**
 * The number of templates in a company. A search for due media reads each template and its media
 * once.
 */
const TEMPLATES = 100;

/** A session, like the session that the Data API has for each connection. */
type Session = ReturnType<Open>;

type Subject = Company & { app_key: string };

async function addCompany(admin: Session): Promise<Subject> {
  return await admin.begin(async (sql) => {
    const company = await makeCompany(sql);
    const app_key = crypto.randomUUID();
    const sealed = "h..i.c.t";
    const [{ id }] = await sql`
      insert into channel_apps (app_key, name, sealed_secret, sealed_verify_token)
      values (${app_key}, 'Tested', ${sealed}, ${sealed}) returning id
    `;
    await sql`
      update messaging_accounts set channel_app_id = ${id}, business_account_id = phone_number_id
      where id = ${company.account_id}
    `;
    return { ...company, app_key };
  });
}

/**
 * Adds contacts to a company. Each contact has a conversation, a message, a send, a deal and other
 * rows.
 */
async function fill(
  admin: Session,
  { id, account_id, stage_ids, phone_number_id, app_key }: Subject,
  count = MANY,
) {
  await admin.begin(async (sql) => {
    // Triggers and foreign key checks are off, because the rows are valid and there are many.
    await sql`set local session_replication_role = replica`;
    await sql`
      create temporary table added on commit drop as
      select gen_random_uuid() as id, gen_random_uuid() as message_id, '+1555' || 1000000 + n as phone, n
      from generate_series(1, ${count}::int) as n
    `;
    for (
      const statement of [
        sql`insert into contacts (id, company_id, phone, has_identity) select id, ${id}, phone, true from added`,
        sql`insert into conversations (id, company_id, contact_id, messaging_account_id, phone_number_id)
          select id, ${id}, id, ${account_id}, ${phone_number_id} from added`,
        sql`insert into contact_windows (company_id, contact_id, account_id, last_inbound_at)
          select ${id}, id, ${account_id}, now() from added`,
        sql`insert into contact_identities (company_id, contact_id, user_id)
          select ${id}, id, 'US.' || n from added`,
        sql`insert into contact_former_phones (company_id, contact_id, phone, until)
          select ${id}, id, '+1556' || 1000000 + n, 'infinity' from added`,
        sql`insert into messages (id, company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
          select message_id, ${id}, id, 'outbound', 'Hello', 'accepted', 'wamid.' || message_id from added`,
        sql`insert into sends (
            company_id, message_id, claim_id, idempotency_key, template_name, language_code, state, whatsapp_message_id,
            lease_ends_at
          )
          select ${id}, message_id, gen_random_uuid(), 'key-' || n, 'order_update', 'pt_BR',
            case when n % 300 = 0 then 'pending' else 'sent' end,
            case when n % 300 <> 0 then 'wamid.' || message_id end, now()
          from added`,
        sql`insert into deals (company_id, title, contact_id, stage_id)
          select ${id}, 'Deal', id, ${stage_ids[0]} from added`,
        sql`insert into idempotency_keys (company_id, path, key, fingerprint)
          select ${id}, '/contacts', 'key-' || n, 'f' from added`,
        sql`insert into channel_events (channel_app_id, body, body_sha256, state, processed_at, person_marks)
          select apps.id, convert_to(phone, 'UTF8'), sha256(convert_to(phone, 'UTF8')), 'done', now(), '{}'
          from added cross join channel_apps as apps where app_key = ${app_key}`,
        sql`insert into templates (
            company_id, business_account_id, name, language, status, status_since, parameter_format, components,
            header_format, variables, rendering, sample_url, read_at
          )
          select ${id}, business_account_id, 'grown_' || n, 'pt_BR', 'APPROVED', now(), 'POSITIONAL', '[]', 'IMAGE',
            '{"header": [], "body": [], "buttons": []}', '{"header": null, "body": [], "footer": null, "buttons": []}',
            'https://samples.example/' || n, now()
          from added cross join messaging_accounts as accounts
          where accounts.id = ${account_id} and n <= ${TEMPLATES}`,
        sql`insert into template_media (company_id, account_id, sample_source, media_id, uploaded_at)
          select ${id}, ${account_id}, sample_source, '77', now() from templates where company_id = ${id}
          and sample_source is not null`,
        sql`insert into api_keys (company_id, name, key_hash, hint, scopes)
          select ${id}, 'Key', encode(sha256(convert_to(n || ${id}::text, 'UTF8')), 'hex'), 'abcd', '{read}'
          from added where n <= 900 and ${count}::int = ${MANY}::int`,
        sql`insert into deleted_rows (company_id, resource, id, version, deleted_at)
          select ${id}, 'contacts', gen_random_uuid(), 0, now() from added`,
      ]
    ) await statement;
  });
}

type Operation = (sql: Sql) => Promise<unknown>;

/**
 * The operations of requests, events and jobs. Each operation has its own transaction and its own
 * contacts.
 */
async function operationsOf(company: Subject): Promise<[string, Operation][]> {
  const key_hash = await hashKey(company.keys.all);
  const phone = anyPhone();
  const other = anyPhone();
  const moved = anyPhone();
  const sent = { claim_id: crypto.randomUUID(), idempotency_key: crypto.randomUUID(), phone };
  const wamid = `wamid.${crypto.randomUUID()}`;
  const as = (scope: string, work: Operation): Operation => async (sql) => {
    await actAs(sql, "api_client", { key_hash, scope });
    return await work(sql);
  };
  /** A write through a function, which returns the results of its items. */
  const write = (
    name: string,
    item: (sql: Sql) => unknown,
    more: Record<string, unknown> = {},
    status = 200,
  ) =>
    as("write", async (sql) => {
      const args = { items: [await item(sql)], ...more } as Record<string, postgres.JSONValue>;
      const named = Object.keys(args).map((arg) =>
        arg === "items"
          ? `items => array(select jsonb_array_elements(asked -> 'items'))`
          : `${arg} => ${arg === "idempotency" ? "asked -> 'idempotency'" : `asked ->> '${arg}'`}`
      );
      const [{ answer }] = await sql.unsafe(
        `select ${name}(${named.join(", ")}) as answer from (select $1::jsonb as asked) as request`,
        [args],
      );
      assert.equal(answer.results[0].status, status, JSON.stringify(answer));
    });
  const idOf = async (
    sql: Sql,
    table: string,
    condition: postgres.PendingQuery<postgres.Row[]>,
  ) => {
    const [{ id }] = await sql`select id from ${sql(table)} where ${condition}`;
    return id;
  };
  const known: Record<string, string> = {};
  const external_id = `own-${crypto.randomUUID()}`;
  const by = { match: "external_id", on_conflict: "update" };
  const [stage_id] = company.stage_ids;
  const newDeal = () => ({ title: "Grown", contact_id: known.contact, stage_id });
  const event = (item: Record<string, unknown>): Operation => async (sql) => {
    await actAs(sql, "channel_client");
    const named = { ...item, phone_number_id: company.phone_number_id };
    const [{ received }] = await sql`
      select receive_channel_event(
        ${company.app_key}, ${btoa(crypto.randomUUID())}, ${sql.json([named] as postgres.JSONValue)}
      ) as received
    `;
    assert.equal(received.state, "done", JSON.stringify(received));
  };
  const person = { phone, user_id: null, name: "Ana" };
  return [
    // The session keeps the plan of the role that first checks a key. So the first operation checks
    // a key as `api_reader`.
    ["check the key of a read", async (sql) => {
      await actAs(sql, "api_reader", { key_hash, scope: "read" });
      await sql`select app.company_id('read')`;
    }],
    ["create", write("write_contacts", () => ({ phone, name: "Ana" }), {}, 201)],
    [
      "create with an Idempotency-Key",
      write("write_contacts", () => ({ phone: other }), {
        idempotency: { path: "/contacts", key: crypto.randomUUID(), fingerprint: "f" },
      }, 201),
    ],
    ["note ids", async (sql) => {
      known.contact = await idOf(sql, "contacts", sql`phone = ${phone}`);
      known.other = await idOf(sql, "contacts", sql`phone = ${other}`);
    }],
    ["create a known contact", write("write_contacts", () => ({ phone }), {}, 409)],
    ["upsert", write("write_contacts", () => ({ phone, name: "Bia" }), { on_conflict: "update" })],
    ["batch of one", write("patch_contacts", () => ({ id: known.contact, name: "Eva" }))],
    [
      "new phone in a batch",
      write("patch_contacts", () => ({ id: known.other, phone: anyPhone() })),
    ],
    [
      "update",
      as(
        "write",
        (sql) =>
          sql`update contacts set name = 'Ada', patch = '{"custom_fields": {"a": 1}, "add_tags": ["b"]}' where id = ${known.contact}
          returning id, name`,
      ),
    ],
    [
      "new phone",
      as(
        "write",
        (sql) => sql`update contacts set phone = ${moved} where id = ${known.other}`,
      ),
    ],
    ["find by phone", as("write", (sql) => sql`select contact_id_by_phone(${phone})`)],
    [
      "upsert by external_id",
      write("write_contacts", () => ({ phone: anyPhone(), external_id }), by, 201),
    ],
    [
      "update by external_id",
      write("write_contacts", () => ({ phone: anyPhone(), external_id }), by),
    ],
    [
      "find by external_id",
      as("write", (sql) => sql`select contact_id_by_external_id(${external_id})`),
    ],
    ["add a deal", write("write_deals", newDeal, {}, 201)],
    [
      "upsert a deal",
      write("write_deals", () => ({ ...newDeal(), external_id }), { on_conflict: "update" }, 201),
    ],
    [
      "update by the external_id of a deal",
      write("write_deals", () => ({ ...newDeal(), external_id, value: 5 }), {
        on_conflict: "update",
      }),
    ],
    ["note the deal", async (sql) => {
      known.deal = await idOf(sql, "deals", sql`contact_id = ${known.contact}`);
    }],
    [
      "change a deal",
      write("patch_deals", () => ({ id: known.deal, stage_id: company.stage_ids[1] })),
    ],
    [
      "update a deal",
      as("write", (sql) => sql`update deals set status = 'won' where id = ${known.deal}`),
    ],
    ["archive a deal", as("write", (sql) => sql`select archive_deal(${known.deal})`)],
    ["claim", as("messaging", (sql) => callClaim(sql, sent))],
    [
      "settle",
      as(
        "messaging",
        (sql) =>
          callSettle(sql, { claim_id: sent.claim_id, outcome: "sent", whatsapp_message_id: wamid }),
      ),
    ],
    [
      "repeat",
      as("messaging", (sql) => callClaim(sql, { ...sent, claim_id: crypto.randomUUID() })),
    ],
    ["claim for a new phone", as("messaging", (sql) => callClaim(sql))],
    ["status", event(report("delivered", 0, { id: wamid }))],
    ["failed status", event(report("failed", 1, { id: wamid }))],
    [
      "message of a known person",
      event(itemOf({ kind: "message", person, at: new Date().toISOString() })),
    ],
    ["message of a new person", event(itemOf({ kind: "message", person: { phone: anyPhone() } }))],
    ["word", event(itemOf({ kind: "message", person, word: "start" }))],
    ["reaction", event(itemOf({ kind: "reaction", person, target: wamid, emoji: "!" }))],
    ["note the conversation", async (sql) => {
      known.conversation = await idOf(sql, "conversations", sql`contact_id = ${known.contact}`);
    }],
    [
      "reply",
      as(
        "messaging",
        (sql) =>
          sql`select claim_reply(gen_random_uuid(), ${known.conversation}, 'Hi') ->> 'result' as result`,
      ),
    ],
    [
      "find another conversation",
      as(
        "write",
        (sql) => sql`select other_conversation_not_closed(${known.conversation})`,
      ),
    ],
    [
      "close a conversation",
      as(
        "write",
        (sql) => sql`update conversations set status = 'closed' where id = ${known.conversation}`,
      ),
    ],
    ["archive", as("write", (sql) => sql`select archive_contact(${known.other})`)],
    ["restore", as("write", (sql) => sql`select restore_contact(${known.other})`)],
    ["due events", async (sql) => {
      await actAs(sql, "channel_client");
      await sql`select due_channel_events()`;
    }],
    ["begin a job", async (sql) => {
      await actAs(sql, "channel_client");
      await sql`select begin_job('template-sync', ${company.account_id})`;
    }],
    ["due media", async (sql) => {
      await actAs(sql, "channel_client");
      await sql`select due_media(${company.account_id})`;
    }],
    ["note a template whose media is due", async (sql) => {
      const [template] = await sql`
        update template_media set media_id = null from templates
        where templates.company_id = ${company.id} and templates.name = 'grown_1'
          and account_id = ${company.account_id} and template_media.sample_source = templates.sample_source
        returning templates.id
      `;
      known.template = template?.id;
    }],
    ["begin an upload", async (sql) => {
      await actAs(sql, "channel_client");
      const [{ upload_id }] = await sql`
        select begin_media_upload(${company.account_id}, ${known.template ?? null}) ->> 'upload_id'
          as upload_id
      `;
      known.upload = upload_id;
    }],
    ["fail an upload", async (sql) => {
      await actAs(sql, "channel_client");
      await sql`select fail_media_upload(${known.upload ?? null}, 'Gone')`;
    }],
    [
      "note a message from the other person",
      event(itemOf({ kind: "message", person: { phone: moved } })),
    ],
    [
      "merge",
      as("write", async (sql) => {
        const [{ answer }] = await sql`
          select merge_contact(${known.contact}, ${known.other}) as answer
        `;
        assert.equal(answer.results[0].status, 200, JSON.stringify(answer));
      }),
    ],
    ["import", async (sql) => {
      await actAs(sql, "service_role");
      const items = sql`array[${sql.json({ phone: anyPhone() })}::jsonb, ${
        sql.json({ phone, name: "I" })
      }]`;
      await sql`select import_contacts(${company.id}, ${items}, 'update')`;
    }],
  ];
}

/**
 * The number of rows that this session has read but not yet reported to the server's statistics, by
 * table and index.
 */
async function readSoFar(sql: Sql): Promise<Record<string, number>> {
  const found = await sql`
    select oid::regclass::text as name, pg_stat_get_xact_tuples_returned(oid)::int as rows from pg_class
    where relkind in ('r', 'i') and relnamespace in ('public'::regnamespace, 'app'::regnamespace)
  `;
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/**
 * The number of rows that an operation reads, for each table or index from which it reads more than
 * one row.
 */
async function rowsRead(session: Session, operation: Operation): Promise<Record<string, number>> {
  let read: [string, number][] = [];
  await session.begin(async (sql) => {
    const before = await readSoFar(sql);
    await operation(sql);
    await actAsSuperuser(sql);
    const after = await readSoFar(sql);
    read = Object.entries(after).map(([name, rows]) => [name, rows - before[name]]);
  });
  return Object.fromEntries(read.filter(([, rows]) => rows > 1));
}

/** The operations that read too many rows, each with the number of rows for each table. */
async function tooMuchOf(sessions: Record<string, Session>, company: Subject) {
  const found: string[] = [];
  for (const [which, session] of Object.entries(sessions)) {
    for (const [name, operation] of await operationsOf(company)) {
      const read = await rowsRead(session, operation);
      const sum = Object.values(read).reduce((total, rows) => total + rows, 0);
      if (sum > MOST && !name.startsWith("note")) {
        found.push(`${name} (${which}): ${JSON.stringify(read)}`);
      }
    }
  }
  return found;
}

async function warmUp(session: Session, company: Subject) {
  for (let i = 0; i < 7; i++) {
    for (const [, operation] of await operationsOf(company)) await session.begin(operation);
  }
}

Deno.test("operations read few rows of a company, even without fresh statistics", async (t) => {
  await withOwnServer(async (open) => {
    const admin = open("supabase_admin", "template1");
    await admin`alter system set autovacuum = off`;
    await admin`select pg_reload_conf()`;
    await admin`create database known template postgres`;
    await admin`create database smaller template postgres`;
    for (const name of ["known", "smaller"]) {
      await admin`alter database ${admin(name)} set search_path = "$user", public, extensions`;
    }

    await t.step("without statistics", async () => {
      const admin = open("supabase_admin");
      const company = await addCompany(admin);
      await fill(admin, company);
      assert.deepEqual(await tooMuchOf({ fresh: open("supabase_admin") }, company), []);
    });

    await t.step("with statistics of 200 rows of other companies", async () => {
      const [admin, kept] = [open("supabase_admin", "known"), open("supabase_admin", "known")];
      for (let i = 0; i < 20; i++) await fill(admin, await addCompany(admin), 10);
      await admin`analyze`;
      const company = await addCompany(admin);
      await warmUp(kept, company);
      await fill(admin, company);
      assert.deepEqual(
        await tooMuchOf({ kept, fresh: open("supabase_admin", "known") }, company),
        [],
      );
    });

    await t.step("a message with a keyword reads fewer than 20 rows per contact", async () => {
      const admin = open("supabase_admin", "smaller");
      const company = await addCompany(admin);
      await fill(admin, company, FEW);
      const word = (await operationsOf(company)).find(([name]) => name === "word")![1];
      const reads = Object.values(await rowsRead(open("supabase_admin", "smaller"), word));
      // Without statistics about so few rows, each lookup may read all contacts of the company.
      const rows = reads.reduce((total, rows) => total + rows, 0);
      assert.ok(rows < 20 * FEW, `${rows} rows of ${FEW} contacts`);
    });

    await t.step("in a smaller company, without statistics and with statistics", async () => {
      const admin = open("supabase_admin", "smaller");
      const company = await addCompany(admin);
      await fill(admin, company, SOME);
      const session = () => open("supabase_admin", "smaller");
      assert.deepEqual(await tooMuchOf({ "without statistics": session() }, company), []);
      await admin`analyze`;
      assert.deepEqual(await tooMuchOf({ "with statistics": session() }, company), []);

      // Unlike the client roles, a superuser has the default settings of the planner.
      const results = (sql: Sql) =>
        sql`
          select app.with_contact_rows(
            ${company.id}, ${sql.json([{ status: 201, id: company.contact_id }])}, false
          )
        `;
      assert.deepEqual(await rowsRead(session(), results), {}, "the contact of a result");
    });
  });
});
