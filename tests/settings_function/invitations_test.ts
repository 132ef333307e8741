// Tests invitation e-mails. The database decides who may send an invitation. No response reveals
// whether an e-mail address has an account.

import assert from "node:assert/strict";
import { newCompany, newMembers } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { mailsTo } from "../support/mails.ts";
import { newPerson, signIn } from "../support/people.ts";
import { personToken, rest } from "../support/rest.ts";
import { stack, statement } from "../support/test_stack.ts";
import { ownSettings } from "./own_settings.ts";

const own = await newCompany();
const other = await newCompany();
const [admin, agent] = await newMembers(own, "admin", "agent");
const ask = await ownSettings();
const page = `${stack.url}/settings/`;
const anyEmail = () => `${crypto.randomUUID()}@people.example`;

async function invite(email: string, role = "agent"): Promise<string> {
  const json = { company_id: own.id, email, role };
  const asOwner = await personToken(own.member_id);
  const { body } = await rest(asOwner, "POST", "/rpc/invite_member", { json });
  return body.id;
}

const mail = (person: string | null, id: string, json: unknown = { page }) =>
  ask(person, "POST", `/invitations/${id}/mail`, json);

Deno.test("a new e-mail address receives an invitation, a known address receives a sign-in link, and both responses are the same", async () => {
  const known = await newPerson({});
  const kinds = [];
  const answers = [];
  for (const email of [anyEmail(), known.email]) {
    const { status, body } = await mail(admin, await invite(email));
    answers.push([status, body]);
    const [{ kind, link }] = await mailsTo(email);
    assert.equal(new URL(link!).searchParams.get("redirect_to"), page);
    kinds.push(kind);
  }
  assert.deepEqual(kinds, ["invite", "magic_link"]);
  assert.deepEqual(answers, Array(2).fill([200, { data: { mailed: true } }]));
});

Deno.test("an invitation e-mail can be sent again only after the invitation is renewed", async () => {
  const email = anyEmail();
  const id = await invite(email);
  assert.equal((await mail(own.member_id, id)).status, 200);
  const again = await mail(own.member_id, id);
  assert.deepEqual([again.status, again.body.code], [409, "conflict"]);
  assert.equal((await mailsTo(email)).length, 1);
});

Deno.test("only the company's owners and admins can send invitations, and only owners can invite an owner", async () => {
  const email = anyEmail();
  const [id, ofOwner] = [await invite(email), await invite(anyEmail(), "owner")];
  const refusals = [
    [await mail(agent, id), 403, "not_allowed"],
    [await mail(other.member_id, id), 404, "not_found"],
    [await mail(admin, ofOwner), 403, "not_allowed"],
    [await mail(own.member_id, crypto.randomUUID()), 404, "not_found"],
    [await mail(null, id), 401, "not_signed_in"],
    [await mail(own.member_id, id, { page: "javascript:alert(1)" }), 422, "invalid_request"],
  ] as const;
  for (const [{ status, body, text }, expected, code] of refusals) {
    assert.deepEqual([status, body.code], [expected, code], text);
  }
  assert.deepEqual(await mailsTo(email), []);
});

Deno.test("if the e-mail cannot be sent, the invitation remains valid, and the log does not contain the e-mail address", async () => {
  const withoutKey = await ownSettings(undefined, { secretKey: null });
  const withWrongKey = await ownSettings(undefined, { secretKey: "sb_secret_wrong" });
  for (const ask of [withoutKey, withWrongKey]) {
    const person = await newPerson({});
    const id = await invite(person.email);
    const lines = await logged(async () => {
      const { status, body } = await ask(own.member_id, "POST", `/invitations/${id}/mail`, {});
      assert.deepEqual([status, body], [200, { data: { mailed: false } }]);
    });
    assert.match(lines.join(), /invitation_mail/);
    assert.ok(!lines.join().includes(person.email));
    const [row] = await statement`
      select mail_failed from company_invitations where id = ${id}
    `;
    assert.equal(row.mail_failed, true);
    const { client } = await signIn(person);
    assert.equal((await client.rpc("own_invitations")).data.length, 1);
  }
});
