// Tests that every regular expression in the schema files needs linear time. Some expressions read
// text from callers, for example the text of a message. If such an expression needed quadratic
// time, one text could block the events of a company.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { schemaFiles } from "../../local/postgres/schema_files.ts";
import { kindsAgainst } from "../support/hostile_texts.ts";
import { runs } from "../support/runs.ts";
import { asSuperuser } from "../support/test_stack.ts";

/**
 * Returns `regexes`, the constant regular expressions in the schema files as SQL expressions, and
 * `unread`, the regular expressions that are not constant.
 */
async function regexesOfTheSchema() {
  const regexes = new Set<string>();
  const unread: string[] = [];
  for (const { text } of await schemaFiles()) {
    const strings: string[] = [];
    // Replaces each string with its number in quotation marks, and removes the comments.
    const code = text.replace(
      /(e?'(?:[^']|'')*')|--.*/gi,
      (_, string) => string ? `'${strings.push(string) - 1}'` : "",
    );
    const constants = new Map(
      Array.from(
        code.matchAll(/(\w+) constant text := ('\d+');/g),
        ([, name, value]) => [name, value] as const,
      ),
    );
    const found = [
      ...Array.from(
        code.matchAll(/~\*?\s*('\d+'|\w+)|(?<!distinct) from ('\d+')/g),
        ([, right, from]) => right ?? from,
      ),
      ...Array.from(
        code.matchAll(/\bregexp_\w+\(/g),
        ({ index, 0: call }) => argumentsFrom(code, index + call.length)[1].trim(),
      ),
    ];
    for (const each of found) {
      const regex = constants.get(each) ?? each;
      if (!/^('\d+'|chr\(\d+\)|\s*\|\|\s*)+$/.test(regex)) unread.push(regex);
      else regexes.add(regex.replace(/'(\d+)'/g, (_, number) => strings[number]));
    }
  }
  return { regexes: [...regexes], unread };
}

/**
 * The arguments of a function call in SQL code whose strings are replaced by numbers. The first
 * argument begins at `start`.
 */
function argumentsFrom(code: string, start: number): string[] {
  const parts = [""];
  for (let at = start, depth = 0; depth > 0 || code[at] !== ")"; at++) {
    if (code[at] === "(") depth++;
    if (code[at] === ")") depth--;
    if (code[at] === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += code[at];
  }
  return parts;
}

/**
 * Adds a function that checks whether a search for a regular expression needs more than linear time
 * for a kind of text. See `growsTooFast` in tests/support/hostile_texts.ts. The function exists
 * until the session ends or is renewed. The checks take minutes, so they do not run in a
 * transaction: until it ended, no feed of any company would show new changes.
 */
async function addClock(sql: postgres.Sql) {
  await sql.unsafe(`
    create function pg_temp.ms_of(regex text, document text) returns double precision language plpgsql as $$
    declare
      began constant timestamptz := clock_timestamp();
    begin
      perform regexp_replace(document, regex, '', 'g');
      return extract(epoch from clock_timestamp() - began) * 1000;
    end $$;
    create function pg_temp.grows_too_fast(regex text, beginning text, piece text, ending text)
    returns boolean language plpgsql as $$
    declare
      short double precision := 'infinity';
      long double precision := 'infinity';
      began constant timestamptz := clock_timestamp();
    begin
      -- Uses the shortest of many measurements, because other work on the machine adds time.
      while clock_timestamp() < began + interval '2 seconds' loop
        long := least(long, pg_temp.ms_of(regex, beginning || repeat(piece, 8192 / char_length(piece)) || ending));
        if long < 10 then return false; end if;
        short := least(short, pg_temp.ms_of(regex, beginning || repeat(piece, 1024 / char_length(piece)) || ending));
        if long <= 27 * short then return false; end if;
      end loop;
      return true;
    end $$;
  `);
}

/** A text for which a search for the regular expression needs more than linear time, or null. */
async function hostileTo(sql: postgres.Sql, regex: string, samples = 4): Promise<string | null> {
  const [{ pattern }] = await sql.unsafe(`select ${regex} as pattern`);
  // Postgres first searches for the end of any match, so many texts are hostile only if a match
  // follows. Postgres cannot store a NUL.
  const kinds = JSON.stringify(kindsAgainst(new RegExp(pattern), samples, true)).replaceAll(
    "\\u0000",
    "\\u0001",
  );
  const [found] = await sql`
    select kind ->> 'begin' || repeat(kind ->> 'piece', 20) || (kind ->> 'end') as text
    from jsonb_array_elements(${kinds}::text::jsonb) as kind
    where pg_temp.grows_too_fast(${pattern}, kind ->> 'begin', kind ->> 'piece', kind ->> 'end')
    limit 1
  `;
  return found?.text ?? null;
}

Deno.test("every regular expression in the schema files needs linear time", async () => {
  const { regexes, unread } = await regexesOfTheSchema();
  assert.ok(regexes.length > 50, `${regexes.length}`);
  assert.deepEqual(unread, [], "the check cannot test an expression that is not constant");
  await asSuperuser(async (sql) => {
    await addClock(sql);
    const faults = [];
    for (const regex of regexes) {
      const text = await hostileTo(sql, regex, runs(4));
      if (text !== null) faults.push([regex, text]);
    }
    assert.deepEqual(faults, []);
  });
});

Deno.test("the check finds an SQL regular expression that needs quadratic time", async () => {
  await asSuperuser(async (sql) => {
    await addClock(sql);
    assert.notEqual(await hostileTo(sql, "'[a-z!]+@[a-z]+[.][a-z]+'"), null);
  });
});
