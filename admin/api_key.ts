import { moment, printable } from "./print.ts";

/** An API key as the commands show it, without the key itself and its hash. */
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

/** The columns of `ApiKey`. */
export const API_KEY =
  "id, company_id, name, hint, scopes, is_active, expires_at, last_used_at, created_at, replaces";

/** The answer of create_api_key() and rotate_api_key(). */
export interface NewApiKey
  extends Omit<ApiKey, "hint" | "is_active" | "last_used_at" | "replaces"> {
  /** The key itself, which is shown only when it is created. */
  api_key: string;
}

/**
 * Whether the API accepts a key, or the reason why it does not.
 * @param isReplaced whether the key has a successor. A key with a successor expires when the
 * overlap ends.
 */
export function stateOf({ is_active, expires_at }: ApiKey, isReplaced = false): string {
  if (!is_active) return "inactive";
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return "expired";
  return isReplaced ? "ending" : "active";
}

/** The name of a key in the output of the commands. */
export function called(key: ApiKey): string {
  return `"${printable(key.name)}" (${shortened(key)})`;
}

/** The prefix that all keys share, and the stored last characters of this key. */
export function shortened({ hint }: ApiKey): string {
  return `sk_live_…${hint}`;
}

/** The error message for an id that no key has. */
export function noKey(id: string): string {
  return `No API key has the id ${id}: npm run admin -- key list shows the ids.`;
}

/** The end of a sentence: when a new key expires. */
export function endOf({ expires_at }: NewApiKey): string {
  return `which ${expires_at ? `expires ${moment(expires_at, "")}` : "does not expire"}.`;
}

/** The lines that show a new key. */
export function shownOnce({ api_key }: NewApiKey): string[] {
  return ["", api_key, "", "The key is shown only this once: store it where you keep secrets."];
}
