import {
  createClient,
  type PostgrestSingleResponse,
  type SupabaseClient,
} from "@supabase/supabase-js";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CredentialsKeys,
  readCredentialsKeys,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
import type { Database } from "../supabase/functions/_shared/database/types.ts";
import { fetchOnce } from "../supabase/functions/_shared/fetch_once.ts";

/** What the operator can act on, as one sentence. The command ends with 1. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** The project that the command works on, as the platform itself (service_role). */
export interface Project {
  db: SupabaseClient<Database>;
  /**
   * What the database answered.
   * @param sentences what to say when a constraint does not hold, by the constraint's name.
   * @throws OperatorError when there is no answer, or when it is a refusal.
   */
  rows<Row>(answer: PostgrestSingleResponse<Row>, sentences?: Record<string, string>): Row;
  /**
   * The keys under which access tokens are stored; the functions have the same.
   * @throws ConfigError when the current one is missing, or one is malformed.
   */
  credentialsKeys(): CredentialsKeys;
}

interface Target {
  url: string;
  secretKey: string;
  credentialsKey(): string | undefined;
  unreachable: string;
}

/** For each request: longer than a busy database takes, shorter than a person's patience. */
const TIMEOUT_MS = 30_000;

/**
 * The project of SUPABASE_URL and SUPABASE_SECRET_KEY when both are set, else the local stack.
 * @throws OperatorError when only one is set, or when there is no local stack.
 */
export function openProject(): Project {
  const target = namedTarget() ?? localTarget();
  const db = createClient<Database>(target.url, target.secretKey, {
    auth: { persistSession: false },
    // A person waits: better one clear sentence than several tries.
    db: { timeout: TIMEOUT_MS, retry: false },
    // A key that was made twice would be shown once.
    global: { fetch: fetchOnce },
  });
  return {
    db,
    rows(answer, sentences = {}) {
      if (answer.error === null) return answer.data;
      throw new OperatorError(sentenceFor(answer, target, sentences));
    },
    credentialsKeys: () =>
      readCredentialsKeys({
        CREDENTIALS_KEY: target.credentialsKey(),
        CREDENTIALS_KEY_PREVIOUS: Deno.env.get("CREDENTIALS_KEY_PREVIOUS"),
      }),
  };
}

function namedTarget(): Target | null {
  const url = Deno.env.get("SUPABASE_URL");
  const secretKey = Deno.env.get("SUPABASE_SECRET_KEY");
  if (!url && !secretKey) return null;
  if (!url || !secretKey) {
    const [set, missing] = url
      ? ["SUPABASE_URL", "SUPABASE_SECRET_KEY"]
      : ["SUPABASE_SECRET_KEY", "SUPABASE_URL"];
    throw new OperatorError(
      `${set} is set and ${missing} is not: set both for a project, or neither for the local stack.`,
    );
  }
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new OperatorError(
      "SUPABASE_URL must be the URL of a Supabase project, such as https://<project>.supabase.co.",
    );
  }
  return {
    url,
    secretKey,
    credentialsKey: () => Deno.env.get("CREDENTIALS_KEY"),
    unreachable: `The project at ${url} cannot be reached.`,
  };
}

const NOT_RUNNING = "The local stack is not running: start it with npm start, " +
  "or set SUPABASE_URL and SUPABASE_SECRET_KEY for another project.";

function localTarget(): Target {
  const file = Deno.env.get("STACK_FILE") ||
    fileURLToPath(new URL("../.local/stack.json", import.meta.url));
  const { url, secret_key } = readJson(file);
  return {
    url,
    secretKey: secret_key,
    credentialsKey: () => readJson(`${dirname(file)}/secrets.json`).credentials_key,
    unreachable: NOT_RUNNING,
  };
}

function readJson(file: string): Record<string, string> {
  try {
    return JSON.parse(Deno.readTextFileSync(file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new OperatorError(NOT_RUNNING);
    throw new OperatorError(`${file} cannot be read: start the local stack anew with npm start.`);
  }
}

function sentenceFor(
  { status, error }: PostgrestSingleResponse<unknown> & {
    error: { code: string; message: string };
  },
  target: Target,
  sentences: Record<string, string>,
): string {
  const { code, message } = error;
  if (status === 0) return target.unreachable;
  // The functions of the database raise these for people to read.
  if (code?.startsWith("PT")) return ended(message);
  if (status === 401) return `The project at ${target.url} does not accept this secret key.`;
  // Not from a database: a web page, or a proxy on the way.
  if (!code) return `${target.url} does not answer as a Supabase project does (HTTP ${status}).`;
  const broken = Object.keys(sentences).find((name) => message.includes(`"${name}"`));
  if (code.startsWith("23") && broken) return sentences[broken];
  return ended(`The database refused this: ${message}`);
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** As many rows as one request asks for. A project may answer fewer (max_rows), never more. */
const PAGE = 1000;
const BEFORE_THE_FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * All rows of a query, however many a project answers at a time, in no order that means anything.
 * The walk goes by id, so rows that come or go meanwhile neither hide nor repeat another.
 *
 * @param page the query for rows whose id is greater, in the order of their ids, with this limit.
 * @throws OperatorError as `rows` does.
 */
export async function everyRow<Row extends { id: string }>(
  project: Project,
  page: (afterId: string, limit: number) => PromiseLike<PostgrestSingleResponse<Row[]>>,
): Promise<Row[]> {
  const found: Row[] = [];
  while (true) {
    const rows = project.rows(await page(found.at(-1)?.id ?? BEFORE_THE_FIRST, PAGE));
    if (rows.length === 0) return found;
    found.push(...rows);
  }
}

interface Dated {
  created_at: string;
}

/** Orders rows by their age. The text of a moment orders as the moment does; Date would round it. */
export function newestFirst(a: Dated, b: Dated): number {
  return a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0;
}
