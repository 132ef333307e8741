import { faultOfKey } from "./publishable_key.ts";

/** The content of config.json, a file next to the page. */
export interface Config {
  /** The project's URL, such as `https://<ref>.supabase.co`. */
  project_url: string;
  /** The project's publishable key, which is not a secret. */
  publishable_key: string;
  /**
   * The URL of the documentation for API callers; null when the page has no links to the
   * documentation.
   */
  docs_url: string | null;
  /**
   * The URL at which a development stack shows its e-mails, which it does not send. Null when
   * e-mails are sent.
   */
  mail_url: string | null;
}

/** The error when config.json is missing or one of its members is invalid. */
export class ConfigFault extends Error {
  /** @param member the invalid member; null when the file does not exist or is not JSON. */
  constructor(readonly member: keyof Config | null) {
    super(`config.json: ${member ?? "no JSON"}`);
  }
}

/**
 * Reads the content of config.json.
 * @throws ConfigFault
 */
export function readConfig(json: unknown): Config {
  if (typeof json !== "object" || json === null) throw new ConfigFault(null);
  const config = json as Record<keyof Config, unknown>;
  const key = config.publishable_key;
  if (typeof key !== "string" || faultOfKey(key)) throw new ConfigFault("publishable_key");
  return {
    project_url: address(config, "project_url")?.match(/^.*[^/]/s)?.[0] ?? wrong("project_url"),
    publishable_key: key,
    docs_url: address(config, "docs_url"),
    mail_url: address(config, "mail_url"),
  };
}

let loading: Promise<Config> | null = null;

/**
 * Loads config.json, once.
 * @throws ConfigFault
 * @throws TypeError when the host cannot be reached.
 */
export function loadConfig(): Promise<Config> {
  return loading ??= fetchConfig();
}

async function fetchConfig(): Promise<Config> {
  const answer = await fetch("config.json", { cache: "no-cache" });
  if (!answer.ok) throw new ConfigFault(null);
  return readConfig(await answer.json().catch(() => null));
}

function address(config: Record<string, unknown>, member: keyof Config): string | null {
  const value = config[member] ?? null;
  if (value === null) return null;
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url && /^https?:$/.test(url.protocol) ? value as string : wrong(member);
}

function wrong(member: keyof Config): never {
  throw new ConfigFault(member);
}
