import { moment, printable } from "./print.ts";

/** An API key in the form that the commands print, without its secret value and hash. */
export interface ApiKey {
  id: string;
  company_id: string;
  name: string;
  hint: string;
  scopes: string[];
  is_active: boolean;
  expires_at: string | null;
  last_used_at: string | null;
  created_at: string;
  /** The id of the earlier key that this key replaces. */
  replaces: string | null;
}

/** The database columns of an `ApiKey`. */
export const API_KEY =
  "id, company_id, name, hint, scopes, is_active, expires_at, last_used_at, created_at, replaces";

/** The result of create_api_key() and rotate_api_key(). */
export interface NewApiKey
  extends Omit<ApiKey, "hint" | "is_active" | "last_used_at" | "replaces"> {
  /** The key's secret value, which is shown only when the key is created. */
  api_key: string;
}

/**
 * The state of a key: active, or the reason why the API refuses the key.
 * @param isReplaced whether the key has a successor. A key with a successor works for a limited
 * time after the rotation, and then expires.
 */
export function stateOf({ is_active, expires_at }: ApiKey, isReplaced = false): string {
  if (!is_active) return "inactive";
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return "expired";
  return isReplaced ? "ending" : "active";
}

/** The name that the commands print for a key. */
export function called(key: ApiKey): string {
  return `"${printable(key.name)}" (${shortened(key)})`;
}

/** The prefix that all keys share, and the stored last characters of this key. */
export function shortened({ hint }: ApiKey): string {
  return `sk_live_…${hint}`;
}

/** The error message when no key has the given id. */
export function noKey(id: string): string {
  return `No API key has the id ${id}: npm run admin -- key list shows the ids.`;
}

/** The end of a sentence about a new key. It says when the key expires. */
export function endOf({ expires_at }: NewApiKey): string {
  return `which ${expires_at ? `expires ${moment(expires_at, "")}` : "does not expire"}.`;
}

/** The printed lines that show a new key. */
export function shownOnce({ api_key }: NewApiKey): string[] {
  return ["", api_key, "", "The key is shown only this once: store it where you keep secrets."];
}
