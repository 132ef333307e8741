/** A token of a JSON string, and the index where it begins. */
export interface JsonToken {
  text: string;
  index: number;
}

/**
 * The strings, brackets, commas and colons of a JSON document, in order. Each character is read
 * only once, so that a document from an unknown sender cannot take much time. An unterminated
 * string is the last token.
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

/** The tokens before the colons of a JSON document: its keys, exactly as written. */
export function* keysIn(json: string): Generator<JsonToken> {
  let before: JsonToken | undefined;
  for (const token of tokensIn(json)) {
    if (token.text === ":" && before) yield before;
    before = token;
  }
}
