import type { App } from "../app.ts";
import { authFailure } from "../auth_failure.ts";
import { answered, changed } from "../failure.ts";
import type { SecurityTexts } from "../texts/en/security.ts";

/** A user's session, as the page reads it. */
export interface OwnSession {
  id: string;
  /** The header User-Agent, in which a browser identifies itself. */
  user_agent: string | null;
  client_address: string | null;
  created_at: string;
  last_used_at: string;
  is_current: boolean;
}

export async function sessionsOf({ project: { client } }: App): Promise<OwnSession[]> {
  const rows = await answered<OwnSession[]>(client.rpc("own_sessions"));
  return rows.toSorted((one, other) => Number(other.is_current) - Number(one.is_current));
}

/** Ends one session. @throws Failure */
export async function endSession({ project: { client } }: App, session_id: string) {
  await changed(client.rpc("end_session", { session_id }));
}

/** Ends every session except this one. @throws Failure */
export async function endOthers({ project: { client } }: App) {
  const { error } = await client.auth.signOut({ scope: "others" });
  if (error) throw authFailure(error);
}

/** The names that browsers and systems have in the header, the more specific names first. */
const BROWSERS = [["Edg", "Edge"], ["OPR", "Opera"], ["SamsungBrowser", "Samsung Internet"]]
  .concat([["Firefox", "Firefox"], ["FxiOS", "Firefox"], ["CriOS", "Chrome"]])
  .concat([["Chrome", "Chrome"], ["Safari", "Safari"]]);
const SYSTEMS = [["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"]]
  .concat([["Windows", "Windows"], ["Mac OS", "macOS"], ["CrOS", "ChromeOS"], ["Linux", "Linux"]]);

/** Describes a browser: "Firefox, Windows". */
export function deviceOf(header: string, t: SecurityTexts["sessions"]): string {
  const named = (names: string[][]) => names.find(([part]) => header.includes(part))?.[1];
  const found = [named(BROWSERS), named(SYSTEMS)].filter((name) => name !== undefined);
  return found.length > 0 ? found.join(", ") : header.slice(0, 60) || t.unknown;
}
