import type { Config } from "./page_config.ts";
import { answered } from "./failure.ts";
import type { Company, Person } from "./person.ts";
import { createClient, type SupabaseClient } from "./supabase.ts";
import { keep, kept } from "./texts.ts";

/**
 * The project whose data the page shows: Supabase Auth, and the Data API as the signed-in person
 * sees it.
 */
export interface Project {
  client: SupabaseClient;
  /**
   * Requests links, and finds out which person a link would sign in. It never signs anyone in,
   * because it does not store a session.
   */
  links: SupabaseClient;
  /** The address of the functions for callers; it ends in `/functions/v1`. */
  functionsUrl: string;
  docsUrl: string | null;
  mailUrl: string | null;
}

/** The browser stores who is signed in under this name. */
const SESSION = "settings.session";

/**
 * The browser stores the verifier under this name. With the verifier, Supabase Auth knows that a
 * link was requested in this browser.
 */
const LINKS = "settings.link";
const VERIFIER = `${LINKS}-code-verifier`;

/** How long a call waits for an answer. The database ends a statement before that. */
const PATIENCE_MS = 20_000;

/** The project that config.json names. */
export function openProject(config: Config): Project {
  const patientFetch: typeof fetch = (input, init) => {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const signal = init?.signal ? AbortSignal.any([init.signal, patience]) : patience;
    return fetch(input, { ...init, signal });
  };
  const { project_url, publishable_key } = config;
  const client = createClient(project_url, publishable_key, {
    // supabase-js leaves the content of a link alone, because arrivalOf() handles it.
    auth: { storageKey: SESSION, detectSessionInUrl: false },
    // A call is not repeated: the person sees the error immediately, and can try again.
    db: { retry: false },
    global: { fetch: patientFetch },
  });
  const links = createClient(project_url, publishable_key, {
    auth: {
      flowType: "pkce",
      storageKey: LINKS,
      storage: storageOfLinks(),
      detectSessionInUrl: false,
      autoRefreshToken: false,
    },
    global: { fetch: patientFetch },
  });
  return {
    client,
    links,
    functionsUrl: `${config.project_url}/functions/v1`,
    docsUrl: config.docs_url,
    mailUrl: config.mail_url,
  };
}

/**
 * Stores only the verifier of the newest link in the browser. Everything else stays in memory. The
 * verifier stays until the next link is requested. supabase-js would delete it for every code in
 * the address, even one from another person, and even if no answer came.
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

/** Signs the person out of this browser, even without a network. */
export async function signOut({ client }: Project): Promise<void> {
  const { error } = await client.auth.signOut({ scope: "local" });
  if (error) {
    localStorage.removeItem(SESSION);
    location.reload();
  }
}

/** The companies where a person works, by name. */
export async function companiesOf({ client }: Project, person: Person): Promise<Company[]> {
  const rows = await answered<{ role: Company["role"]; companies: { id: string; name: string } }[]>(
    client.from("company_members").select("role,companies!company_members_company_id_fkey(id,name)")
      .eq("user_id", person.id),
  );
  return rows.map(({ role, companies }) => ({ ...companies, role }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** A person who works in a company. */
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
