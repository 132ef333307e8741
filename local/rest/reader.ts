/** A text that PostgREST does not understand. */
export class NotUnderstood extends Error {
  override name = "NotUnderstood";
  /** @param details what was found, and what was expected instead. */
  constructor(message: string, readonly details: string) {
    super(message);
  }
}

/** Reads a text from its start, piece by piece. */
export class Reader {
  at = 0;
  /** @param what the name of the text, for the message, such as "filter (eq.1)". */
  constructor(readonly text: string, readonly what: string) {}

  /**
   * Takes the text that the pattern (sticky, `y`) matches at this position; null if it does not
   * match.
   */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at = pattern.lastIndex;
    return match;
  }

  /** @throws NotUnderstood when the pattern does not match at this position. */
  expect(pattern: RegExp, expected: string): RegExpExecArray {
    return this.take(pattern) ?? this.fail(expected);
  }

  fail(expected: string): never {
    const [found] = this.text.slice(this.at);
    const unexpected = found === undefined ? "end of input" : JSON.stringify(found);
    throw new NotUnderstood(
      `"failed to parse ${this.what}" (line 1, column ${this.at + 1})`,
      `unexpected ${unexpected} expecting ${expected}`,
    );
  }

  /**
   * The result of the parser. If the parser does not understand the text: null, and the position is
   * unchanged.
   */
  attempt<Value>(parser: (reader: Reader) => Value): Value | null {
    const start = this.at;
    try {
      return parser(this);
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      this.at = start;
      return null;
    }
  }
}
