// Runs the statements with which the operator withdraws access again after a restore.
import assert from "node:assert/strict";
import { actAs, actAsSuperuser, refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import { bareCompany, json, printed } from "../admin/command.ts";
import { readPage } from "./pages.ts";

const { text, blocks } = await readPage("docs/operating.md");
const [, section = ""] = text.split("### Withdraw access again\n");
const end = section.indexOf("\n## ");

/** The statement in the section that contains these words. */
function statementWith(words: string): string {
  const found = blocks.find(({ language, text }) => language === "sql" && text.includes(words));
  const first = found?.text.trim().split("\n")[0];
  assert.ok(found && section.slice(0, end).includes(first!), `no statement contains ${words}`);
  return found.text;
}

/** Acts as the role that runs an operator's statements, the owner of the tables. */
const asOperator = async (sql: Sql) => {
  await actAsSuperuser(sql);
  await sql`set local role postgres`;
};

Deno.test("after a restore, the operator's statements deactivate every key with its webhooks, and end every session", async () => {
  const { id, member_id } = await newCompany();
  await rolledBack(async (sql) => {
    const [{ id: key_id }] = await sql`
      select id from api_keys where company_id = ${id} and 'webhooks' = any (scopes) limit 1
    `;
    const webhook_id = await addWebhook(sql, { id }, { created_by_key_id: key_id });
    const session_id = crypto.randomUUID();
    await sql`
      insert into auth.sessions ${
      sql({ id: session_id, user_id: member_id, aal: "aal1", created_at: new Date() })
    }
    `;
    const readKeys = (sql: Sql) => sql`select id from api_keys`;
    const asOwner = () => actAs(sql, "authenticated", { sub: member_id, session_id, aal: "aal1" });
    await asOwner();
    assert.ok((await readKeys(sql)).length > 0);
    await asOperator(sql);
    // Without these additions, the statements would lock the rows of the other tests.
    const only = (statement: string, of: string) => statement.replace(/;\s*$/, ` and ${of}`);
    await sql.unsafe(only(statementWith("update public.api_keys"), `company_id = '${id}'`));
    await sql.unsafe(only(statementWith("delete from auth.sessions"), `user_id = '${member_id}'`));
    await asOwner();
    assert.equal(await refusal(sql, readKeys), "PT401");
    await actAsSuperuser(sql);
    const keys = await sql`select is_active from api_keys where company_id = ${id}`;
    assert.ok(keys.length > 0 && keys.every(({ is_active }) => !is_active));
    const [{ state, why }] = await sql`select state, why from webhooks where id = ${webhook_id}`;
    assert.deepEqual([state, why], ["off", "key_ended"]);
  });
});

Deno.test("after a restore, only a key that had leaked loses its webhooks, and the steps on the page switch them on again", async () => {
  const steps = section.slice(0, end);
  const [row] = /^ +\| `rotated` \|.*/m.exec(steps) ?? [""];
  const [usual, leaked] = Array.from(row.matchAll(/--overlap (\w+)/g), ([, overlap]) => overlap);
  assert.match(row, /If the key had leaked, use `--overlap now`/);
  assert.deepEqual([usual, leaked], ["1h", "now"]);
  const company = await bareCompany();
  const rotate = async (overlap: string) => {
    const create = [
      "key",
      "create",
      "--company",
      company,
      "--name",
      "Shop",
      "--scopes",
      "webhooks",
    ];
    const { id } = await json(create);
    const webhook_id = await withDatabase((sql) =>
      addWebhook(sql, { id: company }, { created_by_key_id: id })
    );
    await printed(["key", "rotate", id, "--overlap", overlap]);
    return webhook_id;
  };
  const stateOf = async (id: string) =>
    (await statement`select state from webhooks where id = ${id}`)[0].state;
  assert.equal(await stateOf(await rotate(usual)), "on");
  const webhook_id = await rotate(leaked);
  assert.equal(await stateOf(webhook_id), "off");
  await statement`update webhooks set url = url || '?to=elsewhere' where id = ${webhook_id}`;
  const list = await printed(["webhooks", "list", "--company", company]);
  assert.ok(!list.includes("elsewhere") && /webhooks list[^`]*` leaves out the query/.test(steps));
  const commands = Array.from(
    steps.matchAll(/`npm run admin --\s+(webhooks\s+(?:resume|replay) <id>[^`]*)`/g),
    ([, command]) => command.replace("<id>", webhook_id).split(/\s+/),
  );
  assert.deepEqual(commands.map(([, name]) => name), ["resume", "replay"]);
  for (const command of commands) await printed(command);
  assert.equal(await stateOf(webhook_id), "on");
  assert.match(
    steps,
    /3\. [^]*on the settings\s+page\.[^]*switch the good webhooks on again[^]*\n4\. /,
  );
});

Deno.test("the history of the old database shows what the operator has to repeat, and every such action is on the page", async () => {
  const company = await newCompany();
  const [admin] = await newMembers(company, "admin");
  await rolledBack(async (sql) => {
    await sql`update api_keys set is_active = false where company_id = ${company.id}`;
    await sql`update auth.users set email = ${`${admin}@people.example`} where id = ${admin}`;
    await sql`delete from company_members where company_id = ${company.id} and user_id = ${admin}`;
    await asOperator(sql);
    const began = new Date(Date.now() - 3600_000).toISOString();
    const rows = await sql.unsafe(
      statementWith("from company_events as events").replace("'…'", `'${began}'`),
    );
    const own = rows.filter(({ company_id }) => company_id === company.id);
    assert.ok(own.some(({ action, key_id }) => action === "switched_off" && key_id !== null));
    const removed = own.find(({ action }) => action === "member_removed");
    assert.equal(removed?.member_id, admin);
    assert.equal(removed.member_email, `${admin}@people.example`);
    await actAsSuperuser(sql);
    const [{ rule }] = await sql`
      select pg_get_constraintdef(oid) as rule from pg_constraint
      where conname = 'company_events_action_check'
    `;
    const known = Array.from((rule as string).matchAll(/'([a-z_]+)'::text/g), ([, name]) => name);
    const named = Array.from(
      section.slice(0, end).matchAll(/^ +\| (`.*?) \|/gm),
      ([, cell]) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name),
    ).flat().filter((name) => name !== "action");
    // These actions give access or only change a name.
    const harmless = [
      ...["created", "renamed", "switched_on", "member_added", "member_renamed"],
      ...["account_connected", "invited", "invitation_renewed", "invitation_declined"],
      ...["webhook_created", "webhook_switched_on", "second_factor_optional", "app_registered"],
    ];
    assert.deepEqual([...named, ...harmless].sort(), [...new Set(known)].sort());
  });
});
