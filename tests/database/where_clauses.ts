/**
 * An SQL token: a comment, a string in any of the three kinds of quotes, a quoted name, a word or a
 * symbol.
 */
const TOKEN =
  /--[^\n]*|\/\*.*?\*\/|(?:e'(?<escaped>(?:[^'\\]|\\.|'')*)')|'(?<quoted>(?:[^']|'')*)'|\$(?<tag>\w*)\$(?<dollars>.*?)\$\k<tag>\$|"(?:[^"]|"")*"|\w+|\S/gis;

/** An `update` or `delete` statement whose end has not been read yet. */
interface Statement {
  start: number;
  depth: number;
  /** Whether the `set` of an `update` has been read. A `for update` clause has no `set`. */
  changesRows: boolean;
  hasWhere: boolean;
}

/**
 * Finds the `update` and `delete` statements in an SQL text that have no `where` clause of their
 * own. The search includes nested statements and quoted strings, such as a function's body and the
 * strings that it executes. A `where` clause that is appended to a quoted string later is not
 * recognised.
 */
export function withoutWhere(sql: string): string[] {
  const found: string[] = [];
  const open: Statement[] = [];
  let depth = 0;
  const end = (at?: number) => {
    while (open.length > 0 && open.at(-1)!.depth === depth) {
      const { start, changesRows, hasWhere } = open.pop()!;
      if (changesRows && !hasWhere) found.push(sql.slice(start, at).trim());
    }
  };
  const tokens = [...sql.matchAll(TOKEN)].filter(([token]) => !/^(--|\/\*)/.test(token));
  for (const [at, { 0: token, index, groups }] of tokens.entries()) {
    const { escaped, quoted, dollars } = groups!;
    const text = escaped?.replaceAll("\\'", "'") ?? quoted ?? dollars;
    if (text !== undefined) found.push(...withoutWhere(dollars ?? text.replaceAll("''", "'")));
    const next = tokens[at + 1]?.[0].toLowerCase();
    const begin = (changesRows: boolean) =>
      open.push({ start: index, depth, changesRows, hasWhere: false });
    const last = open.at(-1)?.depth === depth ? open.at(-1) : undefined;
    switch (token.toLowerCase()) {
      case "delete":
        if (next === "from") begin(true);
        break;
      case "update": // `on conflict do update set` and the update in a merge statement name no table
        if (next !== "set") begin(false);
        break;
      case "set":
        if (last) last.changesRows = true;
        break;
      case "where":
        if (last) last.hasWhere = true;
        break;
      case "(":
        depth++;
        break;
      case ")":
        end(index);
        depth--;
        break;
      case ";":
      case "loop":
        end(index);
    }
  }
  end();
  return found;
}
