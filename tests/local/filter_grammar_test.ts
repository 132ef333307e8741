// Tests the filter grammar that PostgREST's tests (ApiRequest/QueryParams) and source define.
import assert from "node:assert/strict";
import {
  type Condition,
  type Field,
  parseFilter,
  parseFilterOfCall,
  parseJunction,
  type Placed,
} from "../../local/rest/filter_grammar.ts";
import { NotUnderstood } from "../../local/rest/reader.ts";

/** A condition in a short notation, with each string in «». */
function shown(condition: Condition): string {
  const not = condition.isNegated ? "not " : "";
  if ("members" in condition) {
    return `${not}${condition.junction}(${condition.members.map(shown).join(" ")})`;
  }
  const { field, operation } = condition;
  const start = `${not}${shownField(field)} ${operation.operator}`;
  if ("value" in operation) return `${start} ${operation.value}`;
  if ("members" in operation) return `${start} ${operation.members.map((m) => `«${m}»`).join("")}`;
  const { quantifier, language, operand } = operation;
  const detail = quantifier ?? language;
  return `${start}${detail === undefined ? "" : `(${detail})`} «${operand}»`;
}

function shownField({ name, path }: Field): string {
  return [name, ...path.map((step) => `${step.arrow}${step.isIndex ? "#" : ""}${step.operand}`)]
    .join("");
}

function shownPlaced({ path, condition }: Placed): string {
  return `${path.map((name) => `${name}: `).join("")}${shown(condition)}`;
}

Deno.test("outside parentheses, the operand is the whole text after the operator", () => {
  const filters: Record<string, string> = {
    "a=eq.1": "a eq «1»",
    "a=eq.": "a eq «»",
    'a=eq."1"': 'a eq «"1"»',
    "a=eq.(b,c)": "a eq «(b,c)»",
    "a=not.gte.x.y": "not a gte «x.y»",
    "a=isdistinct.null": "a isdistinct «null»",
    'a=cs.{"b\\"c",d}': 'a cs «{"b\\"c",d}»',
    'a=not.cs.{"k":{"l":1}}': 'not a cs «{"k":{"l":1}}»',
    "a=eq(any).{1,2}": "a eq(any) «{1,2}»",
    "a=like(all).{a*,b*}": "a like(all) «{a*,b*}»",
    "a=fts(english).b": "a fts(english) «b»",
    "a=plfts.b": "a plfts «b»",
    "a=is.null": "a is null",
    "a=not.is.NULL": "not a is null",
    "a=is.not_null": "a is not_null",
    "a=is.truely": "a is true", // PostgREST ignores the rest of the text
    "b.a=eq.1": "b: a eq «1»",
    "c.b.a=eq.1": "c: b: a eq «1»",
    '"b.c".a=eq.1': "b.c: a eq «1»",
    "a-b c=eq.1": "a-b c eq «1»",
    " a =eq.1": "a eq «1»",
    "naïve=eq.1": "naïve eq «1»",
    "a->>b=eq.1": "a->>b eq «1»",
    "a->b->>c d=eq.1": "a->b->>c d eq «1»",
    'a->"b.c"->-1->>0=eq.1': "a->b.c->#-1->>#0 eq «1»",
    "a->1b=eq.1": "a->1b eq «1»",
  };
  for (const [filter, expected] of Object.entries(filters)) {
    const [, name, value] = /^(.*?)=(.*)$/s.exec(filter)!;
    assert.equal(shownPlaced(parseFilter(name, value)), expected, filter);
  }
});

Deno.test("the members of a list may be quoted, and spaces are ignored only at the start of the list", () => {
  const lists: Record<string, string> = {
    "(a,b)": "«a»«b»",
    "()": "«»",
    "(,)": "«»«»",
    '("a,b","c\\"d","e\\\\",f"g)': '«a,b»«c"d»«e\\»«f"g»',
    '("a"b,"c" )': '«"a"b»«"c" »',
    "( a , b )": "«a »« b »",
    '(" a "," b ")': "« a »« b »",
    "(a\nb,🎈)": "«a\nb»«🎈»",
    "(a)b)": "«a»", // PostgREST ignores the rest of the text
  };
  for (const [list, expected] of Object.entries(lists)) {
    const { condition } = parseFilter("x", `in.${list}`);
    assert.equal(shown(condition), `x in ${expected}`, list);
  }
});

Deno.test("in or=() and and=(), a value with parentheses needs quotes, but an array or a flat object does not", () => {
  const junctions: [string, string, string][] = [
    ["or", "(a.eq.1,b.eq.2)", "or(a eq «1» b eq «2»)"],
    ["and", "(a.not.eq.1)", "and(not a eq «1»)"],
    ["not.or", "(a.eq.1)", "not or(a eq «1»)"],
    ["b.or", "(a.eq.1)", "b: or(a eq «1»)"],
    ["b.not.and", "(a.eq.1)", "b: not and(a eq «1»)"],
    [
      "or",
      '(a.eq.1,not.and(b.is.null,or(c.in.(1,"2,)"))))',
      "or(a eq «1» not and(b is null or(c in «1»«2,)»)))",
    ],
    ["or", '(a.eq."1,(2)\\"\\\\",b.eq.3)', 'or(a eq «1,(2)"\\» b eq «3»)'],
    ["or", '(a.eq." b ",a.eq. b )', "or(a eq « b » a eq « b »)"],
    ["or", '(a.cs.{"b",c},d.ov.{1,2})', 'or(a cs «{"b",c}» d ov «{1,2}»)'],
    ["or", '(a.cs.{"k":5},a.cs.{"k":"5"})', 'or(a cs «{"k":5}» a cs «{"k":"5"}»)'],
    ["or", '(a.cs."{\\"k\\":{\\"l\\":\\"a,b\\"}}")', 'or(a cs «{"k":{"l":"a,b"}}»)'],
    ["or", "( a.eq.1 , b->>c.eq.2)", "or(a eq «1 » b->>c eq «2»)"],
    ["or", "(not.eq.1,and.eq.2)", "or(not eq «1» and eq «2»)"],
    ["or", '("a.b".eq.1)', "or(a.b eq «1»)"],
    ["or", "a.eq.1", "ora eq «1»"], // PostgREST finds neither parentheses nor a logical operator
    ["or", "(a.eq.x)y,b.eq.1)", "or(a eq «x»)"], // PostgREST ignores the rest of the text
  ];
  for (const [name, value, expected] of junctions) {
    assert.equal(shownPlaced(parseJunction(name, value)), expected, value);
  }
});

Deno.test("a filter that PostgREST cannot parse is refused, and the error names the position", () => {
  const refused: [() => unknown, string, string][] = [
    [
      () => parseFilter("a", "noop.1"),
      '"failed to parse filter (noop.1)" (line 1, column 1)',
      '"n"',
    ],
    [() => parseFilter("a", "eq"), '"failed to parse filter (eq)" (line 1, column 1)', '"e"'],
    [() => parseFilter("a", ""), '"failed to parse filter ()" (line 1, column 1)', "end of input"],
    [() => parseFilter("a", "not.not.eq.1"), "(line 1, column 5)", '"n"'],
    [() => parseFilter("a", "is.x"), "(line 1, column 4)", '"x"'],
    [() => parseFilter("a", "in.1"), "(line 1, column 4)", '"1"'],
    [() => parseFilter("a", "in.(1"), "(line 1, column 6)", "end of input"],
    [
      () => parseFilter("", "eq.1"),
      '"failed to parse tree path ()" (line 1, column 1)',
      "end of input",
    ],
    [() => parseFilter("a->>", "eq.1"), "(line 1, column 5)", "end of input"],
    [
      () => parseJunction("or", "(a.eq.1"),
      '"failed to parse logic tree ((a.eq.1)" (line 1, column 10)',
      "end",
    ],
    [() => parseJunction("or", "()"), "(line 1, column 4)", '")"'],
    [() => parseJunction("or", "(a.is.null )"), "(line 1, column 13)", '" "'],
    [() => parseJunction("or", '(a.cs.{"k":{"l":1,"m":2}})'), "(line 1, column 21)", '"\\""'],
  ];
  for (const [parse, message, found] of refused) {
    assert.throws(parse, (error) => {
      assert.ok(error instanceof NotUnderstood, `${parse}: ${error}`);
      assert.ok(error.message.endsWith(message), `${parse}: ${error.message}`);
      assert.ok(error.details.startsWith(`unexpected ${found}`), `${parse}: ${error.details}`);
      return true;
    });
  }
});

Deno.test("a function argument that begins like a filter is treated as a filter or refused", () => {
  for (const argument of ["", "a.b", "{a}", "eq", "equal.x", "Eq.x", "isdistinct"]) {
    assert.equal(parseFilterOfCall("q", argument), null, argument);
  }
  for (const filter of ["eq.x", "not.like.x", "cs.{a}", "is.null", "in.(a)", "fts.x"]) {
    assert.ok(parseFilterOfCall("q", filter), filter);
  }
  for (const neither of ["not.x", "in.x", "is.it"]) {
    assert.throws(() => parseFilterOfCall("q", neither), NotUnderstood, neither);
  }
});
