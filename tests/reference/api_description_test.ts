// Tests that the check of responses against openapi.json finds errors. All other tests rely on this
// check.
import assert from "node:assert/strict";
import description from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { ApiDescription, type Exchange } from "../support/api_description.ts";

const api = new ApiDescription(description);

const id = "de300007-0000-4000-8000-000000000001";
const DEAL = {
  ...{
    id,
    company_id: id,
    external_id: null,
    title: "Deal",
    value: 12.5,
    status: "open",
    contact_id: id,
  },
  ...{ won_at: null, lost_at: null, stage_changed_at: "2026-01-01T00:00:00+00:00" },
  ...{ stage_id: id, archived_at: null, created_at: "2026-01-01T00:00:00.123456+00:00" },
  ...{ updated_at: "2026-01-01T00:00:00+00:00", version: "374810" },
};
const NOT_FOUND = { error: "Deal not found", code: "not_found", request_id: "a" };

interface Change {
  method?: string;
  path?: string;
  status?: number;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  sent?: unknown;
  isBehindServer?: boolean;
}

/** A valid request and response, with these changes. */
function exchange(change: Change = {}): Exchange {
  const isOneDeal = (change.status ?? 200) === 200 && !/^\/deals(\?|$)/.test(change.path ?? "");
  const headers = {
    ...(isOneDeal && { ETag: '"374810"' }),
    ...{ "X-Request-Id": "a", "Cache-Control": "no-store", "Content-Type": "application/json" },
    ...change.headers,
  };
  const { body = { data: DEAL } } = change;
  return {
    method: change.method ?? "PATCH",
    url: new URL(`http://edge/gateway${change.path ?? `/deals/${id}`}`),
    sent: JSON.stringify(change.sent ?? { title: "Deal" }),
    status: change.status ?? 200,
    isBehindServer: change.isBehindServer ?? false,
    headers: new Headers(
      Object.entries(headers).filter((pair): pair is [string, string] => !!pair[1]),
    ),
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

const page = { data: [DEAL], pagination: { limit: 2, has_more: false, next_cursor: null } };

const ALLOWED: Record<string, Change> = {
  "an answer": {},
  "a header that the hosting platform adds": {
    headers: { "X-Served-By": "edge" },
    isBehindServer: true,
  },
  "a page": { method: "GET", path: "/deals?limit=2", body: page },
  "HEAD": { method: "HEAD", path: "/deals?limit=2", body: "" },
  "an error": { status: 404, body: NOT_FOUND },
  "an unknown path": {
    ...{ method: "GET", path: "/nothing", status: 404 },
    body: { ...NOT_FOUND, code: "route_not_found" },
  },
  "another method": {
    ...{ method: "PUT", status: 405, headers: { Allow: "PATCH" } },
    body: { ...NOT_FOUND, code: "method_not_allowed" },
  },
  "a request without a key at an unknown path": {
    ...{ method: "GET", path: "/nothing", status: 401 },
    body: { error: "Missing API key", code: "missing_api_key", request_id: "a" },
  },
};

const NOT_ALLOWED: Record<string, [Change, RegExp]> = {
  "an undeclared status": [{ status: 202 }, /status is not declared/],
  "an undeclared property": [{ body: { data: { ...DEAL, colour: "red" } } }, /unevaluated/],
  "a missing property": [
    { body: { data: { ...DEAL, title: undefined } } },
    /required.*title/,
  ],
  "a value of another type": [{ body: { data: { ...DEAL, value: "12.5" } } }, /value must be/],
  "a value that is not listed": [
    { body: { data: { ...DEAL, status: "x" } } },
    /status must be equal/,
  ],
  "an id that is not a UUID": [{ body: { data: { ...DEAL, id: "x" } } }, /id must match format/],
  "another envelope": [{ body: DEAL }, /required property 'data'/],
  "no request id": [{ headers: { "X-Request-Id": undefined } }, /X-Request-Id is missing/],
  "a response that may be cached": [{ headers: { "Cache-Control": "public" } }, /Cache-Control/],
  "an undeclared header": [{ headers: { "X-Other": "1" } }, /x-other is not declared/],
  "another content type": [{ headers: { "Content-Type": "text/plain" } }, /not JSON/],
  "an error code that only other operations return": [
    { status: 404, body: { ...NOT_FOUND, code: "route_not_found" } },
    /code must be equal to constant/,
  ],
  "an error with an extra property": [
    { status: 404, body: { ...NOT_FOUND, stack: "at" } },
    /unevaluated/,
  ],
  "405 without Allow": [
    { method: "PUT", status: 405, body: { ...NOT_FOUND, code: "method_not_allowed" } },
    /Allow is missing/,
  ],
  "a header that only other responses have, even behind a proxy": [
    { headers: { "Retry-After": "1" }, isBehindServer: true },
    /retry-after is not declared/,
  ],
  "a success response at an unknown path": [
    { method: "GET", path: "/nothing", body: page },
    /no operation/,
  ],
  "a HEAD response with a body": [
    { method: "HEAD", path: "/deals", body: page },
    /HEAD has a body/,
  ],
  "a success response to a request with an unknown field": [
    { sent: { colour: "red" } },
    /it succeeded although/,
  ],
  "a success response to a request with an invalid value": [
    { sent: { title: "  " } },
    /it succeeded although/,
  ],
  "a success response to an update without fields": [
    { sent: {} },
    /it succeeded although.*fewer than 1 properties/,
  ],
  "a success response to a request with an unknown parameter": [
    { method: "GET", path: "/deals?colour=red", body: page },
    /it succeeded with the parameter colour/,
  ],
  "a success response to a request with a limit that is too high": [
    { method: "GET", path: "/deals?limit=201", body: page },
    /limit it must be <= 200/,
  ],
};

for (const [name, change] of Object.entries(ALLOWED)) {
  Deno.test(`the description allows ${name}`, () => {
    assert.equal(api.violation(exchange(change)), null);
  });
}
for (const [name, [change, problem]] of Object.entries(NOT_ALLOWED)) {
  Deno.test(`the description does not allow ${name}`, () => {
    assert.match(api.violation(exchange(change)) ?? "", problem);
  });
}
