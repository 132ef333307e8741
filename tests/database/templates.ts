import type postgres from "postgres";
import type { Sql } from "../support/acting_as.ts";
import { anyPhoneNumberId, type Company } from "../support/company.ts";

// Template catalogues, for tests of how the database stores and uses them.

/** A template in the channel's list, in the form that apply_template_sync() accepts. */
export type Entry = Record<string, unknown>;

/** The columns of templates that API keys and users can read. */
export const TEMPLATE_COLUMNS = [
  ...["id", "company_id", "business_account_id", "phone_number_ids", "channel_template_id", "name"],
  ...["language", "status", "status_since", "category", "upcoming_category", "quality"],
  ...["rejected_reason", "parameter_format", "components", "header_format", "variables"],
  ...["unsupported", "media_problem", "ttl_seconds", "read_at", "created_at", "updated_at"],
];

const variable = (name: string) => ({ name, example: null });
/** The variables of a template, by component. */
export const variables = (header = 0, body = 0, buttons = 0) => ({
  header: Array.from({ length: header }, (_, n) => variable(`${n + 1}`)),
  body: Array.from({ length: body }, (_, n) => variable(`${n + 1}`)),
  buttons: Array.from({ length: buttons }, (_, index) => ({
    index,
    kind: "url",
    text: "Track",
    example: null,
  })),
});

/**
 * An approved template whose body has two variables. By default, `claim()` sends this template.
 * Values in `changes` replace its columns.
 */
export function entry(changes: Entry = {}): Entry {
  return {
    channel_template_id: "1689556908129832",
    name: "order_update",
    language: "pt_BR",
    status: "APPROVED",
    category: "UTILITY",
    upcoming_category: null,
    quality: "GREEN",
    rejected_reason: null,
    parameter_format: "POSITIONAL",
    components: [{ type: "BODY", text: "Olá {{1}}, o pedido {{2}} saiu." }],
    header_format: null,
    variables: variables(0, 2),
    otp_button: null,
    rendering: {
      header: null,
      body: ["Olá ", 0, ", o pedido ", 1, " saiu."],
      footer: null,
      buttons: [],
    },
    unsupported: [],
    sample_url: null,
    ttl_seconds: null,
    ...changes,
  };
}

export const SAMPLE = "https://scontent.whatsapp.net/v/sample.jpg";

/** A template with a media header and no variables. */
export function mediaEntry(changes: Entry = {}): Entry {
  return entry({
    header_format: "IMAGE",
    variables: variables(),
    rendering: { header: null, body: ["Olá"], footer: null, buttons: [] },
    sample_url: `${SAMPLE}?oe=6A&sig=secret`,
    ...changes,
  });
}

/** The values that match the template of `entry()`. */
export const FITTING = { body_variables: ["Ada", "42"] };

/**
 * Adds an account to a business account, and returns the channel's id of the business account. By
 * default, the business account is new.
 */
export async function joinBusinessAccount(
  sql: Sql,
  account_id: string,
  business_account_id = anyPhoneNumberId(),
): Promise<string> {
  await sql`update messaging_accounts set ${sql({ business_account_id })} where id = ${account_id}`;
  return business_account_id;
}

/** The result of apply_template_sync(). */
export interface Applied {
  templates: number;
  added: number;
  changed: number;
  removed: number;
}

/**
 * Stores a list of templates in the current role, as a job that began to read the list `age` ago.
 * By default, the job began in this transaction.
 */
export async function apply(
  sql: Sql,
  account_id: string,
  entries: unknown,
  { age = "0", only_name = null, began_at = null }: {
    age?: string;
    only_name?: string | null;
    began_at?: string | null;
  } = {},
): Promise<Applied> {
  const [{ answer }] = await sql`
    select apply_template_sync(
      ${account_id}, coalesce(${began_at}::timestamptz, now() - ${age}::interval),
      ${entries === null ? null : sql.json(entries as postgres.JSONValue)}, ${only_name}
    ) as answer
  `;
  return answer;
}

/**
 * Stores these templates as the whole catalogue of a new business account. The company's account is
 * added to that business account.
 * @param age how long ago the service began to read the list.
 * @returns the channel's id of the business account.
 */
export async function catalogued(
  sql: Sql,
  { account_id }: Pick<Company, "account_id">,
  entries: Entry[] = [entry()],
  age = "0",
): Promise<string> {
  const business_account_id = await joinBusinessAccount(sql, account_id);
  await apply(sql, account_id, entries, { age });
  return business_account_id;
}

/** Adds a row for a company to each table of templates, media, test sends and jobs. */
export async function addCatalogue(sql: Sql, company: Company): Promise<void> {
  const business_account_id = await catalogued(sql, company, [
    entry(),
    mediaEntry({ name: "promo" }),
  ]);
  await sql`
    insert into template_rereads (company_id, business_account_id, name)
    values (${company.id}, ${business_account_id}, 'order_update')
  `;
  await sql`
    insert into template_hints (company_id, business_account_id, name, language, kind, value, happened_at)
    values (${company.id}, ${business_account_id}, 'order_update', 'pt_BR', 'quality', '{}', now())
  `;
  await sql`
    select begin_media_upload(${company.account_id}, id) from templates
    where company_id = ${company.id} and name = 'promo'
  `;
  await sql`
    insert into test_sends (id, company_id, user_id)
    values (gen_random_uuid(), ${company.id}, ${company.member_id})
  `;
  await sql`select begin_job('template-media', ${company.account_id})`;
  await sql`
    insert into job_calls (company_id, account_id, job, request_id)
    values (${company.id}, ${company.account_id}, 'template-media', 1)
  `;
}
