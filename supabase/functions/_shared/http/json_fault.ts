const WHITE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * Where a string stops being valid JSON: the index of the first invalid character, or the string's
 * length if it ends too early. Null if the string is valid JSON. The errors of `JSON.parse` do not
 * always give the position. Each character is read only once, so that a string from an unknown
 * sender cannot take much time.
 */
export function faultIn(text: string): number | null {
  let at = 0;
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const skipOne = (character: string) => {
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const skipString = () => {
    if (!skipOne('"')) return false;
    while (at < text.length && text[at] !== '"' && text[at] >= " ") {
      if (text[at] !== "\\") at++;
      else if (!skip(ESCAPE)) return false;
    }
    return skipOne('"');
  };
  const skipKey = () => {
    if (!skipString()) return false;
    skip(WHITE);
    return skipOne(":");
  };

  /** The expected closing brackets of the arrays and objects that are still open. */
  const open: ("]" | "}")[] = [];
  for (;;) {
    skip(WHITE);
    const isOpening = text[at] === "[" || text[at] === "{";
    if (isOpening) {
      open.push(text[at++] === "[" ? "]" : "}");
      skip(WHITE);
    } else if (text[at] === '"' ? !skipString() : !skip(LITERAL)) return at;
    const isEmpty = isOpening && text[at] === open.at(-1);
    if (!isOpening || isEmpty) {
      for (skip(WHITE); open.length > 0 && skipOne(open.at(-1)!); skip(WHITE)) open.pop();
      if (open.length === 0) return at < text.length ? at : null;
      if (!skipOne(",")) return at;
      skip(WHITE);
    }
    if (open.at(-1) === "}" && !skipKey()) return at;
  }
}

/** The line and the column where a string stops being valid JSON, as an editor counts them. */
export function placeOfFault(text: string): string {
  const at = faultIn(text);
  if (at === null) return "";
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  return at < text.length
    ? `: the fault is at line ${line}, column ${column}`
    : `: it ends too early, at line ${line}, column ${column}`;
}
