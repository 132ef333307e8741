// Rules for service URLs in the operator's settings.

/**
 * Parses a service URL: http or https, with only a host and a path. Returns null when the string is
 * not such a URL.
 */
export function serviceUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  return isPlain && /^https?:$/.test(url.protocol) ? url : null;
}

/** Whether a URL lacks TLS although its host is not this machine. */
export function isExposed({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isThisMachine(hostname);
}

/** @param hostname the host name of a parsed URL: in lowercase, with full IP addresses. */
export function isThisMachine(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$|^\[::1\]$|^localhost$|^host\.docker\.internal$/.test(hostname) ||
    hostname.endsWith(".localhost");
}

/** A URL as a string, without trailing slashes. */
export function withoutSlash({ href }: URL): string {
  return /^.*[^/]/.exec(href)![0];
}
