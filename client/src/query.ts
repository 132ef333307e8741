/** Query parameters by name. */
export type Query = object;

/** Parameters that accept only one value. The API reads a comma in their values literally. */
const ONE_VALUE = /^(q|cursor|idempotency_key|filename)$|\[(gte?|lte?|contains|empty)]$/;

/**
 * Returns the query string of a URL, with its question mark. Returns an empty string if there are
 * no parameters.
 */
export function search(query?: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, textOf(name, value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

function textOf(name: string, value: unknown): string {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  // An empty list cannot be sent, because the API refuses an empty parameter. If the client left
  // the parameter out, the response would contain all records.
  if (values.length === 0) throw new TypeError(`${name} is an empty list`);
  return values.map((each) => {
    // `NaN`, an invalid date or an object would become a string, and the API would search for that
    // string.
    if (each === null || typeof each !== "string" && Number.isNaN(Number(each))) {
      throw new TypeError(
        `${name} is ${each}; leave it out, or ask with [empty]`,
      );
    }
    const text = each instanceof Date ? each.toISOString() : String(each);
    return ONE_VALUE.test(name) ? text : text.replace(/[\\,]/g, "\\$&");
  }).join();
}
