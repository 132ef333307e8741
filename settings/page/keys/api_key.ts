// A company's API keys, as the Data API returns them. The keys' secret values are not stored
// anywhere.
import type { App } from "../app.ts";
import { answered, changed, expectRow, Failure } from "../failure.ts";
import { expectManager } from "../project.ts";
import type { Texts } from "../texts.ts";

/** What a key may do. No permission includes another. */
export const SCOPES = ["read", "write", "messaging", "webhooks"] as const;
export type Scope = typeof SCOPES[number];

/** A key in the list of keys. */
export interface ApiKey {
  id: string;
  name: string;
  /** The last four characters. */
  hint: string;
  scopes: Scope[];
  is_active: boolean;
  expires_at: string | null;
  last_used_at: string | null;
  /** The key's creator. Null when the platform created the key, or the creator was deleted. */
  created_by: string | null;
  created_at: string;
  /** The id of the key that this key replaces. */
  replaces: string | null;
}

/** A new key with its secret value, which is returned only once. */
export interface NewApiKey {
  id: string;
  name: string;
  api_key: string;
  scopes: Scope[];
  expires_at: string | null;
}

const COLUMNS =
  "id,name,hint,scopes,is_active,expires_at,last_used_at,created_by,created_at,replaces";

/** The maximum number of rows in a response of the Data API. */
const MOST_ROWS = 1000;

/**
 * Every key of the company, newest first.
 * @throws Failure also when the user no longer manages the keys. Without this error, the list
 *   would seem to be empty.
 */
export async function keysOf({ project, company, person }: App): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  while (keys.length % MOST_ROWS === 0) {
    const more: ApiKey[] = await answered(
      project.client.from("api_keys").select(COLUMNS).eq("company_id", company.id)
        .order("created_at", { ascending: false }).order("id", { ascending: false })
        .range(keys.length, keys.length + MOST_ROWS - 1),
    );
    if (more.length === 0) break;
    keys.push(...more);
  }
  if (keys.length === 0) await expectManager({ project, company, person });
  return keys;
}

/**
 * Creates a key.
 * @param expires_at the expiry; null for a key that never expires.
 */
export async function createKey(
  { project, company }: App,
  name: string,
  scopes: Scope[],
  expires_at: string | null,
): Promise<NewApiKey> {
  const key = { name, scopes, expires_at, company_id: company.id };
  return await changed(project.client.rpc("create_api_key", key));
}

/**
 * Creates the successor of a key. The old key ends after this many hours; with 0, it ends
 * immediately.
 */
export async function rotateKey(
  { project }: App,
  { id }: ApiKey,
  overlap_hours: number,
): Promise<NewApiKey> {
  return await changed(project.client.rpc("rotate_api_key", { key_id: id, overlap_hours }));
}

/** Renames a key, or switches it off or on. */
export async function updateKey(
  { project, company }: App,
  { id }: ApiKey,
  values: { name?: string; is_active?: boolean },
): Promise<void> {
  expectRow<unknown>(
    await changed(
      project.client.from("api_keys").update(values).eq("id", id).eq("company_id", company.id)
        .select("id"),
    ),
  );
}

/** Changes when a key expires. @param expires_at the expiry; null for a key that never expires. */
export async function setExpiry(
  { project }: App,
  { id }: ApiKey,
  expires_at: string | null,
): Promise<void> {
  await changed(project.client.rpc("set_api_key_expiry", { key_id: id, expires_at }));
}

/**
 * Deletes a key. A key that no longer exists counts as deleted.
 * @throws Failure also when the user no longer manages the keys.
 */
export async function deleteKey(
  { project, company, person }: App,
  { id }: ApiKey,
): Promise<void> {
  const deleted = await changed<unknown[]>(
    project.client.from("api_keys").delete().eq("id", id).eq("company_id", company.id)
      .select("id"),
  );
  if (deleted.length === 0) await expectManager({ project, company, person });
}

/** The current state of a key. */
export type KeyState = "active" | "off" | "expired";

/** Whether a key works now, or the reason why it does not. */
export function stateOf({ is_active, expires_at }: ApiKey, now = Date.now()): KeyState {
  if (expires_at && Date.parse(expires_at) <= now) return "expired";
  return is_active ? "active" : "off";
}

/** The key's successor, if there is one. */
export function successorOf(key: ApiKey, keys: ApiKey[]): ApiKey | undefined {
  return keys.find(({ replaces }) => replaces === key.id);
}

/** The key that this key replaces, if it still exists. */
export function predecessorOf(key: ApiKey, keys: ApiKey[]): ApiKey | undefined {
  return keys.find(({ id }) => id === key.replaces);
}

/**
 * Removes invisible characters from a name, such as the joiners in an emoji, to compare the name
 * with what the user types.
 */
export function typable(name: string): string {
  return name.normalize("NFKC").replace(/\p{Cf}/gu, "").replace(/\s+/g, " ").trim();
}

/**
 * The name that a user typed or pasted, without white space at its ends and without invisible
 * characters.
 */
export function nameIn(written: string): string {
  const shown = written.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replace(
      /(?![\u200c\u200d])[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0]/gu,
      "",
    );
  return /[^\s\u200c\u200d](.*[^\s\u200c\u200d])?/s.exec(shown)?.[0] ?? "";
}

/** The error about a name that is empty or has over 100 characters; null when the name is valid. */
export function faultOfName(name: string, t: Texts): string | null {
  const length = Array.from(name).length;
  return length < 1 ? t.keys.nameMissing : length > 100 ? t.keys.nameTooLong : null;
}

/** The error for a key that is not in the company's list. */
export function goneKey(): Failure {
  return new Failure("gone", "", (t) => t.keys.gone);
}
