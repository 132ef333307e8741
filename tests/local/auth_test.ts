// Signing in at the local stack, with the client that the settings page uses.
import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { anyClient, newPerson, signIn } from "../support/people.ts";

Deno.test("a person signs in with the password, and sees the rows of the own company alone", async () => {
  const [company] = await Promise.all([newCompany(), newCompany()]);
  const person = await newPerson({ company: company.id, role: "owner", name: "Ada" });
  const { client } = await signIn({ ...person, email: person.email.toUpperCase() });
  const { data, error } = await client.from("api_keys").select("company_id");
  assert.equal(error, null);
  assert.deepEqual([...new Set(data!.map((key) => key.company_id))], [company.id]);
  assert.equal(data!.length, 4);
  const { data: { user } } = await client.auth.getUser();
  assert.deepEqual([user?.id, user?.email], [person.id, person.email]);
});

Deno.test("a wrong password and an unknown address are refused alike", async () => {
  const person = await newPerson({});
  const wrong = [
    { email: person.email, password: "something else" },
    { email: "nobody@people.example", password: person.password },
  ];
  for (const credentials of wrong) {
    const { error } = await anyClient().auth.signInWithPassword(credentials);
    assert.deepEqual([error?.status, error?.code], [400, "invalid_credentials"]);
  }
});
