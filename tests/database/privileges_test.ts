// Every column that a role may read or write, word for word. A field is read-only because the privilege to
// write it is missing, so granting or revoking one fails a test here.

import assert from "node:assert/strict";
import { withDatabase } from "../support/test_stack.ts";

/** The privileges of a role by table: the columns of each, or `true` for one on the whole table. */
type Privileges = Record<string, Record<string, string | true>>;

async function privilegesOf(role: string): Promise<Privileges> {
  return await withDatabase(async (sql) => {
    const rows = await sql`
      with tables as (
        select oid, relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
      )
      select relname as table, privilege, string_agg(attname, ' ' order by attnum) as columns
      from tables
      join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
      cross join unnest(array['select', 'insert', 'update', 'references']) as privilege
      where has_column_privilege(${role}, tables.oid, attnum, privilege)
      group by 1, 2
      union all
      select relname, privilege, null
      from tables cross join unnest(array['delete', 'truncate', 'trigger', 'maintain']) as privilege
      where has_table_privilege(${role}, tables.oid, privilege)
    `;
    const privileges: Privileges = {};
    for (const { table, privilege, columns } of rows) {
      (privileges[table] ??= {})[privilege] = columns ?? true;
    }
    return privileges;
  });
}

const CONTACT = "name email phone temperature tags source job_title empresa custom_fields " +
  "do_not_contact is_active";
const TIMES = "created_at updated_at";
const PIPELINE = `id company_id name position is_default ${TIMES} version archived_at`;
const STAGE = `id company_id pipeline_id name position ${TIMES} version archived_at`;
const MEMBER = `company_id user_id role ${TIMES} name version`;
const TEAM = `id company_id name ${TIMES} version`;
const MOVES = "won_at lost_at stage_changed_at";
const DEAL =
  `id company_id title value status contact_id stage_id ${TIMES} words version ${MOVES} archived_at`;
const KEY_EVENT = "id company_id key_id key_name key_hint action details actor_kind actor_id " +
  "actor_name client_address created_at";
const HISTORY = "id company_id deal_id kind from_value to_value at api_key_id user_id";
const CONVERSATION = "id company_id contact_id messaging_account_id status assigned_to team_id " +
  `last_message_at window_expires_at ${TIMES} version phone_number_id`;
const MESSAGE = "id company_id conversation_id direction type content whatsapp_message_id " +
  `${TIMES} outcome rendered_text version`;
const FACTS = "sent_at delivered_at read_at failed_at expired_at failure price_category price_type";
const WISHES = "do_not_contact_source do_not_contact_at marketing_opt_out_at";
const ACCOUNT = "phone_number_id business_account_id display_phone";
const TEMPLATE =
  "id company_id business_account_id phone_number_ids channel_template_id name language " +
  "status status_since category upcoming_category quality rejected_reason parameter_format components " +
  `header_format variables unsupported media_problem ttl_seconds read_at ${TIMES}`;
const CATALOGUE = `id company_id business_account_id synced_at sync_due_at failures ${TIMES}`;
const KEY_USAGE = "company_id key_id day status requests";
const KEY_ERRORS = "id company_id key_id at status code method operation request_id";
const SEND = "id company_id idempotency_key message_id created_conversation template_name " +
  `language_code state lease_ends_at reason channel_code whatsapp_message_id ${TIMES} ` +
  "attempt double_sent_ids";

Deno.test("a key reads and writes exactly these columns, deletes nothing, and reaches no other table", async () => {
  assert.deepEqual(await privilegesOf("api_client"), {
    company_members: { select: MEMBER },
    contacts: {
      select: `id company_id ${CONTACT} ${TIMES} version ${WISHES} archived_at erased_at`,
      insert: CONTACT,
      update: `${CONTACT} version custom_fields_patch`,
    },
    conversations: { select: CONVERSATION, update: "status assigned_to team_id version" },
    deals: {
      select: DEAL,
      insert: "title value contact_id stage_id",
      update: "title value status stage_id version",
    },
    deleted_rows: { select: "company_id resource id version deleted_at merged_into" },
    messages: {
      select:
        `${MESSAGE} ${FACTS} status payload media reply_to_whatsapp_id reply_to_id reaction ` +
        "edited_at revoked_at",
    },
    pipelines: { select: PIPELINE },
    stages: { select: STAGE },
    teams: { select: TEAM },
    templates: { select: TEMPLATE },
  });
});

Deno.test("a request that reads with a key sees these columns of its company's rows, and no table", async () => {
  const withWords = (columns: string) => columns.replace("version", "name_words name_sort version");
  assert.deepEqual(await privilegesOf("api_reader"), {
    own_contact_former_phones: { select: "id company_id contact_id phone until" },
    own_contact_identities: {
      select: "id company_id contact_id user_id business_account_id seen_at",
    },
    own_contact_identity_events: {
      select: "id company_id contact_id kind was becomes happened_at",
    },
    own_contact_windows: {
      select: "id company_id contact_id account_id last_inbound_at closed_at expires_at",
    },
    own_contact_wishes: {
      select: "id company_id do_not_contact do_not_contact_source do_not_contact_at stop_word_at " +
        "start_word_at marketing_stopped_at marketing_stop_source marketing_resumed_at " +
        "marketing_opt_out_at",
    },
    own_contacts: {
      select: `id company_id ${CONTACT} ${TIMES} phone_key email_key name_words email_words ` +
        `phone_words empresa_words job_title_words name_sort ${WISHES} version ` +
        "archived_at archived_phone_key erased_at",
    },
    own_conversations: {
      select: CONVERSATION.replace("messaging_account_id ", "").replace(
        "version phone_number_id",
        "last_message_sort phone_number_id version",
      ),
    },
    own_deal_history: { select: HISTORY },
    own_deals: {
      select: DEAL.replace("version", "title_sort value_sort version")
        .replace("archived_at", "won_sort lost_sort archived_at"),
    },
    own_members: { select: withWords(`user_id company_id name role ${TIMES} version`) },
    own_messages: {
      select: "id company_id conversation_id direction type content rendered_text status " +
        `whatsapp_message_id ${TIMES} ${FACTS} payload media reply_to_id reply_to_whatsapp_id reaction ` +
        "edited_at revoked_at version",
    },
    own_pipelines: { select: withWords(PIPELINE) },
    own_sends: {
      select:
        "message_id company_id idempotency_key template_name language_code state attempt reason " +
        "channel_code whatsapp_message_id double_sent_ids lease_ends_at created_at",
    },
    own_stages: { select: withWords(STAGE) },
    own_teams: { select: withWords(TEAM) },
    own_templates: { select: `${TEMPLATE} name_words` },
  });
});

Deno.test("a person who has signed in reads and writes exactly these columns", async () => {
  assert.deepEqual(await privilegesOf("authenticated"), {
    account_connections: {
      select: "id company_id account_id connected_at disconnected_at last_event_at",
    },
    account_notices: {
      select:
        "id company_id account_id kind event value happened_at until stops_sending received_at",
    },
    api_key_errors: { select: KEY_ERRORS },
    api_key_events: { select: KEY_EVENT },
    api_key_usage: { select: KEY_USAGE },
    api_keys: {
      select: "id company_id name hint scopes is_active expires_at last_used_at created_by " +
        `${TIMES} replaces`,
      update: "name is_active",
      delete: true,
    },
    companies: { select: `id name ${TIMES}`, update: "name" },
    company_members: { select: MEMBER, update: "name" },
    contact_former_phones: {
      select: "id company_id contact_id phone phone_key until is_archived archived_phone_key",
    },
    contact_identities: {
      select: "id company_id contact_id user_id business_account_id seen_at archived_user_id",
    },
    contact_identity_events: { select: "id company_id contact_id kind was becomes happened_at" },
    contact_windows: {
      select: "id company_id contact_id account_id last_inbound_at closed_at expires_at",
    },
    contacts: {
      select: `id company_id ${CONTACT.replace("phone", "phone phone_key")} ${TIMES} ` +
        "name_words email_words empresa_words job_title_words email_key version has_identity " +
        "do_not_contact_source do_not_contact_at stop_word_at start_word_at " +
        "marketing_stopped_at marketing_stop_source marketing_resumed_at marketing_opt_out_at " +
        "profile_name_at custom_fields_patch archived_at archived_phone_key erased_at",
      insert: `company_id ${CONTACT}`,
      update: `${CONTACT} archived_at`,
    },
    conversations: { select: CONVERSATION, update: "status assigned_to team_id" },
    deal_history: { select: HISTORY },
    deals: {
      select: DEAL,
      insert: "company_id title value status contact_id stage_id",
      update: "title value status contact_id stage_id archived_at",
    },
    messages: {
      select: `${MESSAGE} sent_at delivered_at read_at failed_at expired_at failure ` +
        "price_category price_type status payload media reply_to_whatsapp_id reply_to_id " +
        "reaction edited_at revoked_at expires_at original_content is_erased",
    },
    messaging_accounts: { select: `id company_id ${ACCOUNT} disconnected_at ${TIMES}` },
    pipelines: {
      select: PIPELINE,
      insert: "company_id name position is_default",
      update: "name position is_default archived_at",
      delete: true,
    },
    sends: { select: SEND },
    stages: {
      select: STAGE,
      insert: "company_id pipeline_id name position",
      update: "pipeline_id name position archived_at",
      delete: true,
    },
    teams: {
      select: TEAM,
      insert: "company_id name",
      update: "name",
      delete: true,
    },
    template_catalogues: { select: CATALOGUE },
    templates: { select: TEMPLATE },
  });
});

Deno.test("the platform makes keys only through create_api_key, and writes the column of tokens without reading it", async () => {
  const { api_keys, messaging_accounts } = await privilegesOf("service_role");
  assert.deepEqual(api_keys, (await privilegesOf("authenticated")).api_keys);
  assert.deepEqual(messaging_accounts, {
    select: `id company_id ${ACCOUNT} disconnected_at ${TIMES} channel_app_id`,
    insert: `company_id ${ACCOUNT} encrypted_token disconnected_at channel_app_id`,
    update: `company_id ${ACCOUNT} encrypted_token disconnected_at channel_app_id`,
    delete: true,
  });
});

Deno.test("nobody writes what was done to keys, and the platform reads it", async () => {
  const { api_key_events } = await privilegesOf("service_role");
  assert.deepEqual(api_key_events, { select: KEY_EVENT });
});

Deno.test("the platform reads how keys were used, and writes it only through the function", async () => {
  const { api_key_errors, api_key_usage } = await privilegesOf("service_role");
  assert.deepEqual(api_key_errors, { select: KEY_ERRORS });
  assert.deepEqual(api_key_usage, { select: KEY_USAGE });
});

Deno.test("the platform reads and deletes sends, and writes them only through the functions", async () => {
  const { sends } = await privilegesOf("service_role");
  assert.deepEqual(sends, { select: SEND, delete: true });
});

Deno.test("the platform writes templates, their media and the runs of jobs only through the functions", async () => {
  const { templates, template_catalogues, ...others } = await privilegesOf("service_role");
  assert.deepEqual(templates, { select: TEMPLATE });
  assert.deepEqual(template_catalogues, { select: CATALOGUE });
  for (
    const table of ["template_hints", "template_media", "template_rereads", "job_runs", "job_calls"]
  ) {
    assert.deepEqual(Object.keys(others[table]), ["select"], table);
  }
});

Deno.test("the platform adds apps of the channel without reading their secrets, and reads their events", async () => {
  const { channel_apps, channel_events, channel_jobs, account_channel_apps } = await privilegesOf(
    "service_role",
  );
  assert.deepEqual(channel_apps, {
    select: `id app_key name rotation_began_at ${TIMES}`,
    insert: "app_key name sealed_secret sealed_verify_token",
  });
  for (const events of [channel_events, channel_jobs, account_channel_apps]) {
    assert.deepEqual(Object.keys(events), ["select"]);
  }
});

Deno.test("anon, channel_client and usage_client have no privilege on any table", async () => {
  for (const role of ["anon", "channel_client", "usage_client"]) {
    assert.deepEqual(await privilegesOf(role), {}, role);
  }
});
