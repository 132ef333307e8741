import assert from "node:assert/strict";
import { type Answer, call } from "./calls.ts";
import { anyPhone, type Company } from "./company.ts";

/** Creates, merges and finds a company's contacts with the API key that has all scopes. */
export function mergesOf({ keys: { all } }: Company) {
  function ask(method: string, path: string, json?: unknown, headers = {}): Promise<Answer> {
    return call(all, method, path, { json, headers });
  }

  // deno-lint-ignore no-explicit-any -- a contact as the API returns it
  async function newContact(fields: Record<string, unknown> = {}): Promise<any> {
    const { status, body } = await ask("POST", "/contacts", { phone: anyPhone(), ...fields });
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  }

  const merge = (id: string, from: string, headers = {}) =>
    ask("POST", `/contacts/${id}/merge`, { from }, headers);

  /**
   * Two merged contacts: the surviving contact after the merge, and the other contact before the
   * merge.
   */
  async function merged(own = {}, theirs = {}) {
    const [survivor, other] = [await newContact(own), await newContact(theirs)];
    const { status, body } = await merge(survivor.id, other.id);
    assert.equal(status, 200, JSON.stringify(body));
    return { survivor: body.data, other };
  }

  /** The contacts that have one of these phone numbers and match the filters. */
  const find = async (phones: string, filters = "") =>
    (await ask("GET", `/contacts?phone=${encodeURIComponent(phones)}${filters}`)).body.data;

  return { ask, find, merge, merged, newContact };
}
