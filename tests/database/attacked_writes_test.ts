// Only owners and admins can use the actions of the settings page. The database functions that the
// page calls enforce this.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { refusal, rolledBack } from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { personToken, rest } from "../support/rest.ts";
import { statement } from "../support/test_stack.ts";
import {
  agent,
  attempt,
  ids,
  MANAGERS,
  outcome,
  OUTSIDERS,
  own,
  owner,
  PEOPLE,
  test,
} from "./attacks.ts";

/** The functions that API keys can also call. */
const OF_KEYS = /^(list|get|delete|test|replay)_webhook|^webhook_deliveries|^redeliver_event/;

test("the settings page's functions let no caller read or change more than the caller's role allows", async () => {
  const unknown = crypto.randomUUID();
  const key = { name: "Mine", scopes: ["read"], company_id: own.id };
  const lift = {
    ...{
      contact_id: own.contact_id,
      kind: "do_not_contact",
      asked_at: "2026-11-20",
      reason: "Mine",
    },
  };
  const colleague = { company_id: own.id, user_id: owner };
  const guest = { company_id: own.id, email: "mine@people.example", role: "owner" };
  /**
   * For each function: its arguments, its response to the owner of another company, and its
   * response to an agent.
   */
  type Call = [name: string, json: Record<string, unknown>, stranger: string, agent: string];
  const calls: Call[] = [
    ["create_api_key", key, "403 PT403", "403 PT403"],
    ["create_api_key", { ...key, company_id: unknown }, "403 PT403", "403 PT403"],
    ["rotate_api_key", { key_id: ids.key }, "404 PT404", "403 PT403"],
    ["rotate_api_key", { key_id: ids.key, overlap_hours: 0 }, "404 PT404", "403 PT403"],
    ["rotate_api_key", { key_id: unknown }, "404 PT404", "403 PT403"],
    ["set_api_key_expiry", { key_id: ids.key, expires_at: null }, "404 PT404", "403 PT403"],
    ["answers_of_api_keys", { company_id: own.id }, "200", "200"],
    ["requests_by_status", { company_id: own.id, key_id: ids.key }, "200", "200"],
    ["disconnect_messaging_account", { account_id: own.account_id }, "404 PT404", "403 PT403"],
    ["disconnect_messaging_account", { account_id: unknown }, "404 PT404", "404 PT404"],
    ["opt_outs", { company_id: unknown }, "200", "200"],
    ["lift_opt_out", lift, "404 PT404", "409 PT409"],
    ["lift_opt_out", { ...lift, asked_at: null }, "404 PT404", "409 PT409"],
    ["begin_test_send", { company_id: own.id, id: unknown }, "403 PT403", "403 PT403"],
    ["begin_test_send", { company_id: null, id: unknown }, "403 PT403", "403 PT403"],
    ["change_member_role", { ...colleague, role: "owner" }, "404 PT404", "403 PT403"],
    ["remove_member", colleague, "404 PT404", "403 PT403"],
    ["invite_member", guest, "404 PT404", "403 PT403"],
    ["invite_member", { ...guest, company_id: null }, "404 PT404", "404 PT404"],
    ["require_second_factor", { company_id: own.id, required: true }, "404 PT404", "403 PT403"],
    ["managing_person", { company_id: own.id }, "403 PT403", "403 PT403"],
    ...["renew", "withdraw", "accept", "decline"].map((verb): Call => [
      `${verb}_invitation`,
      { invitation_id: ids.invitation },
      "404 PT404",
      /^(renew|withdraw)$/.test(verb) ? "403 PT403" : "404 PT404",
    ]),
    ["claim_invitation_mail", { invitation_id: ids.invitation }, "404 PT404", "403 PT403"],
    ["note_invitation_mail_failed", { invitation_id: ids.invitation }, "404 PT404", "403 PT403"],
    ["end_session", { session_id: ids.session }, "404 PT404", "404 PT404"],
    ["own_invitations", {}, "200", "200"],
    ["own_sessions", {}, "200", "200"],
    ["company_people", { company_id: unknown }, "200", "200"],
    ["messaging_account_troubles", { company_id: unknown }, "200", "200"],
    ["webhook_troubles", { company_id: own.id }, "200", "200"],
    ["list_webhooks", { company_id: own.id }, "403 PT403", "403 PT403"],
    ["get_webhook", { webhook_id: ids.webhook }, "404 PT404", "403 PT403"],
    ["webhook_deliveries", { webhook_id: ids.webhook }, "404 PT404", "403 PT403"],
    ["delete_webhook", { webhook_id: ids.webhook }, "404 PT404", "403 PT403"],
    ["test_webhook", { webhook_id: ids.webhook }, "404 PT404", "403 PT403"],
    ["replay_webhook", { webhook_id: ids.webhook, since: new Date() }, "404 PT404", "403 PT403"],
    ["redeliver_event", { webhook_id: ids.webhook, event_id: "evt_1" }, "404 PT404", "403 PT403"],
    ["sends_by_outcome", { company_id: unknown }, "403 PT403", "403 PT403"],
    ["sends_by_outcome", { company_id: null }, "403 PT403", "403 PT403"],
    ["list_company_sends", { company_id: unknown }, "403 PT403", "403 PT403"],
    ["list_company_sends", { company_id: null }, "403 PT403", "403 PT403"],
    ["get_company_send", { company_id: null, message_id: unknown }, "403 PT403", "403 PT403"],
    ["get_company_send", { company_id: own.id, message_id: unknown }, "403 PT403", "404 PT404"],
    ["messaging_accounts_overview", { company_id: unknown }, "200", "200"],
    ["messaging_accounts_overview", { company_id: null }, "200", "200"],
  ];
  for (const [name, json, stranger, ofAgent] of calls) {
    for (const [who, to] of Object.entries(OUTSIDERS)) {
      const answer = await attempt(who, to, { method: "POST", path: `/rpc/${name}`, json });
      const said = `${who}: ${name} ${JSON.stringify(json)}`;
      if (answer.status === 200) assert.deepEqual(answer.body, [], said);
      // A user who manages no company receives an error that says so.
      const expected = who === "an agent"
        ? ofAgent
        : who === "the owner of another company"
        ? stranger
        : PEOPLE.includes(who)
        ? /^(rotate|set)_api_key/.test(name) ? "403 PT403" : stranger
        : to === null
        ? "401 42501"
        : "403 42501";
      if (OF_KEYS.test(name) && who.startsWith("an API key, to")) {
        // A key needs the scope `webhooks`.
        assert.equal(outcome(answer), "403 PT403", said);
        continue;
      }
      assert.equal(outcome(answer), expected, said);
    }
  }
  // Other tests attack these two functions.
  const others = ["erase_contact", "finish_channel_app_rotation"];
  const [{ names }] = await statement`
    select array_agg(distinct proname::text) as names from pg_proc
    where pronamespace = 'public'::regnamespace and has_function_privilege('authenticated', oid, 'execute')
  `;
  const tried = new Set([...calls.map(([name]) => name), ...others]);
  assert.deepEqual(
    [...tried].sort(),
    names.sort(),
    "`calls` has a row for each function that users can call",
  );

  const seen: [name: string, agent: number][] = [
    ["messaging_accounts_overview", 1],
    ["company_people", 3],
  ];
  for (const [name, ofAgent] of seen) {
    for (const [who, to] of Object.entries(OUTSIDERS)) {
      const asked = { method: "POST", path: `/rpc/${name}`, json: { company_id: own.id } };
      const { status, body } = await attempt(who, to, asked);
      const rows = status === 200 ? body.length : status;
      const expected = who === "an agent"
        ? ofAgent
        : PEOPLE.includes(who)
        ? 0
        : to === null
        ? 401
        : 403;
      assert.equal(rows, expected, `${who}: ${name}`);
    }
  }
});

test("a GET request cannot call a function that writes, or a function in the schema app", async () => {
  const queries = [
    `/rpc/create_api_key?name=Mine&scopes={read}&company_id=${own.id}`,
    `/rpc/rotate_api_key?key_id=${ids.key}`,
    `/rpc/disconnect_messaging_account?account_id=${own.account_id}`,
  ];
  for (const path of queries) {
    const { status } = await attempt("an owner", MANAGERS["an owner"], { path });
    assert.equal(status, 405, path);
  }
  const hidden = [
    ...["add_api_key", "note_api_key_event", "note_member_event", "name_of_person", "acting_kind"],
    ...["note_last_event", "is_current", "check_name"],
    ...["client_address", "managed_company_ids", "keep_an_owner", "remove_old_usage_of_keys"],
  ];
  for (const name of hidden) {
    const asked = { method: "POST", path: `/rpc/${name}`, json: {} };
    const answer = await attempt("an owner", MANAGERS["an owner"], asked);
    assert.equal(answer.status, 404, name);
    const profile = { ...asked, headers: { "Content-Profile": "app", "Accept-Profile": "app" } };
    assert.equal(
      (await attempt("an owner", MANAGERS["an owner"], profile)).status,
      406,
      `${name} of app`,
    );
  }
});

Deno.test("the history distinguishes an admin from the owner even after the admin swaps their names", async () => {
  const company = await newCompany();
  const [admin] = await newMembers(company, "admin");
  const [asOwner, asAdmin] = await Promise.all([company.member_id, admin].map(personToken));
  const name = async (member: string, name: string) => {
    const path = `/company_members?company_id=eq.${company.id}&user_id=eq.${member}&select=name`;
    const { body } = await rest(asAdmin, "PATCH", path, { json: { name } });
    assert.deepEqual(body, [{ name }]);
  };
  await name(company.member_id, "Ada");
  await name(admin, "Bob");
  await name(company.member_id, "Bob");
  await name(admin, "Ada");
  const json = { name: "Mine", scopes: ["messaging"], company_id: company.id };
  const made = await rest(asAdmin, "POST", "/rpc/create_api_key", { json });
  assert.equal(made.status, 200);
  await name(admin, "Bob");
  await name(company.member_id, "Ada");

  const shown = "action,member_id,actor_id,actor_name,from:details->>from,to:details->>to";
  const path = `/company_events?company_id=eq.${company.id}&actor_id=not.is.null&select=${shown}` +
    "&order=created_at";
  const { body } = await rest(asOwner, "GET", path);
  const renamed = (
    member_id: string,
    actor_name: string | null,
    from: string | null,
    to: string,
  ) => ({ action: "member_renamed", member_id, actor_id: admin, actor_name, from, to });
  assert.deepEqual(body, [
    renamed(company.member_id, null, null, "Ada"),
    renamed(admin, null, null, "Bob"),
    renamed(company.member_id, "Bob", "Ada", "Bob"),
    renamed(admin, "Bob", "Bob", "Ada"),
    { ...renamed(null!, "Ada", null, null!), action: "created" },
    renamed(admin, "Ada", "Ada", "Bob"),
    renamed(company.member_id, "Bob", "Bob", "Ada"),
  ]);
});

/** Invalid names of members and keys, each with the rule that the name breaks. */
const WRONG_NAMES: [name: string, rule: string][] = [
  ...["", "x".repeat(101)].map((name): [string, string] => [name, "has 1 to 100 characters"]),
  ...[" ", " Ada", "Ada ", "Ada\u00a0", "\u3000Ada", "Ada\u200d", "A\nda", "A\tda", "A\u2028da"],
  ...["A\u0007da", "A\u0085da", "A\u00adda", "A\u200bda", "\u202eadA", "\u2066Ada\u2069"],
  ...["A\ufeffda", "A\u034fda", "\u3164", "A\u2800da", "A\u{e0041}da"],
].map((each) =>
  typeof each === "string"
    ? [
      each,
      "has no blank at either end, and no line breaks, control characters or invisible characters",
    ]
    : each
);

test("a key name or member name with an invalid length or a misleading character is refused with a reason", async () => {
  for (
    const [path, whose] of [
      [`/api_keys?id=eq.${ids.key}&select=id`, "a key"],
      [`/company_members?user_id=eq.${agent}&select=user_id`, "a member"],
    ]
  ) {
    for (const [name, rule] of WRONG_NAMES) {
      const asked = { method: "PATCH", path, json: { name } };
      const answer = await attempt("an owner", MANAGERS["an owner"], asked);
      assert.equal(outcome(answer), "422 PT422", JSON.stringify(asked));
      assert.equal(answer.body.message, `The name of ${whose} ${rule}`);
    }
  }
});

Deno.test("the constraints refuse an invalid name even when triggers are off", async () => {
  await rolledBack(async (sql) => {
    // Triggers are off in this mode.
    await sql`set local session_replication_role = replica`;
    for (const table of ["api_keys", "company_members"]) {
      for (const [name] of WRONG_NAMES) {
        const naming = (sql: postgres.TransactionSql) =>
          sql`update ${sql(table)} set name = ${name} where company_id = ${own.id}`;
        const refused = await refusal(sql, naming);
        assert.match(refused, new RegExp(`^23514 ${table}_name_(check|can_be_typed)$`), name);
      }
    }
  });
});
