/** A piece of a JSON text, and where it begins. */
export interface JsonToken {
  text: string;
  index: number;
}

/**
 * The strings, brackets, commas and colons of a JSON text, in order. Each character is read only
 * once, so that a text from an unknown sender cannot take much time. A string that does not end is
 * the last token.
 */
export function* tokensIn(json: string): Generator<JsonToken> {
  for (let at = 0; at < json.length; at++) {
    const index = at;
    switch (json[at]) {
      case '"':
        while (++at < json.length && json[at] !== '"') if (json[at] === "\\") at++;
        yield { text: json.slice(index, at + 1), index };
        break;
      case "[":
      case "]":
      case "{":
      case "}":
      case ",":
      case ":":
        yield { text: json[at], index };
    }
  }
}

/** The tokens before the colons of a JSON text: its keys, as they are written. */
export function* keysIn(json: string): Generator<JsonToken> {
  let before: JsonToken | undefined;
  for (const token of tokensIn(json)) {
    if (token.text === ":" && before) yield before;
    before = token;
  }
}
