import type { Config } from "./page_config.ts";
import { MEMBERSHIP, type MembershipRow, SESSION, takeEarlyRows } from "./early_companies.ts";
import { answered, Failure } from "./failure.ts";
import type { Company, Invitation, Person } from "./person.ts";
import { hasCode } from "./second_factor.ts";
import { createClient, type SupabaseClient } from "./supabase.ts";
import { keep, kept } from "./texts.ts";

/**
 * The project whose data the page shows: its Supabase Auth, and its Data API with the signed-in
 * user's permissions.
 */
export interface Project {
  client: SupabaseClient;
  /**
   * Requests links, and finds out which person a link would sign in. This client never signs anyone
   * in, because it does not store a session.
   */
  links: SupabaseClient;
  /** The base URL of the functions for API callers, which ends in `/functions/v1`. */
  functionsUrl: string;
  docsUrl: string | null;
  mailUrl: string | null;
  /** Called when the project does not accept the user's session. */
  refused(): void;
}

/**
 * The name under which the browser stores the verifier. With the verifier, Supabase Auth knows that
 * a link was requested in this browser.
 */
const LINKS = "settings.link";
const VERIFIER = `${LINKS}-code-verifier`;

/** The name under which the browser stores that the user signed out, in this or another window. */
const LEFT = "settings.left";

/** The name under which the browser stores the names and roles of the user's companies. */
const COMPANIES = "settings.companies";

/** How long a call waits for a response. The database cancels a statement earlier. */
const PATIENCE_MS = 20_000;

/** Opens the project in config.json. */
export function openProject(config: Config): Project {
  const patientFetch: typeof fetch = (input, init) => {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const signal = init?.signal ? AbortSignal.any([init.signal, patience]) : patience;
    return fetch(input, { ...init, signal });
  };
  const { project_url, publishable_key } = config;
  const watchedFetch: typeof fetch = async (input, init) => {
    const answer = await patientFetch(input, init);
    if (answer.status === 401 && !answer.url.includes("/auth/v1/")) project.refused();
    return answer;
  };
  const client = createClient(project_url, publishable_key, {
    // supabase-js must ignore a link's data in the URL, because arrivalOf() handles it.
    auth: { storageKey: SESSION, detectSessionInUrl: false },
    fetch: watchedFetch,
  });
  const links = createClient(project_url, publishable_key, {
    auth: {
      flowType: "pkce",
      storageKey: LINKS,
      storage: storageOfLinks(),
      detectSessionInUrl: false,
      autoRefreshToken: false,
    },
    fetch: patientFetch,
  });
  const project: Project = {
    client,
    links,
    functionsUrl: `${config.project_url}/functions/v1`,
    docsUrl: config.docs_url,
    mailUrl: config.mail_url,
    refused: () => {},
  };
  return project;
}

/**
 * Stores only the verifier of the newest link in the browser. Everything else stays in memory. The
 * verifier remains until the next link is requested. supabase-js would delete it after every
 * attempt to exchange a code, even if the code is another user's or Auth does not respond.
 */
function storageOfLinks() {
  const memory = new Map<string, string>();
  return {
    getItem: (name: string) => name === VERIFIER ? kept(name) : memory.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (name === VERIFIER) keep(name, value);
      else memory.set(name, value);
    },
    removeItem: (name: string) => void memory.delete(name),
  };
}

/** Signs the user out of this browser, even without a network. */
export async function signOut({ client }: Project): Promise<void> {
  keep(LEFT, new Date().toISOString());
  keep(COMPANIES, "");
  const { error } = await client.auth.signOut({ scope: "local" });
  if (error) {
    localStorage.removeItem(SESSION);
    location.reload();
  }
}

/** Whether the user signed out. If not, a missing session has expired. */
export function hasLeft(): boolean {
  return kept(LEFT) !== null;
}

/** Forgets that an earlier user signed out. */
export function hasCome(): void {
  try {
    localStorage.removeItem(LEFT);
  } catch {
    // Nothing was stored.
  }
}

/**
 * The companies of which a user is a member, sorted by name.
 * @param hasCode whether the user signed in with a second factor.
 */
export async function companiesOf(
  { client }: Project,
  person: Person,
  hasCode: boolean,
): Promise<Company[]> {
  const rows = await takeEarlyRows(person.id) ?? await answered<MembershipRow[]>(
    client.from("company_members").select(MEMBERSHIP).eq("user_id", person.id),
  );
  const found = rows.map(({ role, companies: { id, name, managers_need_second_factor } }) => ({
    ...{ id, name, role },
    isLocked: managers_need_second_factor && role !== "agent" && !hasCode,
  })).sort((one, other) => one.name.localeCompare(other.name));
  keep(COMPANIES, JSON.stringify([person.id, found]));
  return found;
}

/**
 * The user's companies at the last visit; empty if another user has signed in since.
 */
export function keptCompanies(person: Person): Company[] {
  try {
    const [id, companies] = JSON.parse(kept(COMPANIES) ?? "[]");
    return id === person.id ? companies : [];
  } catch {
    return [];
  }
}

/**
 * Checks that the user still manages a company. The database hides the keys and the history from
 * other users without an error, so a response without rows may mean that the user's rights have
 * changed.
 * @throws Failure if the user no longer manages the company.
 */
export async function expectManager(
  { project, person, company }: { project: Project; person: Person; company: Company },
): Promise<void> {
  const { data: { session } } = await project.client.auth.getSession();
  const companies = await companiesOf(project, person, session !== null && hasCode(session));
  const found = companies.find(({ id }) => id === company.id);
  if (found?.isLocked) throw new Failure("forbidden", "", (t) => t.companies.lockedText);
  if (!found || found.role === "agent") throw new Failure("forbidden");
}

/** The signed-in user's invitations. */
export async function invitationsTo({ client }: Project): Promise<Invitation[]> {
  return await answered(client.rpc("own_invitations"));
}

/** A member of a company. */
export interface Member {
  user_id: string;
  /** Null until the member has a name. */
  name: string | null;
  role: Company["role"];
}

/** The members of a company. */
export async function membersOf({ client }: Project, company: Company): Promise<Member[]> {
  return await answered(
    client.from("company_members").select("user_id,name,role").eq("company_id", company.id)
      .order("created_at").order("user_id"),
  );
}
