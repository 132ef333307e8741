// How the address of a service that an operator names is judged.

/** The URL of a service: http or https, and nothing but a place; null when the text is no such URL. */
export function serviceUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  return isPlain && /^https?:$/.test(url.protocol) ? url : null;
}

/** Whether a URL is reached without TLS although its host is not this machine. */
export function isExposed({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isThisMachine(hostname);
}

/** @param hostname of a parsed URL, which is in lower case and has numeric addresses in full. */
export function isThisMachine(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$|^\[::1\]$|^(.+\.)?localhost$|^host\.docker\.internal$/.test(hostname);
}

/** A URL as text, without slashes at its end. */
export function withoutSlash({ href }: URL): string {
  return href.replace(/\/+$/, "");
}
