// A company's API keys, as the Data API has them. The keys themselves are kept nowhere.
import type { App } from "../app.ts";
import { answered, changed, expectRow, Failure } from "../failure.ts";
import { membersOf } from "../project.ts";
import type { Texts } from "../texts.ts";

/** What a key may do. None contains another. */
export const SCOPES = ["read", "write", "messaging"] as const;
export type Scope = typeof SCOPES[number];

/** A key as it is listed. */
export interface ApiKey {
  id: string;
  name: string;
  /** The last four characters. */
  hint: string;
  scopes: Scope[];
  is_active: boolean;
  expires_at: string | null;
  last_used_at: string | null;
  /** Who made it; null: the platform, or somebody whose account is gone. */
  created_by: string | null;
  created_at: string;
  /** The key that this one succeeds. */
  replaces: string | null;
}

/** A key as it is answered once, when it is made. */
export interface NewApiKey {
  id: string;
  name: string;
  api_key: string;
  scopes: Scope[];
  expires_at: string | null;
}

const COLUMNS =
  "id,name,hint,scopes,is_active,expires_at,last_used_at,created_by,created_at,replaces";

/** The Data API answers no more rows than this at once. */
const MOST_ROWS = 1000;

/**
 * Every key of the company, newest first.
 * @throws Failure also when the person does not look after them any more: they would seem to be gone.
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
  if (keys.length === 0) {
    const members = await membersOf(project, company);
    const role = members.find(({ user_id }) => user_id === person.id)?.role;
    if (!role || role === "agent") throw new Failure("forbidden");
  }
  return keys;
}

/**
 * Makes a key.
 * @param expires_at null: never.
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

/** Makes the successor of a key, which ends after some hours; 0: at once. */
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

/** Deletes a key. One that is gone already is deleted. */
export async function deleteKey({ project, company }: App, { id }: ApiKey): Promise<void> {
  await changed(
    project.client.from("api_keys").delete().eq("id", id).eq("company_id", company.id),
  );
}

/** What is true of a key now. */
export type KeyState = "active" | "off" | "expired";

/** Whether a key works now, and why not. */
export function stateOf({ is_active, expires_at }: ApiKey, now = Date.now()): KeyState {
  if (expires_at && Date.parse(expires_at) <= now) return "expired";
  return is_active ? "active" : "off";
}

/** The key that succeeds this one, if there is one. */
export function successorOf(key: ApiKey, keys: ApiKey[]): ApiKey | undefined {
  return keys.find(({ replaces }) => replaces === key.id);
}

/** The characters that a name shows, for comparing it with what is typed: the joiners of an emoji are not typed. */
export function typable(name: string): string {
  return name.normalize("NFKC").replace(/\p{Cf}/gu, "").replace(/\s+/g, " ").trim();
}

/** The name that a person has written: without what a pasted text has at its ends, and what shows nothing. */
export function nameIn(written: string): string {
  return written.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replace(
      /(?![\u200c\u200d])[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0]/gu,
      "",
    )
    .replace(/^[\s\u200c\u200d]+|[\s\u200c\u200d]+$/g, "");
}

/** What is said when a name has not 1 to 100 characters; null when it has. */
export function faultOfName(name: string, t: Texts): string | null {
  const length = Array.from(name).length;
  return length < 1 ? t.keys.nameMissing : length > 100 ? t.keys.nameTooLong : null;
}

/** A key of the company that is none of the list. */
export function goneKey(): Failure {
  return new Failure("gone", "", (t) => t.keys.gone);
}
