/** A string that PostgREST cannot parse. */
export class NotUnderstood extends Error {
  override name = "NotUnderstood";
  /** @param details what was found, and what was expected instead. */
  constructor(message: string, readonly details: string) {
    super(message);
  }
}

/** Parses a string from its start, part by part. */
export class Reader {
  at = 0;
  /** @param what the name of the string in the error message, such as "filter (eq.1)". */
  constructor(readonly text: string, readonly what: string) {}

  /**
   * Reads the text that the pattern (sticky, `y`) matches at this position. Returns null if the
   * pattern does not match.
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
   * Returns the parser's result. If the parser fails, returns null and leaves the position
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
