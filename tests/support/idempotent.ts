import assert from "node:assert/strict";
import { type Answer, call } from "./calls.ts";
import type { Company } from "./company.ts";
import { withDatabase } from "./test_stack.ts";

// Requests of the gateway with an Idempotency-Key.

/** A key that no other request has. */
export function anyKey(): string {
  return `order-${crypto.randomUUID()}`;
}

/** Makes a request with this Idempotency-Key through the stack. */
export function post(apiKey: string, path: string, json: unknown, key: string): Promise<Answer> {
  return call(apiKey, "POST", path, { json, headers: { "Idempotency-Key": key } });
}

/** Whether an answer belongs to a repeat. */
export function isReplayed({ headers }: Answer): boolean {
  const replayed = headers.get("Idempotent-Replayed");
  assert.ok(replayed === null || replayed === "true");
  return replayed === "true";
}

/** A new deal of a company. Several deals may have the same title. */
export function dealOf({ contact_id, stage_ids }: Company, title: string) {
  return { title, contact_id, stage_id: stage_ids[0] };
}

/** The number of deals of a company with this title. */
export async function dealsNamed({ id }: Company, title: string): Promise<number> {
  return await withDatabase(async (sql) => {
    const [{ count }] = await sql`
      select count(*)::int from deals where company_id = ${id} and title = ${title}
    `;
    return count;
  });
}

/** The number of contacts of a company with this name. */
export async function contactsNamed({ id }: Company, name: string): Promise<number> {
  return await withDatabase(async (sql) => {
    const [{ count }] = await sql`
      select count(*)::int from contacts where company_id = ${id} and name = ${name}
    `;
    return count;
  });
}

/** Asserts that an answer belongs to the first request, and has the row that this request made. */
export function assertFirst(answer: Answer, status = 201) {
  assert.deepEqual([answer.status, isReplayed(answer)], [status, false], sentence(answer));
}

/** Asserts that an answer belongs to a repeat, and has the row that the first request made. */
export function assertReplayed(answer: Answer, first: Answer) {
  assert.deepEqual([answer.status, isReplayed(answer)], [first.status, true], sentence(answer));
  assert.deepEqual(answer.body, first.body);
  assert.equal(answer.headers.get("ETag"), first.headers.get("ETag"));
}

/** Asserts that an answer is an error with this code, and does not belong to a repeat. */
export function assertCode(answer: Answer, status: number, code: string) {
  assert.deepEqual(
    [answer.status, answer.body.code, isReplayed(answer)],
    [status, code, false],
    sentence(answer),
  );
}

function sentence({ body }: Answer): string {
  return JSON.stringify(body);
}
