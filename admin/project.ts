import {
  createClient,
  type PostgrestSingleResponse,
  type SupabaseClient,
} from "@supabase/supabase-js";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CredentialsKeys,
  readCredentialsKeys,
} from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import {
  type ChannelConfig,
  readChannelConfig,
} from "../supabase/functions/_shared/channel/channel_config.ts";
import { meaningOf } from "../supabase/functions/_shared/database/constraints.ts";
import type { Database } from "../supabase/functions/_shared/database/types.ts";
import { fetchOnce } from "../supabase/functions/_shared/fetch_once.ts";
import { isExposed, serviceUrl } from "../supabase/functions/_shared/service_url.ts";
import { OperatorError } from "./operator_error.ts";

/** The project that the command manages. Requests to its Data API have the role service_role. */
export interface Project {
  /** Without a slash at the end. */
  url: string;
  db: SupabaseClient<Database>;
  /**
   * Returns the rows of a response.
   * @param sentences the messages for database errors, by violated constraint or error code.
   * @throws OperatorError when the project cannot be reached or refuses the request.
   */
  rows<Row>(answer: PostgrestSingleResponse<Row>, sentences?: Record<string, string>): Row;
  /**
   * The keys that encrypt access tokens. The functions must have the same keys.
   * @throws ConfigError when the current key is missing, or a key is malformed.
   */
  credentialsKeys(): CredentialsKeys;
  /**
   * How to reach the messaging channel. The URL comes from WHATSAPP_API_URL, or else from the
   * running local stack. Otherwise, it is the real channel's URL.
   * @throws ConfigError when the URL or a media host is malformed.
   */
  channel(): ChannelConfig;
}

/** A project's URL and keys, and the messages to print when a request to the project fails. */
interface Target {
  url: string;
  secretKey: string;
  credentialsKey(): string | undefined;
  /**
   * The channel URL that the project's functions call; undefined when this command does not know
   * the URL.
   */
  channelUrl: string | undefined;
  /** The error message for a project that does not answer. */
  unreachable: string;
  /** The error message for a secret key that the project does not accept. */
  unauthorized: string;
}

/**
 * The time limit of each request. Even a busy database responds sooner, and an operator would not
 * wait longer.
 */
const TIMEOUT_MS = 30_000;

/**
 * The project of SUPABASE_URL and SUPABASE_SECRET_KEY when both are set, otherwise the local stack.
 * @throws OperatorError when only one is set, or when no local stack is running.
 */
export function openProject(): Project {
  const target = namedTarget() ?? localTarget();
  const db = createClient<Database>(target.url, target.secretKey, {
    auth: { persistSession: false },
    // A failed request is not retried, because an operator prefers an immediate, clear error.
    db: { timeout: TIMEOUT_MS, retry: false },
    // Retrying `key create` could create two keys and show only one of them.
    global: { fetch: fetchOnce },
  });
  return {
    url: target.url.replace(/\/+$/, ""),
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
    channel: () =>
      readChannelConfig({
        WHATSAPP_API_URL: Deno.env.get("WHATSAPP_API_URL") || target.channelUrl,
        WHATSAPP_MEDIA_HOSTS: Deno.env.get("WHATSAPP_MEDIA_HOSTS"),
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
      `${set} is set but ${missing} is not: set both for a project, or neither for the local stack.`,
    );
  }
  const parsed = serviceUrl(url);
  if (!parsed) {
    throw new OperatorError(
      "SUPABASE_URL must be the URL of a Supabase project, such as https://<project>.supabase.co.",
    );
  }
  if (!isProtected(parsed)) {
    throw new OperatorError(
      "SUPABASE_URL must begin with https://, because each request carries the project's secret " +
        "key; http:// is only for this machine (localhost, 127.0.0.1, [::1]), host.docker.internal " +
        "and a container's name, such as kong.",
    );
  }
  return {
    url,
    secretKey,
    credentialsKey: () => Deno.env.get("CREDENTIALS_KEY"),
    channelUrl: undefined,
    unreachable: `The project at ${url} cannot be reached: check SUPABASE_URL and the network.`,
    unauthorized:
      `The project at ${url} does not accept the secret key: check SUPABASE_SECRET_KEY.`,
  };
}

/** Whether requests to a URL use TLS, or stay on this machine or in a container network. */
export function isProtected(url: URL): boolean {
  // A host name without a dot is a container's name, such as `kong`. An IPv6 address has no dots
  // either, but it has colons.
  return !isExposed(url) || /^[^.:]+$/.test(url.hostname);
}

const NOT_RUNNING = "The local stack is not running: start it with npm start, give its folder " +
  "with --data, or set SUPABASE_URL and SUPABASE_SECRET_KEY for another project.";

/** Selects the local stack that uses this data folder, as in `npm start -- --data <folder>`. */
export function chooseLocalStack(folder: string) {
  Deno.env.set("STACK_FILE", resolve(folder, "stack.json"));
  for (const name of ["SUPABASE_URL", "SUPABASE_SECRET_KEY"]) Deno.env.delete(name);
}

/**
 * The connection string of the local stack's database, with its password.
 * @throws OperatorError when no stack runs.
 */
export function localDatabaseUrl(): string {
  return readJson(stackFile()).database_url;
}

function stackFile(): string {
  return Deno.env.get("STACK_FILE") ||
    fileURLToPath(new URL("../.local/stack.json", import.meta.url));
}

function localTarget(): Target {
  const file = stackFile();
  const { url, secret_key, channel_url } = readJson(file);
  return {
    url,
    secretKey: secret_key,
    credentialsKey: () => readJson(`${dirname(file)}/secrets.json`).credentials_key,
    channelUrl: channel_url,
    unreachable: NOT_RUNNING,
    unauthorized:
      `The local stack does not accept the secret key in ${file}: restart it with npm start.`,
  };
}

function readJson(file: string): Record<string, string> {
  try {
    return JSON.parse(Deno.readTextFileSync(file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new OperatorError(NOT_RUNNING);
    throw new OperatorError(`${file} cannot be read: restart the local stack with npm start.`);
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
  if (Object.hasOwn(sentences, code)) return sentences[code];
  // Database functions raise these errors with readable messages.
  if (code?.startsWith("PT")) return withFullStop(message);
  if (status === 401) return target.unauthorized;
  // This response comes from a web page or a proxy, not from a database.
  if (!code) {
    return `${target.url} does not answer like a Supabase project (HTTP ${status}): ` +
      "check SUPABASE_URL, or try again.";
  }
  return meaningOf(error, sentences) ??
    withFullStop(`The database refused the request: ${message}`);
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
