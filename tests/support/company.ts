import type postgres from "postgres";
import { digestOf, FIXED_IDS, PEOPLE_MEDIA } from "../../sandbox/people_media.ts";
import { addWebhooks } from "./webhook_rows.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import {
  sealToken,
  type TokenAccount,
} from "../../supabase/functions/_shared/credentials/credentials.ts";
import { credentialsKey, withDatabase } from "./test_stack.ts";

type Sql = postgres.Sql | postgres.TransactionSql;

/** The access token of an account in its stored form. The default is the sandbox's token. */
export async function sealedFor(account: TokenAccount, token = SANDBOX_TOKEN): Promise<string> {
  return await sealToken(token, account, credentialsKey);
}

/**
 * A company for one test, with five API keys and at least one row of every resource except
 * templates and messages.
 */
export interface Company {
  id: string;
  /** `all` has every scope. Every other key has only the scope that it is named after. */
  keys: Record<"all" | "read" | "write" | "messaging" | "webhooks", string>;
  pipeline_id: string;
  /** The stages of the default pipeline, in order. */
  stage_ids: string[];
  contact_id: string;
  deal_id: string;
  /** A messaging account that is connected to the sandbox. */
  account_id: string;
  /** The channel's id of the account's phone number. */
  phone_number_id: string;
  /** The account's access token in its stored form. */
  sealed_token: string;
  conversation_id: string;
  member_id: string;
  team_id: string;
}

/** A company with at least one row of every resource. */
export interface CompanyWithTemplate extends Company {
  /** A template of a business account without a connected account. */
  template_id: string;
  /** A message of the contact. */
  message_id: string;
  /** A message with an image that the sandbox can serve. */
  media_message_id: string;
  /** The public id of an event. */
  event_id: string;
  /** A sent message with the idempotency key `once`. */
  sent_message_id: string;
  archived_contact_id: string;
  archived_deal_id: string;
  /** A contact without other records. */
  erasable_contact_id: string;
  /** Another contact, used for merges. */
  mergeable_contact_id: string;
  /** A pipeline without stages, which is not the default pipeline. */
  spare_pipeline_id: string;
  webhook_id: string;
  /** A webhook that a test may delete. */
  spare_webhook_id: string;
  /** An event that was delivered to the webhook. */
  delivered_event_id: string;
}

/** Columns of a template. By default, a template is approved and has no variables. */
export interface TemplateColumns {
  business_account_id?: string;
  name?: string;
  language?: string;
  status?: string;
  status_since?: Date;
  category?: string | null;
  upcoming_category?: string | null;
  quality?: string | null;
  rejected_reason?: string | null;
  parameter_format?: "POSITIONAL" | "NAMED";
  components?: postgres.JSONValue;
  header_format?: string | null;
  variables?: { header?: unknown[]; body?: unknown[]; buttons?: unknown[] };
  rendering?: postgres.JSONValue;
  otp_button?: number | null;
  unsupported?: string[];
  sample_url?: string | null;
  media_problem?: string | null;
  read_at?: Date;
}

/**
 * Adds a template to a company, as if the channel had listed the template, and returns the
 * template's id. No job synchronises the templates of the template's business account.
 */
export async function addTemplate(
  sql: Sql,
  company_id: string,
  { business_account_id = `2${random(14)}`, components, variables, rendering, ...columns }:
    TemplateColumns = {},
): Promise<string> {
  await sql`
    insert into template_catalogues (company_id, business_account_id, sync_due_at)
    values (${company_id}, ${business_account_id}, '9999-01-01') on conflict do nothing
  `;
  const [{ phone_number_ids }] = await sql`
    select app.connected_numbers(${company_id}, ${business_account_id}) as phone_number_ids
  `;
  const row = {
    ...{ company_id, business_account_id, phone_number_ids },
    name: "order_update",
    language: "en_US",
    status: "APPROVED",
    status_since: new Date(),
    category: "UTILITY",
    quality: "GREEN",
    parameter_format: "POSITIONAL",
    components: sql.json(components ?? [{ type: "BODY", text: "Hello" }]),
    variables: sql.json({ header: [], body: [], buttons: [], ...variables } as postgres.JSONValue),
    rendering: sql.json(rendering ?? { header: null, body: ["Hello"], footer: null, buttons: [] }),
    read_at: new Date(),
    ...columns,
  };
  const [{ id }] = await sql`insert into templates ${sql(row)} returning id`;
  return id;
}

/**
 * Creates a company for one test, so that no test relies on another test's rows. The company's
 * templates have never been synchronised.
 */
export async function newCompany(): Promise<Company> {
  return await withDatabase(async (sql) => await sql.begin(makeCompany));
}

/** Creates a company with a template, a message and a send. */
export async function newCompanyWithTemplate(): Promise<CompanyWithTemplate> {
  const company = await newCompany();
  return await withDatabase(async (sql) => ({
    ...company,
    template_id: await addTemplate(sql, company.id),
    message_id: await addMessage(sql, company),
    media_message_id: await addMessage(sql, company, {
      type: "image",
      media: mediumOf("picture"),
    }),
    sent_message_id: await addSentMessage(sql, company),
    event_id: (await sql`
      select app.event_name(id) as id from app.events where company_id = ${company.id} order by seq limit 1
    `)[0].id,
    ...await addArchived(sql, company),
    spare_pipeline_id: await addPipeline(sql, company.id),
    ...await addWebhooks(sql, company.id),
  }));
}

/** The metadata of one of the sandbox's inbound files, as the webhook stores it in a message. */
export function mediumOf(name: string, changes: Record<string, string | null> = {}) {
  const { mime_type, filename = null, voice = null } = PEOPLE_MEDIA[name];
  const [id] = Array.from(FIXED_IDS).find(([, each]) => each === name)!;
  const expires_at = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  const told = { id, mime_type, sha256: digestOf(name), filename, voice, animated: null };
  return { ...told, expires_at, ...changes };
}

/** Adds an archived contact and an archived deal to a company. */
async function addArchived(sql: Sql, { id, contact_id, stage_ids: [stage_id] }: Company) {
  const contact = { company_id: id, phone: anyPhone(), name: "Archived" };
  const deal = { company_id: id, title: "Archived", contact_id, stage_id };
  const [{ id: archived_contact_id }] = await sql`insert into contacts ${
    sql(contact)
  } returning id`;
  const [{ id: archived_deal_id }] = await sql`insert into deals ${sql(deal)} returning id`;
  await sql`update contacts set archived_at = now() where id = ${archived_contact_id}`;
  await sql`update deals set archived_at = now() where id = ${archived_deal_id}`;
  const [{ id: erasable_contact_id }] = await sql`
    insert into contacts ${sql({ company_id: id, phone: anyPhone(), name: "Erasable" })}
    returning id
  `;
  const [{ id: mergeable_contact_id }] = await sql`
    insert into contacts ${sql({ company_id: id, phone: anyPhone(), name: "Mergeable" })}
    returning id
  `;
  return { archived_contact_id, archived_deal_id, erasable_contact_id, mergeable_contact_id };
}

/** Adds a pipeline without stages to a company, and returns its id. */
async function addPipeline(sql: Sql, company_id: string): Promise<string> {
  const [{ id }] = await sql`
    insert into pipelines (company_id, name) values (${company_id}, 'Spare') returning id
  `;
  return id;
}

/** Columns of a message. By default, a message is a text message from the contact. */
export interface MessageColumns {
  direction?: "inbound" | "outbound";
  type?: string;
  content?: string;
  rendered_text?: string;
  /** For an outbound message: whether the channel has accepted the message. */
  outcome?: "pending" | "accepted" | "failed";
  whatsapp_message_id?: string;
  created_at?: Date;
  /** The time when the contact wrote an inbound message. */
  sent_at?: Date | string;
  delivered_at?: string;
  read_at?: string;
  failed_at?: string;
  expired_at?: string;
  /** By default, an accepted message expires a month after `created_at`. */
  expires_at?: Date;
  failure?: postgres.JSONValue;
  payload?: postgres.JSONValue;
  media?: postgres.JSONValue;
  author_type?: string;
  author_id?: string | null;
  author_name?: string | null;
  reply_to_id?: string;
  reply_to_whatsapp_id?: string;
  reaction?: postgres.JSONValue;
}

/** Adds a message to the company's conversation, and returns the message's id. */
export async function addMessage(
  sql: Sql,
  { id: company_id, conversation_id }: Pick<Company, "id" | "conversation_id">,
  columns: MessageColumns = {},
): Promise<string> {
  const row = { company_id, conversation_id, direction: "inbound", content: "Hello", ...columns };
  const [{ id }] = await sql`insert into messages ${sql(row)} returning id`;
  return id;
}

/**
 * Columns of a send. By default, a send has a template and the idempotency key `once`, and the
 * channel has accepted the message.
 */
export interface SendColumns {
  idempotency_key?: string | null;
  template_name?: string | null;
  language_code?: string | null;
  state?: "pending" | "sent" | "failed" | "released";
  reason?: string;
  channel_code?: number;
  whatsapp_message_id?: string | null;
  attempt?: number;
  double_sent_ids?: string[];
  lease_ends_at?: Date;
  created_at?: Date;
  api_key_id?: string;
}

/**
 * Adds a sent message and its send row to the company's conversation, and returns the message's id.
 */
export async function addSentMessage(
  sql: Sql,
  company: Pick<Company, "id" | "conversation_id">,
  columns: SendColumns = {},
  message: MessageColumns = {},
): Promise<string> {
  const whatsapp_message_id = `wamid.${crypto.randomUUID()}`;
  const { state = "sent" } = columns;
  const message_id = await addMessage(sql, company, {
    direction: "outbound",
    outcome: state === "sent" ? "accepted" : state === "pending" ? "pending" : "failed",
    ...(state === "sent" && { whatsapp_message_id }),
    ...message,
  });
  const row = {
    ...{ company_id: company.id, message_id, claim_id: crypto.randomUUID() },
    ...{ idempotency_key: "once", template_name: "order_update", language_code: "en_US", state },
    ...(state === "sent" && { whatsapp_message_id }),
    ...columns,
  };
  await sql`insert into sends ${sql(row)}`;
  return message_id;
}

/**
 * Adds a message to the company's conversation and deletes the message, so that the company has a
 * row in `deleted_rows`. Returns the message's id.
 */
export async function addDeletedRow(
  sql: Sql,
  company: Pick<Company, "id" | "conversation_id">,
): Promise<string> {
  const id = await addMessage(sql, company);
  await sql`delete from messages where id = ${id}`;
  return id;
}

/** A random phone number that no other test uses. It has more digits than a real +1 number. */
export function anyPhone(): string {
  return `+1${String(crypto.getRandomValues(new Uint32Array(1))[0]).padStart(10, "0")}${random(2)}`;
}

/** A random phone number id, in the channel's format. */
export function anyPhoneNumberId(): string {
  return `1${random(14)}`;
}

function random(digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(Math.random() * 10)).join("");
}

/** Creates a company in a transaction, for a test with its own stack. */
export async function makeCompany(sql: postgres.TransactionSql): Promise<Company> {
  const [{ id }] = await sql`insert into companies (name) values ('Test') returning id`;
  const keys = await newKeys(sql, id);
  const phone_number_id = anyPhoneNumberId();
  const sealed_token = await sealedFor({ company_id: id, phone_number_id });
  const [made] = await sql`
    with contact as (
      insert into contacts (company_id, phone, name) values (${id}, ${anyPhone()}, 'Ada') returning id
    ), account as (
      insert into messaging_accounts (company_id, phone_number_id, display_phone, encrypted_token)
      values (${id}, ${phone_number_id}, '+15550100', ${sealed_token}) returning id
    ), person as (
      insert into auth.users (id) values (gen_random_uuid()) returning id
    ), team as (
      insert into teams (company_id, name) values (${id}, 'Support') returning id
    )
    select contact.id as contact_id, account.id as account_id, person.id as member_id, team.id as team_id,
      array(select id from stages where company_id = ${id} order by position) as stage_ids,
      (select id from pipelines where company_id = ${id}) as pipeline_id
    from contact, account, person, team
  `;
  const { contact_id, account_id, member_id, team_id, stage_ids, pipeline_id } = made;
  const [records] = await sql`
    with deal as (
      insert into deals (company_id, title, contact_id, stage_id)
      values (${id}, 'First', ${contact_id}, ${stage_ids[0]}) returning id
    ), conversation as (
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${id}, ${contact_id}, ${account_id}) returning id
    ), member as (
      insert into company_members (company_id, user_id, role) values (${id}, ${member_id}, 'owner')
    ), invitation as (
      insert into company_invitations (company_id, email, role, invited_by)
      values (${id}, ${`${id}@people.example`}, 'agent', ${member_id})
    )
    select deal.id as deal_id, conversation.id as conversation_id from deal, conversation
  `;
  const { deal_id, conversation_id } = records;
  return {
    ...{ id, keys, pipeline_id, stage_ids, contact_id, deal_id, account_id, phone_number_id },
    ...{ sealed_token, conversation_id, member_id, team_id },
  };
}

/** Connects an account to a company, with a token that the sandbox accepts. */
export async function connectAccount(
  sql: Sql,
  company_id: string,
  { phone_number_id = anyPhoneNumberId(), display_phone = "+15550199", business_account_id }: {
    phone_number_id?: string;
    display_phone?: string;
    /**
     * The channel's id of the business account. By default, the account has no business account, so
     * no job synchronises its templates.
     */
    business_account_id?: string;
  } = {},
): Promise<{ id: string; phone_number_id: string; sealed_token: string }> {
  const encrypted_token = await sealedFor({ company_id, phone_number_id });
  const row = {
    ...{ company_id, phone_number_id, display_phone, encrypted_token },
    business_account_id: business_account_id ?? null,
  };
  const [{ id }] = await sql`insert into messaging_accounts ${sql(row)} returning id`;
  return { id, phone_number_id, sealed_token: encrypted_token };
}

/** Disconnects one account. */
export async function disconnectAccount(sql: Sql, id: string): Promise<void> {
  await sql`
    update messaging_accounts set disconnected_at = now(), encrypted_token = null where id = ${id}
  `;
}

/** Disconnects every account of a company. */
export async function disconnectAccounts(sql: Sql, company_id: string): Promise<void> {
  await sql`
    update messaging_accounts set disconnected_at = now(), encrypted_token = null
    where company_id = ${company_id}
  `;
}

/**
 * Creates a company's five API keys in one statement. This saves time, because most tests create a
 * company.
 */
async function newKeys(sql: postgres.TransactionSql, company_id: string): Promise<Company["keys"]> {
  await sql`set local role service_role`;
  const made = await sql`
    select whose, api_key from unnest(${[
    "all",
    "read",
    "write",
    "messaging",
    "webhooks",
  ]}::text[]) as whose, create_api_key(
      'test', case whose when 'all' then '{read,write,messaging,webhooks}' else array[whose] end, null, ${company_id}
    )
  `;
  await sql`reset role`;
  return Object.fromEntries(made.map(({ whose, api_key }) => [whose, api_key])) as Company["keys"];
}

/** Creates an API key as the platform does, and returns the key. */
export async function newKey(
  sql: postgres.TransactionSql,
  companyId: string,
  scopes: string[],
  expiresAt: Date | null = null,
): Promise<string> {
  await sql`set local role service_role`;
  const [{ api_key }] = await sql`
    select api_key from create_api_key('test', ${scopes}, ${expiresAt}, ${companyId})
  `;
  await sql`reset role`;
  return api_key;
}

/** Creates a company member and returns the user's id. */
export async function newMember(
  sql: postgres.TransactionSql,
  companyId: string,
  role: "owner" | "admin" | "agent",
): Promise<string> {
  const [user] = await sql`insert into auth.users (id) values (gen_random_uuid()) returning id`;
  await sql`
    insert into company_members (company_id, user_id, role) values (${companyId}, ${user.id}, ${role})
  `;
  return user.id;
}

/** Creates one company member for each role, and returns their user ids. */
export async function newMembers(
  company: { id: string },
  ...roles: ("owner" | "admin" | "agent")[]
): Promise<string[]> {
  return await withDatabase((sql) =>
    sql.begin(async (sql) => {
      const ids: string[] = [];
      for (const role of roles) ids.push(await newMember(sql, company.id, role));
      return ids;
    })
  );
}
