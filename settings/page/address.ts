// The addresses of the page, which come after the `#`: `#/c/<company id>/sends?outcome=failed`.

/** The parts of an address. */
export interface Address {
  /** The id of the company. Null: the address names no company, such as `#/password`. */
  company: string | null;
  /** For example `keys/new`. The first view of a person has the empty path. */
  path: string;
  /** The filters, which come after the `?`. */
  query: URLSearchParams;
}

/** Reads the hash of an address. */
export function addressOf(hash: string): Address {
  const [, company, rest] = /^#?\/?(?:c\/([^/?]*)\/?)?(.*)$/s.exec(hash)!;
  const [path] = rest.split("?", 1);
  const query = new URLSearchParams(rest.slice(path.length));
  return { company: company || null, path: path.replace(/\/$/, ""), query };
}

/**
 * The hash for a path, such as `keys/new` or `sends?outcome=failed`.
 * @param company null: the address names no company.
 */
export function hashOf(company: string | null, path: string): string {
  return company === null ? `#/${path}` : `#/c/${company}/${path}`;
}
