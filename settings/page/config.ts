import { faultOfKey } from "./publishable_key.ts";

/** What config.json beside the page says. */
export interface Config {
  /** The project's address, such as `https://<ref>.supabase.co`. */
  project_url: string;
  /** The project's publishable key, which is no secret. */
  publishable_key: string;
  /** The documentation for callers; null: the page links to none. */
  docs_url: string | null;
  /** Where mails can be read that are not sent, on a stack for development; null: they are sent. */
  mail_url: string | null;
}

/** config.json is missing, or one of its members is wrong. */
export class ConfigFault extends Error {
  /** @param member the member at fault; null: there is no such file, or it is no JSON. */
  constructor(readonly member: keyof Config | null) {
    super(`config.json: ${member ?? "no JSON"}`);
  }
}

/**
 * Reads what config.json says.
 * @throws ConfigFault
 */
export function readConfig(json: unknown): Config {
  if (typeof json !== "object" || json === null) throw new ConfigFault(null);
  const config = json as Record<keyof Config, unknown>;
  const key = config.publishable_key;
  if (typeof key !== "string" || faultOfKey(key)) throw new ConfigFault("publishable_key");
  return {
    project_url: address(config, "project_url")?.replace(/\/+$/, "") ?? wrong("project_url"),
    publishable_key: key,
    docs_url: address(config, "docs_url"),
    mail_url: address(config, "mail_url"),
  };
}

/**
 * Loads config.json.
 * @throws ConfigFault
 * @throws TypeError when the host is not reached.
 */
export async function loadConfig(): Promise<Config> {
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
