// Rules for the address of a service in the operator's settings.

/**
 * The URL of a service: http or https, with only a host and a path; null when the text is not such
 * a URL.
 */
export function serviceUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  return isPlain && /^https?:$/.test(url.protocol) ? url : null;
}

/** Whether a URL has no TLS although its host is not this machine. */
export function isExposed({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isThisMachine(hostname);
}

/** @param hostname of a parsed URL: in lower case, with numeric addresses in full. */
export function isThisMachine(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$|^\[::1\]$|^localhost$|^host\.docker\.internal$/.test(hostname) ||
    hostname.endsWith(".localhost");
}

/** A URL as text, without slashes at its end. */
export function withoutSlash({ href }: URL): string {
  return /^.*[^/]/.exec(href)![0];
}
