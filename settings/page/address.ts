// The page's routes, which follow the `#` in the URL: `#/c/<company id>/sends?outcome=failed`.

/** The parts of a route. */
export interface Address {
  /** The company's id; null when the route has no company, such as `#/password`. */
  company: string | null;
  /** The path, such as `keys/new`. A user's first view has the empty path. */
  path: string;
  /** The filters, which come after the `?`. */
  query: URLSearchParams;
}

/** Parses the fragment of a URL. */
export function addressOf(hash: string): Address {
  const [, company, rest] = /^#?\/?(?:c\/([^/?]*)\/?)?(.*)$/s.exec(hash)!;
  const [path] = rest.split("?", 1);
  const query = new URLSearchParams(rest.slice(path.length));
  return { company: company || null, path: path.replace(/\/$/, ""), query };
}

/**
 * The URL fragment for a path, such as `keys/new` or `sends?outcome=failed`.
 * @param company the company's id; null for a route without a company.
 */
export function hashOf(company: string | null, path: string): string {
  return company === null ? `#/${path}` : `#/c/${company}/${path}`;
}
