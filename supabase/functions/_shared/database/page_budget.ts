/**
 * The approximate maximum size of a page's rows, in bytes. A hosted function has 256 MB of memory
 * for all its requests.
 */
export const PAGE_BYTES = 1024 * 1024;

/**
 * A response up to this size is read as a whole. A larger response is read in chunks, which takes
 * less memory.
 */
const SMALL_BYTES = 64 * 1024;

/** Facts about the rows that `readWithinBudget` has read. */
export interface ReadRows {
  bytes: number;
  /** Whether the last rows were left out. */
  endedEarly: boolean;
}

// These facts are put into the response's status text, because supabase-js returns nothing else
// besides the rows.
const asStatusText = ({ bytes, endedEarly }: ReadRows) =>
  `${bytes} bytes${endedEarly ? ", ended early" : ""}`;

/** Reads the facts that `readWithinBudget` put into the status text of its response. */
export function readRows({ statusText }: { statusText: string }): ReadRows {
  return { bytes: parseInt(statusText), endedEarly: statusText.endsWith("ended early") };
}

/**
 * Reads the rows of a database response, which is a JSON array, up to about 1 MiB. When more has
 * arrived, reading stops. A complete row is kept if another row follows it. All other rows are
 * dropped. Reading never stops before `atLeast` rows (default 1) can be kept. `readRows` reports
 * whether rows were left out. The rest of the response is not read, so a response of any size takes
 * about the same memory.
 */
export async function readWithinBudget(
  answer: Response,
  maxBytes = PAGE_BYTES,
  atLeast = 1,
): Promise<Response> {
  const { status, headers, body } = answer;
  if (!body || !answer.ok) return await readWhole(answer);
  const answerWith = (parts: string[], rows: ReadRows) =>
    new Response(parts.join(""), { status, statusText: asStatusText(rows), headers });
  const declared = headers.get("Content-Length");
  if (declared !== null && Number(declared) <= SMALL_BYTES) {
    return answerWith([await answer.text()], { bytes: Number(declared), endedEarly: false });
  }
  const decoder = new TextDecoder();
  const rowsEndAt = lastRowEnd(atLeast);
  const parts: string[] = [];
  let [bytes, examined] = [0, 0];
  for await (const piece of body) {
    // Each chunk is decoded immediately, so that its bytes are not kept in addition to its text.
    const part = decoder.decode(piece, { stream: true });
    parts.push(part);
    bytes += piece.length;
    // Finding where the rows end takes longer than reading them. So this is done only for a
    // response that exceeds the budget.
    if (bytes <= maxBytes) continue;
    let end = 0;
    while (examined < parts.length) end = rowsEndAt(parts[examined++]);
    // Returning from the loop cancels the rest of the response.
    if (end > 0) return answerWith([...firstOf(parts, end), "]"], { bytes, endedEarly: true });
  }
  return answerWith([...parts, decoder.decode()], { bytes, endedEarly: false });
}

/** Truncates the parts to this total length. */
function firstOf(parts: string[], length: number): string[] {
  let rest = length;
  return parts.map((part) => {
    const kept = part.slice(0, rest);
    rest -= kept.length;
    return kept;
  });
}

/**
 * Reads the whole body into memory, so that the statement has ended when this function returns. A
 * 404 without a body becomes a 502: only a proxy sends it, but supabase-js treats it as a success.
 */
export async function readWhole(answer: Response): Promise<Response> {
  const { headers, body } = answer;
  const text = body && await answer.text();
  const status = answer.status === 404 && !text ? 502 : answer.status;
  return new Response(text, { status, headers });
}

/**
 * Returns a function that accepts the parts of a JSON array of objects one by one. That function
 * returns the position after the last object that is followed by another object, or 0 until it has
 * found `atLeast` such objects. So a page that ends at this position always has a next page.
 */
function lastRowEnd(atLeast: number): (part: string) => number {
  let [offset, end, followedEnd, depth, ended] = [0, 0, 0, 0, 0];
  let [isInString, isEscaped] = [false, false];
  return (part) => {
    for (let at = 0; at < part.length; at++) {
      const char = part.charCodeAt(at);
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (char === BACKSLASH) isEscaped = true;
        else if (char === QUOTE) isInString = false;
      } else if (char === QUOTE) isInString = true;
      else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth++;
      else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
        depth--;
        if (depth === 1) end = offset + at + 1;
      } else if (char === COMMA && depth === 1 && ++ended >= atLeast) followedEnd = end;
    }
    offset += part.length;
    return followedEnd;
  };
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE, COMMA] =
  new TextEncoder().encode('"\\[]{},');
