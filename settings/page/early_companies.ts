// Requests the companies of the stored session while the browser still loads the scripts. On a slow
// connection, this saves one round trip before the first view.
import { loadConfig } from "./page_config.ts";

/** The name under which the browser stores the session. */
export const SESSION = "settings.session";

/** A company of which the user is a member. */
export interface MembershipRow {
  role: "owner" | "admin" | "agent";
  companies: { id: string; name: string; managers_need_second_factor: boolean };
}

/** The columns of a MembershipRow. */
export const MEMBERSHIP =
  "role,companies!company_members_company_id_fkey(id,name,managers_need_second_factor)";

/** A token that expires within this time is renewed first, so it is not used here. */
const MARGIN_MS = 120_000;

let early: { userId: string; rows: Promise<MembershipRow[] | null> } | null = null;

/** Requests the companies if the browser has a session that is still valid. */
export function askEarly(): void {
  const session = storedSession();
  if (session) early = { userId: session.userId, rows: rowsOf(session).catch(() => null) };
}

/**
 * The rows that were requested early. Only the first call returns them; later calls return null,
 * and the caller must request the rows.
 */
export async function takeEarlyRows(userId: string): Promise<MembershipRow[] | null> {
  const taken = early;
  early = null;
  return taken?.userId === userId ? await taken.rows : null;
}

interface StoredSession {
  token: string;
  userId: string;
}

function storedSession(): StoredSession | null {
  try {
    const { access_token, expires_at, user } = JSON.parse(localStorage.getItem(SESSION) ?? "");
    const isValid = expires_at * 1000 > Date.now() + MARGIN_MS;
    return isValid ? { token: access_token, userId: user.id } : null;
  } catch {
    return null;
  }
}

async function rowsOf({ token, userId }: StoredSession): Promise<MembershipRow[] | null> {
  const { project_url, publishable_key } = await loadConfig();
  const query = new URLSearchParams({
    select: MEMBERSHIP,
    user_id: `eq.${userId}`,
  });
  const answer = await fetch(`${project_url}/rest/v1/company_members?${query}`, {
    headers: { apikey: publishable_key, Authorization: `Bearer ${token}` },
  });
  return answer.ok ? await answer.json() : null;
}
