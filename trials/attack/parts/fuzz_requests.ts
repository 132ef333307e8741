import * as fc from "fast-check";
import type { JsonSchema } from "../../../generate/openapi/json_schema.ts";
import openApi from "../../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { nastyText } from "../../../tests/support/nasty_text.ts";
import { declaredParameters, textsOf } from "../../../tests/support/query_text.ts";
import { arbitraryOf } from "../../../tests/support/schema_arbitrary.ts";
import type { AttackedCompany, Companies } from "../companies.ts";
import type { WireRequest } from "../wire.ts";
import { bodies, type Body } from "./fuzz_bodies.ts";
import { cursors } from "./fuzz_cursors.ts";

const document: JsonSchema = openApi;

/** A request without a key, and the headers with which the attack sends the request. */
export interface FuzzCase {
  request: WireRequest;
  /** Headers with the attacker's key. */
  withKey: [string, string][];
  /** Headers without a valid key. */
  withoutKey: [string, string][];
}

/**
 * Cases from the OpenAPI document: valid, nearly valid, and wrong. The same seed gives the same
 * cases.
 * @param realCursors from pages of both companies.
 */
export function fuzzCases(
  companies: Companies,
  realCursors: string[],
  { seed, count }: { seed: number; count: number },
): FuzzCase[] {
  const operations = Object.entries<JsonSchema>(document.paths).flatMap(([path, item]) =>
    Object.entries<JsonSchema>(item).map(([method, operation]) => ({ path, method, operation }))
  );
  const requests = operations.map(({ path, method, operation }) =>
    requestsOf(path, method.toUpperCase(), operation, companies, realCursors)
  );
  const cases = fc.record({
    request: fc.oneof(...requests),
    withKey: presentations(companies.attacker),
    withoutKey: wrongPresentations,
  });
  return fc.sample(cases, { seed, numRuns: count });
}

function requestsOf(
  pattern: string,
  ownMethod: string,
  operation: JsonSchema,
  companies: Companies,
  realCursors: string[],
): fc.Arbitrary<WireRequest> {
  // An upload has no JSON schema. Its requests have no body or the body `{}`.
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const otherMethods = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE", "FOO"];
  const parts = fc.record({
    method: mostly(fc.constant(ownMethod), fc.constantFrom(...otherMethods), 12),
    path: mostly(paths(pattern, companies), oddPaths(pattern), 8),
    query: mostly(queries(pattern, operation, companies, realCursors), nastyQueries, 8),
    body: schema
      ? mostly<Body | undefined>(bodies(schema, document, companies), fc.constant(undefined), 15)
      : mostly<Body | undefined>(fc.constant(undefined), fc.constant("{}"), 10),
    contentType: mostly(fc.constant("application/json"), contentTypes, 10),
    headers: mostly(fc.constant<[string, string][]>([]), oddHeaders, 4),
    transfer: mostly(fc.constant({}), transfers, 12),
  });
  return parts.map(({ method, path, query, body, contentType, headers, transfer }) => {
    const type: [string, string][] = body === undefined || contentType === null
      ? []
      : [["Content-Type", contentType]];
    const withBody = body === undefined ? {} : { body, ...transfer };
    return { method, target: path + query, headers: [...type, ...headers], ...withBody };
  });
}

/** Cases of the usual kind, except that one in `oneIn` cases is of the other kind. */
function mostly<Value>(
  usual: fc.Arbitrary<Value>,
  other: fc.Arbitrary<Value>,
  oneIn: number,
): fc.Arbitrary<Value> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: usual }, { weight: 1, arbitrary: other });
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** A path with the id of a row, and the kind of that row. */
const OF_A_ROW =
  /\/(contact|deal|pipeline|stage|conversation|message|send|team|member|template)s\/(\{\w+\})/;

function paths(pattern: string, { attacker, victim }: Companies): fc.Arbitrary<string> {
  const [, kind, name] = OF_A_ROW.exec(pattern) ?? [];
  if (!kind) return fc.constant(pattern);
  const of = ({ ids }: AttackedCompany) => fc.constantFrom(...ids[kind as "contact"]);
  const id = fc.oneof(
    { weight: 6, arbitrary: of(attacker) },
    { weight: 2, arbitrary: of(victim) },
    { weight: 1, arbitrary: of(attacker).map((id) => id.toUpperCase()) },
    fc.uuid(),
    nastyText.map(encoded),
  );
  return id.map((id) => pattern.replace(name, id));
}

function oddPaths(pattern: string): fc.Arbitrary<string> {
  const path = pattern.replace(/\{\w+\}/, "0");
  const twisted = [
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    `${path}/x/y`,
    `${path}%00`,
    "/",
    "*",
  ];
  return fc.oneof(
    fc.constantFrom(...twisted, `/functions/v1${path}`, `${path}/..`, `${path}%2f`, `${path};a=1`),
    fc.constantFrom(200, 9_000, 60_000).map((length) => `${path}/${"a".repeat(length)}`),
    nastyText.map((text) => `${path}/${encoded(text)}`),
    nastyText.map((text) => `${path}/%${encoded(text).replaceAll("%", "%%")}`),
  );
}

/** The tables whose lists have another name in the path. */
const TABLES: Record<string, string> = { members: "company_members" };

function queries(
  pattern: string,
  operation: JsonSchema,
  { attacker, victim }: Companies,
  realCursors: string[],
): fc.Arbitrary<string> {
  const declared = declaredParameters(document, operation, "query");
  if (declared.length === 0) return fc.constant("");
  const list = pattern.split("/").at(-1)!;
  const members = declared.map(({ name, schema }): [string, fc.Arbitrary<unknown>] => {
    const values = name === "cursor"
      ? cursors(TABLES[list] ?? list, realCursors)
      : name === "idempotency_key"
      ? mostly(fc.constantFrom(...attacker.sendKeys, ...victim.sendKeys), wrongParameters, 4)
      : mostly(arbitraryOf(schema, document), wrongParameters, 4);
    return [name, values];
  });
  return fc.subarray(members, { maxLength: Math.min(members.length, 5) })
    .chain((some) => fc.record(Object.fromEntries(some)))
    .map((given) => {
      const pairs = textsOf(given).map((pair) => pair.map(encoded).join("="));
      return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
    });
}

const wrongParameters = fc.oneof(
  fc.constantFrom("0", "-1", "201", "1e2", "0x10", " 5", "5 ", "٥", "", "1".repeat(400), "null"),
  nastyText,
);

const nastyQueries = fc.oneof(
  fc.constantFrom(
    "?",
    "?&",
    "?=",
    "?limit=1&limit=2",
    "?limit",
    "?%ff=%fe",
    "?a[]=1&a[]=2",
    "?__proto__=1",
  ),
  fc.constantFrom("?select=*", "?company_id=eq.x", "?order=id", "?cursor=&limit=", "?or=(id.gt.0)"),
  fc.constantFrom(50, 3_000).map((count) => `?${"a=1&".repeat(count)}`),
  fc.tuple(nastyText, nastyText).map(([name, value]) => `?${encoded(name)}=${encoded(value)}`),
);

const contentTypes = fc.constantFrom(
  ...[null, "", "text/plain", "application/JSON; charset=utf-8", "application/json;;", "*/*"],
  ...[
    "application/json; charset=utf-16",
    "multipart/form-data; boundary=x",
    "application/json, text/html",
  ],
);

const ODD_HEADERS = Object.entries({
  Host: ["a b", "", "[::1", "evil.example", "x:99999"],
  Accept: ["text/html"],
  "Accept-Encoding": ["identity"],
  Range: ["bytes=0-1"],
  "If-None-Match": ["*"],
  Prefer: ["return=minimal"],
  "Accept-Profile": ["auth"],
  "X-HTTP-Method-Override": ["DELETE"],
  "X-Forwarded-Host": ["evil.example"],
  "Content-Encoding": ["gzip"],
  Origin: ["https://evil.example"],
  Cookie: ["a=b".repeat(2_000)],
  Upgrade: ["websocket"],
  Expect: ["200-ok"],
  Role: ["service_role"],
}).flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));

const oddHeaders: fc.Arbitrary<[string, string][]> = fc.array(
  fc.oneof(
    fc.constantFrom("a", "a".repeat(128), "a".repeat(129), "a".repeat(9_000), "é", " ", '"}{', "")
      .map((id): [string, string] => ["X-Request-Id", id]),
    fc.constantFrom(...ODD_HEADERS),
    fc.constantFrom(100, 8_000, 30_000).map((
      length,
    ): [string, string] => ["X-A", "x".repeat(length)]),
  ),
  { minLength: 1, maxLength: 3 },
);

/** Ways to send a body: in chunks, or only its first bytes. */
const transfers: fc.Arbitrary<Partial<WireRequest>> = fc.oneof(
  fc.constantFrom(1_000, 100_000).map((chunkBytes) => ({ chunkBytes })),
  fc.nat(50).map((cutAfter) => ({ cutAfter })),
  fc.nat(50).map((cutAfter) => ({ cutAfter, chunkBytes: 10 })),
);

function presentations({ key, readKey }: AttackedCompany): fc.Arbitrary<[string, string][]> {
  const bearer: [string, string][] = [["Authorization", `Bearer ${key}`]];
  const others: [string, string][][] = [
    [["Authorization", `bearer   ${key} `]],
    [["X-Api-Key", key]],
    [["Authorization", "Bearer eyJhbGciOiJub25lIn0.e30."], ["X-Api-Key", key]],
    [["Authorization", `Bearer ${readKey}`]],
  ];
  return mostly(fc.constant(bearer), fc.constantFrom(...others), 8);
}

const wrongPresentations = fc.oneof(
  fc.constantFrom<[string, string][]>(
    [],
    [["Authorization", ""]],
    [["Authorization", "Bearer"]],
    [["Authorization", "Bearer sk_live_"]],
    [["X-Api-Key", "sk_live_unknown"]],
    [["Authorization", "Basic c2tfbGl2ZV94OnN5"]],
    [["Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoic2VydmljZV9yb2xlIn0."]],
    [["Authorization", "Bearer sk_live_a"], ["X-Api-Key", "sk_live_b"]],
    [["Authorization", `Bearer sk_live_${"k".repeat(20_000)}`]],
    [["apikey", "sk_live_unknown"], ["Cookie", "key=sk_live_unknown"]],
  ),
  fc.stringMatching(/^[A-Za-z0-9_-]{40}$/).map((text): [string, string][] => [
    ["Authorization", `Bearer sk_live_${text}`],
  ]),
  nastyText.map((text): [string, string][] => [
    ["X-Api-Key", `sk_live_${text.toWellFormed().replaceAll(/[\0\r\n]/g, "")}`],
  ]),
);
