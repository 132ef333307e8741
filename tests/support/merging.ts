import assert from "node:assert/strict";
import { type Answer, call } from "./calls.ts";
import { anyPhone, type Company } from "./company.ts";

/** Contacts of a company that are made, merged and found with its key for everything. */
export function mergesOf({ keys: { all } }: Company) {
  function ask(method: string, path: string, json?: unknown, headers = {}): Promise<Answer> {
    return call(all, method, path, { json, headers });
  }

  // deno-lint-ignore no-explicit-any -- a contact as the API answers it
  async function newContact(fields: Record<string, unknown> = {}): Promise<any> {
    const { status, body } = await ask("POST", "/contacts", { phone: anyPhone(), ...fields });
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  }

  const merge = (id: string, from: string, headers = {}) =>
    ask("POST", `/contacts/${id}/merge`, { from }, headers);

  /** Two contacts that were merged: the survivor as it is answered, and the other one as it was. */
  async function merged(own = {}, theirs = {}) {
    const [survivor, other] = [await newContact(own), await newContact(theirs)];
    const { status, body } = await merge(survivor.id, other.id);
    assert.equal(status, 200, JSON.stringify(body));
    return { survivor: body.data, other };
  }

  /** The contacts that have one of these phones, and meet the filters. */
  const find = async (phones: string, filters = "") =>
    (await ask("GET", `/contacts?phone=${encodeURIComponent(phones)}${filters}`)).body.data;

  return { ask, find, merge, merged, newContact };
}
