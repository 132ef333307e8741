import assert from "node:assert/strict";
import { sealOperands } from "../../local/rest/sealed_operands.ts";

/** The query that lite parses, with each sealed operand shown as «text». */
function sealed(query: string): string {
  const { searchParams } = new URL(sealOperands(`http://x/rest/v1/t?${query}`));
  return Array.from(searchParams, ([name, value]) => `${name}=${value}`).join("&")
    .replace(
      /~[0-9a-f]{16}~([0-9a-f]*)/g,
      (_, hex) => `«${decodeURIComponent(hex.replace(/../g, "%$&"))}»`,
    );
}

Deno.test("operands are sealed, and nothing else", () => {
  const queries: Record<string, string> = {
    "a=eq.1": "a=eq.«1»",
    "a=eq.": "a=eq.«»",
    'a=eq."1"': 'a=eq.«"1"»',
    "a=not.gte.x.y": "a=not.gte.«x.y»",
    'a=in.(1,"2,3","\\"4\\\\",5"6)': 'a=in.(«1»,«2,3»,«"4\\»,«5"6»)',
    "a=in.()": "a=in.()",
    "a=in.(,)": "a=in.(«»,«»)",
    "a=in.1&b=not.in.(1": "a=in.1&b=not.in.(1",
    "not.or=(a.eq.1)&not.or=(a.eq.2)": "not.or=(a.eq.«1»)&and=(not.or(a.eq.«2»))",
    'or=(a.eq.1,and(b->>c.lt."2)",not.or("d.e".neq.{1,2},f.not.in.(3,"4"))))':
      'or=(a.eq.«1»,and(b->>c.lt.«2)»,not.or("d.e".neq.«{1,2}»,f.not.in.(«3»,«4»))))',
    "t.and=(a.eq.1)&t.a=eq.2": "t.and=(a.eq.«1»)&t.a=eq.«2»",
    "a=neq.1&a=neq.2": "a=neq.«1»&and=(a.neq.«2»)",
    "t.a=neq.1&t.a=neq.2": "t.a=neq.«1»&t.and=(a.neq.«2»)",
    "or=(a.eq.1)&or=(a.eq.2)": "or=(a.eq.«1»)&and=(or(a.eq.«2»))",
    "t.not.or=(a.eq.1)&t.not.or=(a.eq.2)": "t.not.or=(a.eq.«1»)&t.and=(not.or(a.eq.«2»))",
    "select=a,b:c(d)&order=a.desc&limit=1&offset=2&t.order=a&columns=a&on_conflict=a":
      "select=a,b:c(d)&order=a.desc&limit=1&offset=2&t.order=a&columns=a&on_conflict=a",
    "a=is.null&b=cs.{x.eq.1}&c=fts(english).d&e=eq(any).{1,2}&f=nonsense":
      "a=is.null&b=cs.{x.eq.1}&c=fts(english).d&e=eq(any).{1,2}&f=nonsense",
    "or=(a.is.null,b.cs.{x.eq.1,y},c.fts(english).d.eq.1,e.eq.1)":
      "or=(a.is.null,b.cs.{x.eq.1,y},c.fts(english).d.eq.1,e.eq.«1»)",
  };
  for (const [query, expected] of Object.entries(queries)) assert.equal(sealed(query), expected);

  const rpc = "http://x/rest/v1/rpc/f?phone=eq.1";
  assert.equal(sealOperands(rpc), rpc);
});
