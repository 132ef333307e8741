/** About how many bytes the rows of one page have at most. A hosted function has 256 MB for all its requests. */
const PAGE_BYTES = 1024 * 1024;

/** The status text of an answer whose last rows were left out. */
export const ENDED_EARLY = "Ended early";

/**
 * An answer of the database with a JSON array of rows, read until the rows have about 1 MiB. The row that
 * crosses that line is left out, unless it is the first one; rows that arrive together with it may be kept. The status text ENDED_EARLY tells so. What follows
 * is not read, so an answer of any size costs about the same memory.
 */
export async function readWithinBudget(
  answer: Response,
  maxBytes = PAGE_BYTES,
): Promise<Response> {
  const { status, headers, body } = answer;
  const pieces: (Uint8Array & BlobPart)[] = [];
  let length = 0;
  let rowEnds: ((piece: Uint8Array) => number) | undefined;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (!answer.ok || length <= maxBytes) continue;
    let end = 0;
    if (rowEnds) end = rowEnds(piece);
    else {
      rowEnds = lastRowEnd();
      for (const earlier of pieces) end = rowEnds(earlier);
    }
    // Leaving the loop cancels the rest.
    if (end > 0) {
      const rows = new Blob([new Blob(pieces).slice(0, end), "]"]);
      return new Response(rows, { status, statusText: ENDED_EARLY, headers });
    }
  }
  return new Response(body && new Blob(pieces), { status, headers });
}

/**
 * A function that takes the pieces of a JSON array of objects one by one, and returns how many bytes the whole
 * objects of all pieces so far take; 0 when none is whole.
 */
function lastRowEnd(): (piece: Uint8Array) => number {
  let [offset, end, depth] = [0, 0, 0];
  let [isInString, isEscaped] = [false, false];
  return (piece) => {
    // By bytes: in UTF-8, these characters are never a part of another one.
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth--;
        if (depth === 1) end = offset + at + 1;
      }
    }
    offset += piece.length;
    return end;
  };
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = new TextEncoder()
  .encode('"\\[]{}');
