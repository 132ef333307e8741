/** The parameters of a query, by their names. */
export type Query = object;

/** Parameters with only one value. The API reads a comma in these parameters literally. */
const ONE_VALUE = /^(q|cursor|idempotency_key)$|\[(gte?|lte?|contains|empty)]$/;

/** The query of an address, with its question mark; an empty text when there are no parameters. */
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
  // An empty list is a mistake. Without the parameter, the answer would have all records, and the
  // API would refuse an empty parameter.
  if (values.length === 0) throw new TypeError(`${name} is an empty list`);
  return values.map((each) => {
    // NaN, an invalid date or an object would become a text, and the API would search for that
    // text.
    if (each === null || typeof each !== "string" && Number.isNaN(Number(each))) {
      throw new TypeError(
        `${name} is ${each}; leave it out, or ask with [empty]`,
      );
    }
    const text = each instanceof Date ? each.toISOString() : String(each);
    return ONE_VALUE.test(name) ? text : text.replace(/[\\,]/g, "\\$&");
  }).join();
}
