import assert from "node:assert/strict";
import { type Answer, call } from "./calls.ts";
import type { Company } from "./company.ts";
import { withDatabase } from "./test_stack.ts";

// Gateway requests with an `Idempotency-Key` header.

/** An idempotency key that no other request uses. */
export function anyKey(): string {
  return `order-${crypto.randomUUID()}`;
}

/** Sends a request with this `Idempotency-Key` to the stack's gateway. */
export function post(apiKey: string, path: string, json: unknown, key: string): Promise<Answer> {
  return call(apiKey, "POST", path, { json, headers: { "Idempotency-Key": key } });
}

/** Whether a response belongs to a repeated request. */
export function isReplayed({ headers }: Answer): boolean {
  const replayed = headers.get("Idempotent-Replayed");
  assert.ok(replayed === null || replayed === "true");
  return replayed === "true";
}

/** The body of a new deal for a company. Several deals may have the same title. */
export function dealOf({ contact_id, stage_ids }: Company, title: string) {
  return { title, contact_id, stage_id: stage_ids[0] };
}

/** The number of the company's deals with this title. */
export async function dealsNamed({ id }: Company, title: string): Promise<number> {
  return await withDatabase(async (sql) => {
    const [{ count }] = await sql`
      select count(*)::int from deals where company_id = ${id} and title = ${title}
    `;
    return count;
  });
}

/** The number of the company's contacts with this name. */
export async function contactsNamed({ id }: Company, name: string): Promise<number> {
  return await withDatabase(async (sql) => {
    const [{ count }] = await sql`
      select count(*)::int from contacts where company_id = ${id} and name = ${name}
    `;
    return count;
  });
}

/**
 * Asserts that a response belongs to a first request, with the status of a new row.
 */
export function assertFirst(answer: Answer, status = 201) {
  assert.deepEqual([answer.status, isReplayed(answer)], [status, false], sentence(answer));
}

/**
 * Asserts that a response belongs to a repeat, and contains the row that the first request created.
 */
export function assertReplayed(answer: Answer, first: Answer) {
  assert.deepEqual([answer.status, isReplayed(answer)], [first.status, true], sentence(answer));
  assert.deepEqual(answer.body, first.body);
  assert.equal(answer.headers.get("ETag"), first.headers.get("ETag"));
}

/** Asserts that a response is an error with this code, and does not belong to a repeat. */
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
