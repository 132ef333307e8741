import type { Sql } from "../../local/postgres/database.ts";

/**
 * Every string in the victim's rows contains this marker. A response to another company must never
 * contain the marker.
 */
export const VICTIM_MARK = "victim-0b5e55ed";

/** Encrypts an account's token. */
type Sealed = (account: { company_id: string; phone_number_id: string }) => Promise<string>;

/** The number of contacts of the heavy company. Each has custom fields of about 16 KiB. */
export const HEAVY_CONTACTS = 250;

/** A company of the attack. `key` has the scopes read, write and messaging. */
export interface AttackedCompany {
  id: string;
  key: string;
  /** A key with only one scope. */
  readKey: string;
  /** The ids of the company's rows, by the kind of row. */
  ids: Record<
    | "contact"
    | "deal"
    | "conversation"
    | "message"
    | "send"
    | "template"
    | "stage"
    | "pipeline"
    | "team"
    | "member",
    string[]
  >;
  /** The channel's ids of the accounts' phone numbers. */
  phoneNumberIds: string[];
  phones: string[];
  /** The idempotency keys of the company's sends. */
  sendKeys: string[];
}

export interface Companies {
  /** The company whose key the attack has. */
  attacker: AttackedCompany;
  /** The company whose rows the attack tries to read and change, and whose work it disturbs. */
  victim: AttackedCompany;
  /** A company whose contacts are as large as possible. */
  heavy: AttackedCompany;
}

/**
 * Writes the companies of the attack. Their ids are the same in every run, so the same seed makes
 * the same requests.
 *
 * @param sealed encrypts the token of an account.
 */
export async function writeCompanies(
  owner: Sql,
  sealed: Sealed,
): Promise<Companies> {
  return {
    attacker: await writeCompany(owner, sealed, { n: 1, text: "attacker", contacts: 8 }),
    victim: await writeCompany(owner, sealed, { n: 2, text: VICTIM_MARK, contacts: 60 }),
    heavy: await writeCompany(owner, sealed, {
      n: 3,
      text: "heavy",
      contacts: HEAVY_CONTACTS,
      fieldBytes: 16_000,
    }),
  };
}

/** The id of the n-th row of a kind in a company, a version 4 UUID. */
function idOf(company: number, kind: number, row: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  return `a77ac${hex(company, 3)}-${hex(kind, 4)}-4000-8000-${hex(row, 12)}`;
}

interface Plan {
  n: number;
  text: string;
  contacts: number;
  fieldBytes?: number;
}

async function writeCompany(
  owner: Sql,
  sealed: Sealed,
  { n, text, contacts, fieldBytes = 40 }: Plan,
): Promise<AttackedCompany> {
  const id = idOf(n, 0, 0);
  const account = {
    ...{ id: idOf(n, 4, 0), company_id: id },
    phone_number_id: String(700_000_000_000 + n),
    // The companies share this business account, like companies of one agency. Each company has
    // its own list of templates.
    business_account_id: "700000000000",
  };
  const templateIds = [idOf(n, 7, 0), idOf(n, 7, 1)];
  const phone = (row: number) => `+5511${9_00_00_00_00 + n * 1_000_000 + row}`;
  const contactIds = Array.from({ length: contacts }, (_, row) => idOf(n, 1, row));
  const [team_id, user_id] = [idOf(n, 5, 0), idOf(n, 6, 0)];
  const encrypted_token = await sealed(account);
  const keys = await owner.begin(async (sql) => {
    await sql`insert into companies ${sql({ id, name: text })}`;
    await sql`
      insert into contacts (id, company_id, phone, name, email, empresa, job_title, custom_fields, created_at)
      select id, ${id}, phone, ${text} || ' ' || at, ${text} || at || '@example.com', ${text}, ${text},
        jsonb_build_object('notes', (
          select left(string_agg(md5(at || ${text} || piece), ''), ${fieldBytes})
          from generate_series(1, ${Math.ceil(fieldBytes / 32)}) as piece
        )),
        timestamptz '2026-01-01 00:00Z' + at * interval '1.000001 seconds'
      from unnest(${contactIds}::uuid[], ${contactIds.map((_, row) => phone(row))}::text[])
        with ordinality as contacts (id, phone, at)
    `;
    await sql`insert into messaging_accounts ${
      sql({ ...account, display_phone: "+15550100", encrypted_token })
    }`;
    const { business_account_id } = account;
    await sql`insert into template_catalogues ${
      sql({ company_id: id, business_account_id, synced_at: new Date() })
    }`;
    for (const [row, template_id] of templateIds.entries()) {
      await sql`
        insert into templates ${
        sql({
          id: template_id,
          company_id: id,
          business_account_id,
          phone_number_ids: [account.phone_number_id],
          name: ["order_update", `${text.replace(/[^a-z]/g, "_")}`][row],
          language: "pt_BR",
          status: "APPROVED",
          status_since: new Date(),
          parameter_format: "POSITIONAL",
          components: sql.json([{ type: "BODY", text: `${text} {{1}} {{2}}` }]),
          variables: sql.json({
            header: [],
            body: ["1", "2"].map((name) => ({ name, example: text })),
            buttons: [],
          }),
          rendering: sql.json({ header: null, body: [text, 0, 1], footer: null, buttons: [] }),
          read_at: new Date(),
        })
      }
      `;
    }
    await sql`insert into teams ${sql({ id: team_id, company_id: id, name: text })}`;
    await sql`insert into auth.users ${sql({ id: user_id })}`;
    await sql`insert into company_members ${
      sql({ company_id: id, user_id, role: "owner", name: text })
    }`;
    const [stage] = await sql`select id from stages where company_id = ${id} order by position`;
    for (const [row, contact_id] of contactIds.slice(0, 8).entries()) {
      const own = { company_id: id, contact_id };
      await sql`insert into deals ${
        sql({ ...own, id: idOf(n, 2, row), title: text, stage_id: stage.id })
      }`;
      const conversation_id = idOf(n, 3, row);
      await sql`insert into conversations ${
        sql({ ...own, id: conversation_id, messaging_account_id: account.id })
      }`;
      // The first conversation has two messages, so that its list of messages has a second page.
      for (const kind of row === 0 ? [8, 9] : [8]) {
        await sql`insert into messages ${
          sql({
            ...{ id: idOf(n, kind, row), company_id: id, conversation_id },
            ...{ direction: "outbound", outcome: "accepted", content: text, rendered_text: text },
            whatsapp_message_id: `wamid.${text}.${kind}.${row}`,
          })
        }`;
      }
      await sql`insert into sends ${
        sql({
          ...{ company_id: id, message_id: idOf(n, 8, row), claim_id: idOf(n, 10, row) },
          ...{ template_name: text, language_code: "en_US", state: "sent" },
          idempotency_key: sendKey(text, row),
          whatsapp_message_id: `wamid.${text}.8.${row}`,
        })
      }`;
    }
    await sql`set local role service_role`;
    const made = [["read", "write", "messaging"], ["read"]].map(async (scopes) => {
      const [{ api_key }] = await sql`
        select (create_api_key('attack', ${scopes}, null, ${id})).api_key
      `;
      return api_key as string;
    });
    return await Promise.all(made);
  });
  const stages = await owner`select id, pipeline_id from stages where company_id = ${id}`;
  const rowIds = (kind: number) => contactIds.slice(0, 8).map((_, row) => idOf(n, kind, row));
  return {
    id,
    key: keys[0],
    readKey: keys[1],
    ids: {
      contact: contactIds.slice(0, 8),
      deal: rowIds(2),
      conversation: rowIds(3),
      message: rowIds(8),
      send: rowIds(8),
      template: templateIds,
      stage: stages.map(({ id }) => id),
      pipeline: [...new Set(stages.map(({ pipeline_id }) => pipeline_id))],
      team: [team_id],
      member: [user_id],
    },
    phoneNumberIds: [account.phone_number_id],
    phones: contactIds.slice(0, 8).map((_, row) => phone(row)),
    sendKeys: contactIds.slice(0, 8).map((_, row) => sendKey(text, row)),
  };
}

function sendKey(text: string, row: number): string {
  return `${text}, send ${row}`;
}

const TABLES = [
  ...["companies", "contacts", "deals", "pipelines", "stages", "conversations", "messages"],
  ...["teams", "company_members", "messaging_accounts", "sends"],
  ...["template_catalogues", "templates", "template_media", "template_rereads"],
];

/** A hash of all rows of a company. Requests of another company must not change it. */
export async function hashOfRows(owner: Sql, { id }: AttackedCompany): Promise<string> {
  const hashes = TABLES.map(async (table) => {
    const company = table === "companies" ? "id" : "company_id";
    const [{ hash }] = await owner.unsafe(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash
       from ${table} as t where ${company} = $1`,
      [id],
    );
    return `${table} ${hash}`;
  });
  return (await Promise.all(hashes)).join("\n");
}
