// The requests that the benchmark sends.

type Fields = Record<string, string>;

/** A request, and the content that every response to it must have. */
export interface PlannedRequest {
  method: string;
  path: string;
  headers: Fields;
  json?: unknown;
  /**
   * Values for the placeholders, such as `{{id}}`, by their names. The requests use these sets of
   * values in turn.
   */
  targets?: Fields[];
  status: number;
  /**
   * The JSON of the response. `ANY` matches any value. Additional fields are allowed, additional
   * array elements are not.
   */
  answer: unknown;
}

export const ANY = null;

let number = 1_000_000_000;

/**
 * Replaces the placeholders of a request. A request without placeholders is the same object each
 * time.
 */
export function filler({ targets, ...request }: PlannedRequest): () => PlannedRequest {
  const template = JSON.stringify(request);
  if (!template.includes("{{")) return () => request;
  return () => {
    const n = String(number++);
    const values: Fields = { n, ...targets?.[number % targets.length] };
    return JSON.parse(template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]));
  };
}
