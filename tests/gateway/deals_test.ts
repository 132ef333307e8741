import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { type Answer, assertField, call } from "../support/calls.ts";

const company = await newCompany();
const { contact_id, stage_ids: [stage_id, next_stage_id] } = company;

function post(json: unknown): Promise<Answer> {
  return call(company.keys.all, "POST", "/deals", { json });
}
function patch(id: string, json: unknown): Promise<Answer> {
  return call(company.keys.all, "PATCH", `/deals/${id}`, { json });
}

Deno.test("a new deal is open and in the given stage, and has a value only if the request has a value", async () => {
  const { status, body } = await post({ title: " Van fleet ", contact_id, stage_id });
  assert.equal(status, 201);
  const { id, created_at, updated_at, version: _, ...rest } = body.data;
  assert.deepEqual([typeof id, created_at], ["string", updated_at]);
  assert.deepEqual(rest, {
    company_id: company.id,
    external_id: null,
    title: "Van fleet",
    value: null,
    status: "open",
    contact_id,
    stage_id,
    won_at: null,
    lost_at: null,
    stage_changed_at: created_at,
    archived_at: null,
  });
  const list = await call(company.keys.read, "GET", "/deals");
  assert.deepEqual(list.body.data[0], body.data);
});

Deno.test("a deal's value is a number with at most two decimals and is returned as it was sent", async () => {
  for (const value of [0, 0.01, 0.07, 1.1, 19.99, 1234567.89, 999999999999.99, null]) {
    const { status, body } = await post({ title: "Deal", contact_id, stage_id, value });
    assert.deepEqual([status, body.data?.value], [201, value]);
  }
  const wrong: [unknown, RegExp][] = [
    [-0.01, /^must not be negative$/],
    [0.001, /^must have at most two decimals$/],
    [1.005, /^must have at most two decimals$/],
    [1e12, /^must be at most 999999999999.99$/],
    [1e300, /^must be at most/],
    ["10", /^must be a number$/],
    [true, /^must be a number$/],
    [[1], /^must be a number$/],
  ];
  for (const [value, message] of wrong) {
    assertField(await post({ title: "Deal", contact_id, stage_id, value }), "value", message);
  }
  for (const digits of ["1e999", "1e-400", "1999.5000000000000001"]) {
    const body =
      `{"title":"Deal","contact_id":"${contact_id}","stage_id":"${stage_id}","value":${digits}}`;
    const headers = { "Content-Type": "application/json" };
    const answer = await call(company.keys.all, "POST", "/deals", { body, headers });
    assertField(answer, "value", /^is a number that cannot be kept exactly/);
  }
});

Deno.test("a title, a contact and a stage are required to create a deal", async () => {
  const deal = { title: "Deal", contact_id, stage_id };
  for (const field of ["title", "contact_id", "stage_id"] as const) {
    const { [field]: _, ...rest } = deal;
    assertField(await post(rest), field, /^is required$/);
    assertField(await post({ ...deal, [field]: null }), field, "must not be null");
  }
  assertField(await post({ ...deal, title: "  " }), "title", /^must not be empty$/);
  assertField(await post({ ...deal, title: "x".repeat(256) }), "title", /at most 255/);
  assertField(await post({ ...deal, contact_id: "7" }), "contact_id", /^must be a UUID$/);
  assertField(await post({ ...deal, status: "won" }), "status", /^is not a field/);
});

Deno.test("an unknown contact or stage is refused, and the error names the field", async () => {
  const deal = { title: "Deal", contact_id, stage_id };
  const nobody = crypto.randomUUID();
  const ofNobody = await post({ ...deal, contact_id: nobody });
  assertField(ofNobody, "contact_id", /^is not a contact of your/);
  assertField(await post({ ...deal, stage_id: nobody }), "stage_id", /^is not a stage of your/);
  assertField(await post({ ...deal, stage_id: contact_id }), "stage_id", /^is not a stage of your/);
  assertField(await patch(company.deal_id, { stage_id: nobody }), "stage_id", /^is not a stage/);
});

Deno.test("one update can move a deal and change its title, value and status", async () => {
  const { data } = (await post({ title: "Deal", contact_id, stage_id, value: 10 })).body;
  const changes = { stage_id: next_stage_id, title: "Bigger", value: 20.5, status: "won" };
  const { status, body } = await patch(data.id, changes);
  assert.equal(status, 200);
  const { updated_at, version } = body.data;
  const { won_at, stage_changed_at } = body.data;
  assert.deepEqual(
    body.data,
    { ...data, ...changes, won_at, stage_changed_at, updated_at, version },
  );
  assert.ok(updated_at > data.updated_at);
  assert.ok(stage_changed_at === updated_at && won_at > updated_at);

  for (const status of ["open", "lost"]) {
    const { data: after } = (await patch(data.id, { status })).body;
    assert.deepEqual([after.status, after.won_at], [status, null]);
    assert.deepEqual([after.lost_at !== null, after.stage_changed_at], [
      status === "lost",
      stage_changed_at,
    ]);
  }
  const cleared = await patch(data.id, { value: null });
  assert.deepEqual([cleared.body.data.value, cleared.body.data.title], [null, "Bigger"]);
});

Deno.test("an update without fields or with a read-only field is refused", async () => {
  assertField(await patch(company.deal_id, {}), "body", /^must have at least one of title, /);
  assertField(await patch(company.deal_id, { contact_id }), "contact_id", /^is not a field/);
  const paused = await patch(company.deal_id, { status: "paused" });
  assertField(paused, "status", /one of open, won, lost/);
  assertField(await patch(company.deal_id, { title: null }), "title", "must not be null");
  assertField(await patch(company.deal_id, { title: "" }), "title", /^must not be empty$/);
});
