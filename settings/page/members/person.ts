import { askSettings } from "../accounts/ask_settings.ts";
import { type App, isManager } from "../app.ts";
import { answered, changed, Failure } from "../failure.ts";
import type { Company } from "../person.ts";
import type { MembersTexts } from "../texts/en/members.ts";

export type Role = Company["role"];

/** A member of the company, as the page reads it. */
export interface Colleague {
  user_id: string;
  name: string | null;
  /** Null when the signed-in user may not see the e-mail address. */
  email: string | null;
  role: Role;
  created_at: string;
  has_second_factor: boolean | null;
}

/** An open invitation. */
export interface Pending {
  id: string;
  email: string;
  role: Role;
  created_at: string;
  expires_at: string;
  /** When the last e-mail was sent; null when none was sent. */
  mailed_at: string | null;
  mail_failed: boolean;
}

export const ROLES: Role[] = ["owner", "admin", "agent"];

/** The roles that the user may assign. The database also checks this permission. */
export function rolesToGive({ company }: App): Role[] {
  return company.role === "owner" ? ROLES : ["admin", "agent"];
}

/** Whether the user may change this colleague. */
export function mayChange(colleague: Colleague, { company }: App): boolean {
  return isManager(company) && (company.role === "owner" || colleague.role !== "owner");
}

export async function colleaguesOf({ project: { client }, company }: App): Promise<Colleague[]> {
  return await answered(client.rpc("company_people", { company_id: company.id }));
}

export async function pendingOf({ project: { client }, company }: App): Promise<Pending[]> {
  return await answered(
    client.from("company_invitations").select(
      "id,email,role,created_at,expires_at,mailed_at,mail_failed",
    )
      .eq("company_id", company.id).order("created_at", { ascending: false }),
  );
}

/** Whether the company requires a second factor of its owners and admins. */
export async function requiresFactor({ project: { client }, company }: App): Promise<boolean> {
  const [row] = await answered<{ managers_need_second_factor: boolean }[]>(
    client.from("companies").select("managers_need_second_factor").eq("id", company.id),
  );
  return row?.managers_need_second_factor ?? false;
}

/** Calls a function of the database that changes something. @throws Failure */
export async function call<T>(
  { project: { client } }: App,
  name: string,
  values: Record<string, unknown>,
): Promise<T> {
  return await changed<T>(client.rpc(name, values)).catch(inOwnWords);
}

/**
 * Asks the function `settings` to let Supabase Auth send the e-mail of an invitation. The
 * invitation is also valid without the e-mail.
 * @returns whether the e-mail was sent.
 */
export async function mail(app: App, { id }: Pending): Promise<boolean> {
  const page = location.origin + location.pathname;
  const answer = await askSettings<{ mailed: boolean }>(
    app,
    `invitations/${id}/mail`,
    { page },
    () => undefined,
  ).catch(() => null);
  return answer?.mailed === true;
}

/** The database's error messages for which the page has its own messages. */
const SENTENCES: [part: string, words: keyof MembersTexts["refused"]][] = [
  ["only owner", "lastOwner"],
  ["works in the company already", "isMember"],
  ["already invited", "isInvited"],
  ["20 invitations", "tooMany"],
  ["less than a minute", "tooSoon"],
  ["e-mail address", "wrongAddress"],
  ["for yourself first", "ownFactorFirst"],
  ["removal took too long", "removalTooLong"],
];

function inOwnWords(error: unknown): never {
  if (error instanceof Failure) {
    const words = SENTENCES.find(([part]) => error.message.includes(part))?.[1];
    if (words) throw new Failure(error.kind, error.message, (t) => t.members.refused[words]);
  }
  throw error;
}
