// Owners and admins can invite people by email address. Only the user with this address can accept
// an invitation, and no response reveals whether the address has a user account.

import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { keyToken, personToken, rest } from "../support/rest.ts";
import { committed, overlapping } from "./connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const owner = own.member_id;
const [admin, agent] = await newMembers(own, "admin", "agent");

const anyEmail = () => `${crypto.randomUUID()}@people.example`;

/** Creates a user who has signed up. By default, the email address is verified. */
async function person(sql: Sql, email = anyEmail(), columns: Record<string, unknown> = {}) {
  await actAsSuperuser(sql);
  const row = { id: crypto.randomUUID(), email, email_confirmed_at: new Date(), ...columns };
  await sql`insert into auth.users ${sql(row)}`;
  return row.id;
}

async function invite(sql: Sql, as: string, email: string | null, role = "agent") {
  await actAsPerson(sql, as);
  const [made] = await sql`select * from invite_member(${own.id}, ${email}, ${role})`;
  return made;
}

/** The invitations that a user sees. */
const offers = async (sql: Sql, as: string) => {
  await actAsPerson(sql, as);
  return await sql`select * from own_invitations()`;
};
const accept = (sql: Sql, id: string, name: string | null = null) =>
  sql`select accept_invitation(${id}, ${name})`;

/** The events about an email address, oldest first. */
async function eventsOf(sql: Sql, email: string) {
  await actAsSuperuser(sql);
  const events = await sql`
    select * from company_events where invited_email = ${email} order by created_at
  `;
  return events.map(({ action, details, actor_id }) => [action, details.role, actor_id]);
}

test("an invited user sees who sent the invitation and joins under their own name, and the history records both users", async (sql) => {
  const email = anyEmail();
  await sql`update company_members set name = 'Olívia' where user_id = ${owner}`;
  const made = await invite(sql, owner, ` ${email.toUpperCase()} `, "admin");
  assert.deepEqual([made.email, made.role, made.mailed_at], [email, "admin", null]);
  const ada = await person(sql, email);
  const [offer, ...others] = await offers(sql, ada);
  assert.deepEqual([offer.id, offer.company_name, offer.role, offer.invited_by_name, others], [
    made.id,
    "Test",
    "admin",
    "Olívia",
    [],
  ]);
  assert.equal(await refusal(sql, (sql) => accept(sql, made.id, "x".repeat(101))), "PT422");
  await accept(sql, made.id, " Ada ");
  const [member] = await sql`select role, name from company_members where user_id = ${ada}`;
  assert.deepEqual({ ...member }, { role: "admin", name: "Ada" });
  assert.equal(await refusal(sql, (sql) => accept(sql, made.id)), "PT404");
  assert.deepEqual(await eventsOf(sql, email), [["invited", "admin", owner]]);
  const [joined] = await sql`select * from company_events where member_id = ${ada}`;
  assert.deepEqual([joined.action, joined.actor_id], ["member_added", ada]);
});

test("only the invited user can see, accept or decline an invitation, and only if the user's email address is verified", async (sql) => {
  const email = anyEmail();
  const { id } = await invite(sql, owner, email);
  const strangers = [
    await person(sql),
    await person(sql, email, { email_confirmed_at: null }),
    // Another company's identity provider can claim any email address.
    await person(sql, email.toUpperCase(), { is_sso_user: true }),
    owner,
    agent,
  ];
  for (const stranger of strangers) {
    assert.equal((await offers(sql, stranger)).length, 0);
    assert.equal(await refusal(sql, (sql) => accept(sql, id)), "PT404");
    assert.equal(await refusal(sql, (sql) => sql`select decline_invitation(${id})`), "PT404");
  }
  await actAsSuperuser(sql);
  const late = await person(sql);
  await sql`
    update company_invitations set expires_at = now() - interval '1 second',
      email = (select email from auth.users where id = ${late})
    where id = ${id}
  `;
  assert.equal((await offers(sql, late)).length, 0);
  assert.equal(await refusal(sql, (sql) => accept(sql, id)), "PT404");
});

test("the call that invites someone returns the same response whether or not the email address has a user account", async (sql) => {
  const known = anyEmail();
  await person(sql, known);
  const made = [await invite(sql, owner, known), await invite(sql, owner, anyEmail())];
  const shapes = made.map(({ id: _, email: __, ...rest }) => rest);
  assert.deepEqual(shapes[0], shapes[1]);
});

test("only owners can invite owners, admins can invite admins and agents, and agents and outsiders can invite no one", async (sql) => {
  const cases: [as: string, role: string, expected: string][] = [
    [owner, "owner", "done"],
    [admin, "admin", "done"],
    [admin, "agent", "done"],
    [admin, "owner", "PT403"],
    [agent, "agent", "PT403"],
    [other.member_id, "agent", "PT404"],
    [owner, "boss", "PT422"],
  ];
  for (const [as, role, expected] of cases) {
    const said = await sql.savepoint((sql) => invite(sql, as, anyEmail(), role))
      .then(() => "done", ({ code }) => code);
    assert.equal(said, expected, `${role} by ${as}`);
  }
  const { id } = await invite(sql, owner, anyEmail(), "owner");
  await actAsPerson(sql, admin);
  const changes = [
    ...["renew_invitation", "withdraw_invitation", "claim_invitation_mail"],
    "note_invitation_mail_failed",
  ];
  for (const name of changes) {
    assert.equal(await refusal(sql, (sql) => sql`select ${sql(name)}(${id})`), "PT403", name);
  }
  for (const [as, code] of [[agent, "PT403"], [other.member_id, "PT404"]] as const) {
    await actAsPerson(sql, as);
    for (const name of changes) {
      assert.equal(await refusal(sql, (sql) => sql`select ${sql(name)}(${id})`), code, name);
    }
  }
});

test("an invitation to an invalid email address, a member or an already invited address is refused", async (sql) => {
  for (const wrong of [null, "", "ada", "a@b", "a b@c.example", "a@b.example\n", "é@b.example"]) {
    const refused = await refusal(sql, (sql) => invite(sql, owner, wrong));
    assert.equal(refused, wrong?.endsWith("\n") ? refused : "PT422", String(wrong));
  }
  const email = anyEmail();
  await invite(sql, owner, email);
  assert.equal(await refusal(sql, (sql) => invite(sql, admin, email, "admin")), "PT409");
  const member = await person(sql);
  await sql`insert into company_members (company_id, user_id) values (${own.id}, ${member})`;
  const [{ email: taken }] = await sql`select email from auth.users where id = ${member}`;
  assert.equal(await refusal(sql, (sql) => invite(sql, owner, taken)), "PT409");
});

test("an invitation can be renewed once a minute, withdrawn, declined, and created again after it has expired", async (sql) => {
  const email = anyEmail();
  const { id } = await invite(sql, owner, email);
  const renew = (sql: Sql) => sql`select * from renew_invitation(${id})`;
  await renew(sql);
  const claim = (sql: Sql) => sql`select claim_invitation_mail(${id}) as email`;
  assert.equal((await claim(sql))[0].email, email);
  assert.equal(await refusal(sql, claim), "PT409");
  assert.equal(await refusal(sql, renew), "PT429");
  // After an email could not be sent, the invitation must be renewed before the next email. So each
  // attempt counts towards the daily limit.
  await sql`select note_invitation_mail_failed(${id})`;
  assert.equal(await refusal(sql, claim), "PT409");
  await actAsSuperuser(sql);
  await sql`update company_invitations set expires_at = now(), mailed_at = now() - interval '2 minutes' where id = ${id}`;
  await actAsPerson(sql, admin);
  const [renewed] = await renew(sql);
  assert.deepEqual([renewed.invited_by, renewed.mailed_at], [admin, null]);
  assert.ok(renewed.expires_at.getTime() > Date.now() + 6 * 86_400_000);
  await actAsSuperuser(sql);
  await sql`update company_invitations set expires_at = now() where id = ${id}`;
  const again = await invite(sql, owner, email, "admin");
  assert.deepEqual([again.id, again.role], [id, "admin"]);
  const ada = await person(sql, email);
  await offers(sql, ada);
  await sql`select decline_invitation(${id})`;
  const last = await invite(sql, owner, email);
  await sql`select withdraw_invitation(${last.id})`;
  assert.equal((await offers(sql, ada)).length, 0);
  assert.deepEqual(await eventsOf(sql, email), [
    ["invited", "agent", owner],
    ["invitation_renewed", "agent", owner],
    ["invitation_renewed", "agent", admin],
    ["invited", "admin", owner],
    ["invitation_declined", "admin", ada],
    ["invited", "agent", owner],
    ["invitation_withdrawn", "agent", owner],
  ]);
});

test("an invitation that expired 30 days ago cannot be renewed, and the job that runs every minute deletes it", async (sql) => {
  const [old, young] = [await invite(sql, owner, anyEmail()), await invite(sql, owner, anyEmail())];
  const expire = (id: string, days: number) =>
    sql`update company_invitations set expires_at = now() - ${days}::integer * interval '1 day' where id = ${id}`;
  await actAsSuperuser(sql);
  await expire(old.id, 31);
  await expire(young.id, 29);
  await actAsPerson(sql, owner);
  const renew = (sql: Sql) => sql`select renew_invitation(${old.id})`;
  assert.equal(await refusal(sql, renew), "PT404");
  await actAs(sql, "channel_client");
  const [{ tended }] = await sql`select tend_channel() as tended`;
  await actAsSuperuser(sql);
  // Another task may fail, because it waits too long for a row that another test has locked.
  assert.ok(tended.invitations_removed >= 1, JSON.stringify(tended));
  const left = await sql`
    select id from company_invitations where id = any (${[old.id, young.id]})
  `;
  assert.deepEqual(left.map(({ id }) => id), [young.id]);
});

test("an invitation can be renewed immediately if its email could not be sent, but not within one minute after the next email", async (sql) => {
  const { id } = await invite(sql, owner, anyEmail());
  const claim = (sql: Sql) => sql`select claim_invitation_mail(${id})`;
  const renew = (sql: Sql) => sql`select * from renew_invitation(${id})`;
  await claim(sql);
  await sql`select note_invitation_mail_failed(${id})`;
  const [renewed] = await renew(sql);
  assert.deepEqual([renewed.mailed_at, renewed.mail_failed], [null, false]);
  await claim(sql);
  assert.equal(await refusal(sql, renew), "PT429");
});

test("a company can send at most 20 invitations in 24 hours", async (sql) => {
  for (let count = 0; count < 20; count++) await invite(sql, owner, anyEmail());
  assert.equal(await refusal(sql, (sql) => invite(sql, owner, anyEmail())), "PT429");
  const [{ id }] = await sql`select id from company_invitations limit 1`;
  assert.equal(await refusal(sql, (sql) => sql`select renew_invitation(${id})`), "PT429");
  await actAsSuperuser(sql);
  await sql`update company_events set created_at = created_at - interval '25 hours' where company_id = ${own.id}`;
  await invite(sql, owner, anyEmail());
});

test("a member's invitation ends when the member leaves or loses the right to give the invited role", async (sql) => {
  const [one, two] = [anyEmail(), anyEmail()];
  await actAsSuperuser(sql);
  await sql`update company_members set role = 'owner' where user_id = ${admin}`;
  await invite(sql, admin, one, "owner");
  await invite(sql, admin, two, "admin");
  const open = async () => {
    await actAsPerson(sql, owner);
    const rows = await sql`select email from company_invitations where invited_by = ${admin}`;
    return rows.map(({ email }) => email);
  };
  await actAsPerson(sql, owner);
  await sql`select change_member_role(${own.id}, ${admin}, 'admin')`;
  assert.deepEqual(await open(), [two]);
  await sql`select remove_member(${own.id}, ${admin})`;
  assert.deepEqual(await open(), []);
  assert.deepEqual((await eventsOf(sql, two)).at(-1), ["invitation_withdrawn", "admin", owner]);
});

test("a removed member cannot join again with an invitation that was sent before the member was added", async (sql) => {
  const email = anyEmail();
  const invited = await person(sql, email);
  const { id } = await invite(sql, owner, email, "admin");
  const { id: other_id } = await invite(sql, owner, anyEmail());
  await actAs(sql, "service_role");
  await sql`select add_company_member(${own.id}, ${email})`;
  await actAsPerson(sql, owner);
  // A change of the role does not end the invitation.
  await sql`select change_member_role(${own.id}, ${invited}, 'admin')`;
  assert.equal((await offers(sql, invited)).length, 1);
  await actAsPerson(sql, owner);
  await sql`select remove_member(${own.id}, ${invited})`;
  assert.deepEqual([...await offers(sql, invited)], []);
  assert.equal(await refusal(sql, (sql) => accept(sql, id)), "PT404");
  assert.deepEqual((await eventsOf(sql, email)).at(-1), ["invitation_withdrawn", "admin", owner]);
  const left = await sql`select id from company_invitations where id in (${id}, ${other_id})`;
  assert.deepEqual([...left], [{ id: other_id }]);
  // An invitation that is sent after the removal can be accepted.
  const { id: new_id } = await invite(sql, owner, email);
  await actAsPerson(sql, invited);
  await accept(sql, new_id);
});

Deno.test("an invitation that is accepted while its member is removed causes no deadlock and no new membership", async () => {
  const company = await newCompany();
  const [member] = await newMembers(company, "agent");
  const email = anyEmail();
  const renewed = async (sql: Sql) => {
    await sql`update auth.users set email = null where id = ${member}`;
    await actAsPerson(sql, company.member_id);
    const [{ id }] = await sql`select id from invite_member(${company.id}, ${email}, 'admin')`;
    await actAsSuperuser(sql);
    await sql`
      update auth.users set email = ${email}, email_confirmed_at = now() where id = ${member}
    `;
    await sql`
      insert into company_members (company_id, user_id) values (${company.id}, ${member})
      on conflict do nothing
    `;
    return id;
  };
  const accepted = (id: string) => async (sql: Sql) => {
    await actAsPerson(sql, member);
    const accepting = (sql: Sql) => accept(sql, id);
    return await sql.savepoint(accepting).then(() => "done", ({ code }) => code as string);
  };
  const removed = async (sql: Sql) => {
    await actAsPerson(sql, company.member_id);
    await sql`select remove_member(${company.id}, ${member})`;
    return "removed";
  };
  const [one, two] = [
    await overlapping(removed, accepted(await committed(renewed))),
    await overlapping(accepted(await committed(renewed)), removed),
  ];
  assert.deepEqual([one, two], [["removed", "PT404"], ["done", "removed"]]);
  const left = await committed((sql) =>
    sql`select from company_members where company_id = ${company.id} and user_id = ${member}`
  );
  assert.equal(left.length, 0);
});

test("when a manager leaves, the history shows the manager's name next to the invitations that end", async (sql) => {
  const email = anyEmail();
  await sql`update company_members set name = 'Adam' where user_id = ${admin}`;
  await invite(sql, admin, email);
  await sql`select remove_member(${own.id}, ${admin})`;
  await actAsSuperuser(sql);
  const events = await sql`
    select action, actor_name from company_events
    where actor_id = ${admin} and (invited_email = ${email} or member_id = ${admin})
  `;
  assert.deepEqual(events.map(({ action, actor_name }) => [action, actor_name]).sort(), [
    ["invitation_withdrawn", "Adam"],
    ["invited", "Adam"],
    ["member_removed", "Adam"],
  ]);
});

Deno.test("an admin who is removed while inviting leaves no invitation, and two simultaneous invitations do not exceed the daily limit", async () => {
  const company = await newCompany();
  const [removed, late] = await newMembers(company, "admin", "admin");
  const invited = async (sql: Sql, as: string) => {
    await actAsPerson(sql, as);
    const inviting = (sql: Sql) => sql`select invite_member(${company.id}, ${anyEmail()}, 'admin')`;
    return await sql.savepoint(inviting).then(() => "done", ({ code }) => code as string);
  };
  const remove = async (sql: Sql, person: string) => {
    await actAsPerson(sql, company.member_id);
    await sql`select remove_member(${company.id}, ${person})`;
  };
  const [first] = await overlapping((sql) => invited(sql, removed), (sql) => remove(sql, removed));
  const [, second] = await overlapping((sql) => remove(sql, late), (sql) => invited(sql, late));
  assert.deepEqual([first, second], ["done", "PT404"]);
  const left = await rest(
    await personToken(company.member_id),
    "GET",
    `/company_invitations?company_id=eq.${company.id}&invited_by=in.(${removed},${late})`,
  );
  assert.deepEqual(left.body, []);

  for (let count = 1; count < 19; count++) {
    await committed((sql) => invited(sql, company.member_id));
  }
  const last = await overlapping(
    (sql) => invited(sql, company.member_id),
    (sql) => invited(sql, company.member_id),
  );
  assert.deepEqual(last, ["done", "PT429"]);
});

Deno.test("owners and admins can read invitations through the Data API, no user can write an invitation directly, and API keys have no access to invitations", async () => {
  const path = `/company_invitations?company_id=eq.${own.id}`;
  const readers: [string, number][] = [[owner, 1], [admin, 1], [agent, 0], [other.member_id, 0]];
  for (const [as, count] of readers) {
    const { status, body } = await rest(await personToken(as), "GET", `${path}&select=*`);
    assert.deepEqual([status, body.length], [200, count]);
  }
  const { body: [{ id }] } = await rest(await personToken(owner), "GET", `${path}&select=id`);
  const row = { company_id: own.id, email: anyEmail(), role: "owner", invited_by: owner };
  for (const as of [owner, agent]) {
    const token = await personToken(as);
    const writes = [
      await rest(token, "POST", "/company_invitations", { json: row }),
      await rest(token, "PATCH", path, { json: { role: "owner" } }),
      await rest(token, "PATCH", path, { json: { mailed_at: null } }),
      await rest(token, "DELETE", path),
    ];
    assert.deepEqual(writes.map(({ status }) => status), [403, 403, 403, 403]);
  }
  const calls: [string, unknown][] = [
    ["invite_member", { company_id: own.id, email: anyEmail(), role: "agent" }],
    ["renew_invitation", { invitation_id: id }],
    ["withdraw_invitation", { invitation_id: id }],
    ["claim_invitation_mail", { invitation_id: id }],
    ["accept_invitation", { invitation_id: id }],
    ["decline_invitation", { invitation_id: id }],
    ["own_invitations", {}],
  ];
  for (const token of [await keyToken(own.keys.all), await keyToken(own.keys.all, "write"), null]) {
    for (const [name, json] of calls) {
      const { status } = await rest(token, "POST", `/rpc/${name}`, { json });
      assert.ok([401, 403, 404].includes(status), `${name}: ${status}`);
    }
  }
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    assert.equal(await refusal(sql, (sql) => accept(sql, id)), "42501");
  });
});
