/** About how many bytes the rows of one page have at most. A hosted function has 256 MB for all its requests. */
export const PAGE_BYTES = 1024 * 1024;

/** Up to this size, an answer is read at once. A larger one takes less memory when it is read piece by piece. */
const SMALL_BYTES = 64 * 1024;

/** What is known of the rows of an answer that was read within the budget. */
export interface ReadRows {
  bytes: number;
  /** Whether the last rows were left out. */
  endedEarly: boolean;
}

// The status text is what supabase-js hands on of an answer beside its rows.
const asStatusText = ({ bytes, endedEarly }: ReadRows) =>
  `${bytes} bytes${endedEarly ? ", ended early" : ""}`;

/** What `readWithinBudget` has noted in the status text of its answer. */
export function readRows({ statusText }: { statusText: string }): ReadRows {
  return { bytes: parseInt(statusText), endedEarly: statusText.endsWith("ended early") };
}

/**
 * An answer of the database with a JSON array of rows, read until the rows have about 1 MiB. The row that
 * crosses that line is left out, unless it is one of the first `atLeast` (1 unless given); rows that arrive
 * together with it may be kept, but never the last row of all.
 * `readRows` tells so. What follows is not read, so an answer of any size costs about the same memory.
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
  let bytes = 0;
  for await (const piece of body) {
    // Decoded at once, so that the bytes are not kept beside the text.
    const part = decoder.decode(piece, { stream: true });
    parts.push(part);
    bytes += piece.length;
    const end = rowsEndAt(part);
    // Returning cancels the rest.
    if (bytes > maxBytes && end > 0) {
      return answerWith([...firstOf(parts, end), "]"], { bytes, endedEarly: true });
    }
  }
  return answerWith([...parts, decoder.decode()], { bytes, endedEarly: false });
}

/** The parts up to this length of all of them together. */
function firstOf(parts: string[], length: number): string[] {
  let rest = length;
  return parts.map((part) => {
    const kept = part.slice(0, rest);
    rest -= kept.length;
    return kept;
  });
}

/** The answer with its body in memory, so that the statement is over when it is returned. */
export async function readWhole(answer: Response): Promise<Response> {
  const { status, headers, body } = answer;
  return new Response(body && await answer.text(), { status, headers });
}

/**
 * A function that takes the parts of a JSON array of objects one by one, and returns the position behind the
 * last object that another one follows, in all parts so far; 0 while fewer than `atLeast`
 * objects are followed by another. So a page that ends there has another one behind it.
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
