// The URLs that a webhook may have. Callers choose these URLs, so no request may reach the service
// itself or a machine that is not on the public internet.
import ipaddr from "ipaddr.js";

/** Why requests are not sent to a URL. */
export interface AddressProblem {
  name: AddressProblemName;
  /** The message about the field `url`: what is wrong, and what to do. */
  message: string;
}

/** @see PROBLEMS, which has the message for each name. */
export type AddressProblemName = keyof typeof PROBLEMS;

/**
 * Exceptions for requests: origins that are allowed although they are not on the public internet,
 * and host names that are not allowed.
 */
export interface AddressRules {
  /** The origins on this machine, such as `http://127.0.0.1:8080`, that a local stack allows. */
  hosts?: readonly string[];
  /** The host names of the service itself. */
  own?: readonly string[];
}

/**
 * Returns the IP addresses that DNS has for a host name, or an empty list if the name has no
 * address.
 */
export type Resolve = (
  host: string,
  type: "A" | "AAAA",
  signal: AbortSignal,
) => Promise<readonly string[]>;

const MAX_LENGTH = 2_048;
/** If no DNS server responds, the runtime would wait for 15 s. */
const RESOLVE_TIMEOUT_MS = 3_000;

const PROBLEMS = {
  not_a_url: "is not a URL; give one such as https://example.com/webhooks",
  too_long: "is longer than 2,048 characters; give a shorter address",
  unusual_characters:
    "has a space, a line break, a control character or a backslash; encode it, such as %20",
  not_https: "does not begin with https://; events are only sent over TLS",
  user: "has a user or a password; put a secret into the path or the query instead",
  fragment: "has a fragment, the part after #, which no request carries; leave it out",
  port: "has a port other than 443 or 8443; give one of these, or none",
  numeric_host: "has a numeric address as its host; give a domain name",
  host_name: "has a host that is not a full domain name, such as hooks.example.com",
  special_name:
    "has a host name that is not on the public internet; give a domain name that everyone can resolve",
  own_host: "is an address of this service; give an address of your own server",
  no_address: "has a host name without an address; check the name, and its A and AAAA records",
  name_server: "has a host name whose name server did not answer; try again, or check the domain",
  private_address:
    "has a host name with an address that is not on the public internet; every A and AAAA record must be public",
} as const;

/**
 * Checks the length, the parts and the host name of a URL, without a DNS lookup. The string is
 * checked as `URL` parses it, so `https://0x7f.1` is an IP address.
 *
 * @returns null when the URL may be used.
 */
export function checkAddressForm(
  text: string,
  hosts: readonly string[] = [],
  own: readonly string[] = [],
): AddressProblem | null {
  // The length is checked first, so that no other check reads a long string.
  if (text.length > MAX_LENGTH) return problem("too_long");
  // `URL` drops or replaces these characters, so the parsed URL would differ from the given URL.
  if (/[\s\p{Cc}\\]/u.test(text)) return problem("unusual_characters");
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    return problem(/^https:/i.test(text) || !/^[a-z]+:/i.test(text) ? "not_a_url" : "not_https");
  }
  const url = new URL(text);
  // The parsed URL may be longer: `URL` writes `é` as `%C3%A9`.
  if (url.href.length > MAX_LENGTH) return problem("too_long");
  const [, authority] = /^[^:]+:\/\/([^/?#]*)/.exec(text)!;
  if (authority.includes("@")) return problem("user");
  if (text.includes("#")) return problem("fragment");
  if (hosts.includes(url.origin)) return null;
  if (url.protocol !== "https:") return problem("not_https");
  const named = nameProblem(url.hostname, own);
  if (named) return problem(named);
  return url.port === "" || url.port === "8443" ? null : problem("port");
}

/**
 * Checks the URL, and every IP address that its host name has now. If one IP address is not public,
 * the URL is refused.
 *
 * A later request resolves the name again, and may receive another IP address. TLS protects the
 * machine at that address: that machine has no certificate for the name, so the connection ends
 * before any HTTP data is sent.
 *
 * @returns null when a request may be sent.
 */
export async function checkAddress(
  text: string,
  { hosts = [], own = [], resolve = resolveName }: AddressRules & { resolve?: Resolve } = {},
): Promise<AddressProblem | null> {
  const malformed = checkAddressForm(text, hosts, own);
  if (malformed) return malformed;
  const { origin, hostname } = new URL(text);
  if (hosts.includes(origin)) return null;
  const addresses = await addressesOf(hostname, resolve);
  if (!addresses) return problem("name_server");
  if (addresses.length === 0) return problem("no_address");
  return addresses.every(isPublic) ? null : problem("private_address");
}

function problem(name: AddressProblemName): AddressProblem {
  return { name, message: PROBLEMS[name] };
}

/**
 * Host names that never refer to a machine on the public internet. They are the reserved names of
 * RFC 6761, RFC 6762, RFC 7686, RFC 8375 and RFC 9476, and names that private networks, containers
 * and clouds use.
 */
const SPECIAL_NAME =
  /(^|\.)(alt|arpa|cluster|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|localnet|mail|onion|private|svc|test)$/;

const LABEL = /^[a-z\d]([a-z\d-]*[a-z\d])?$/;

/**
 * @param host the host of a parsed URL: in lowercase, and in Punycode if it has non-ASCII letters.
 */
function nameProblem(host: string, own: readonly string[]): AddressProblemName | null {
  // `URL` accepts a host that ends with a number only if the host is an IPv4 address.
  if (host.startsWith("[") || /(^|\.)\d+$/.test(host)) return "numeric_host";
  if (own.some((each) => host === each || host.endsWith(`.${each}`))) return "own_host";
  if (SPECIAL_NAME.test(host)) return "special_name";
  const labels = host.split(".");
  const isFull = host.length <= 253 && labels.length > 1 &&
    labels.every((label) => label.length <= 63 && LABEL.test(label));
  return isFull ? null : "host_name";
}

/**
 * All IP addresses of a host name; null when DNS returns an error or does not respond in time.
 */
async function addressesOf(host: string, resolve: Resolve): Promise<string[] | null> {
  const ending = new AbortController();
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => {
    ending.abort();
    late.resolve(null); // a resolver may ignore the signal
  }, RESOLVE_TIMEOUT_MS);
  const both = Promise.all([
    resolve(host, "A", ending.signal),
    resolve(host, "AAAA", ending.signal),
  ]);
  try {
    return await Promise.race([both.then((answers) => answers.flat(), () => null), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function resolveName(
  host: string,
  type: "A" | "AAAA",
  signal: AbortSignal,
): Promise<string[]> {
  try {
    return await Deno.resolveDns(host, type, { signal });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/**
 * Machines in Azure reach the platform's internal services at this address, although the address is
 * in a public range.
 */
const AZURE_PLATFORM = "168.63.129.16";

/**
 * Whether an IP address is on the public internet. False for a string that is not an IP address.
 */
function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast" || address.toString() === AZURE_PLATFORM) return false;
  // Only 2000::/3 of IPv6 is in use on the public internet. ::7f00:1 is an obsolete form of
  // 127.0.0.1 that `range` does not recognise.
  return address.kind() === "ipv4" || (address.toByteArray()[0] & 0b1110_0000) === 0b0010_0000;
}
