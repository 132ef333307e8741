import { ConfigError } from "../config.ts";
import { isThisMachine } from "../service_url.ts";
import type { AddressRules } from "./address.ts";

/**
 * Reads the rules for webhook URLs. WEBHOOK_HOSTS has the origins on this machine that a local
 * stack allows; this variable may be missing or empty. SUPABASE_URL has the host name of the
 * service itself.
 *
 * @throws ConfigError when WEBHOOK_HOSTS has anything other than origins on this machine, or is set
 *   for a hosted project. The message is for the operator.
 */
export function readAddressRules(
  { WEBHOOK_HOSTS, SUPABASE_URL }: Record<string, string | undefined>,
): Required<AddressRules> {
  const service = URL.canParse(SUPABASE_URL ?? "") ? new URL(SUPABASE_URL!) : null;
  const hosts = (WEBHOOK_HOSTS ?? "").split(",").map((entry) => entry.trim()).filter(Boolean)
    .map(originOf);
  if (hosts.length > 0 && service?.protocol === "https:") {
    throw new ConfigError(
      "WEBHOOK_HOSTS is only for a stack on this machine; remove it from the secrets of a hosted project.",
    );
  }
  return { hosts, own: service ? ownHosts(service.hostname) : [] };
}

function originOf(entry: string): string {
  const url = URL.canParse(entry) ? new URL(entry) : null;
  if (url?.protocol === "http:" && isThisMachine(url.hostname) && url.href === `${url.origin}/`) {
    return url.origin;
  }
  throw new ConfigError(
    "WEBHOOK_HOSTS must be origins on this machine, separated by commas, such as http://127.0.0.1:54324.",
  );
}

/** A hosted project is also reachable at `<project>.functions.supabase.co`. */
function ownHosts(host: string): string[] {
  const [, project] = /^([a-z\d]+)\.supabase\.co$/.exec(host) ?? [];
  return project ? [host, `${project}.functions.supabase.co`] : [host];
}
