import type { Company, Person } from "./app.ts";
import type { Config } from "./config.ts";
import { answered } from "./failure.ts";
import { createClient, type SupabaseClient } from "./supabase.ts";

/** The project whose data the page shows: Supabase Auth, and the Data API as the person who is signed in. */
export interface Project {
  client: SupabaseClient;
  /** Where callers find the functions: it ends in `/functions/v1`. */
  functionsUrl: string;
  docsUrl: string | null;
  mailUrl: string | null;
}

/** Where the browser keeps who is signed in. */
const SESSION = "settings.session";

/** How long a call waits for an answer. The database ends a statement before. */
const PATIENCE_MS = 20_000;

/** The project that config.json names. */
export function openProject(config: Config): Project {
  const client = createClient(config.project_url, config.publishable_key, {
    // The tokens of a link are taken by sessionOf().
    auth: { flowType: "implicit", storageKey: SESSION, detectSessionInUrl: false },
    // A person is told at once, and tries again when they want to.
    db: { retry: false },
    global: {
      fetch: (input, init) => {
        const patience = AbortSignal.timeout(PATIENCE_MS);
        const signal = init?.signal ? AbortSignal.any([init.signal, patience]) : patience;
        return fetch(input, { ...init, signal });
      },
    },
  });
  return {
    client,
    functionsUrl: `${config.project_url}/functions/v1`,
    docsUrl: config.docs_url,
    mailUrl: config.mail_url,
  };
}

/** Forgets who is signed in, also without a network. */
export async function signOut({ client }: Project): Promise<void> {
  const { error } = await client.auth.signOut({ scope: "local" });
  if (error) {
    localStorage.removeItem(SESSION);
    location.reload();
  }
}

/** The companies in which a person works, by name. */
export async function companiesOf({ client }: Project, person: Person): Promise<Company[]> {
  const rows = await answered<{ role: Company["role"]; companies: { id: string; name: string } }[]>(
    client.from("company_members").select("role,companies!company_members_company_id_fkey(id,name)")
      .eq("user_id", person.id),
  );
  return rows.map(({ role, companies }) => ({ ...companies, role }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** Somebody who works in a company. */
export interface Member {
  user_id: string;
  /** Null until it is given. */
  name: string | null;
  role: Company["role"];
}

/** Who works in a company. */
export async function membersOf({ client }: Project, company: Company): Promise<Member[]> {
  return await answered(
    client.from("company_members").select("user_id,name,role").eq("company_id", company.id)
      .order("created_at").order("user_id"),
  );
}
