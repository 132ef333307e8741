import { decodeBase64Url, encodeBase64Url } from "deno-std/encoding/base64url.js";
import { HOOK_URL } from "./example_webhooks.ts";
import { type Example, EXAMPLE_REQUESTS, exampleRequests, type Examples } from "./examples.ts";
import { describedPath, FUNCTIONS, type OperationId } from "../openapi/functions.ts";

/** The stack on which examples are recorded. Its demo data must be unchanged. */
interface DemoStack {
  /** The base URL of the API, without `/functions/v1`. */
  url: string;
  demo: { api_key: string } | null;
}

/**
 * Makes the example requests with the demo company's key, and returns them with their responses.
 * Fixed ids and times replace generated values, so every recording is the same.
 */
export async function recordExamples({ url, demo }: DemoStack): Promise<Examples> {
  if (!demo) throw new Error("The stack has no demo company.");
  const recorded: { id: OperationId; example: Example }[] = [];
  const receiver = `${url}/sandbox/webhooks/crm`;
  /**
   * The ids of the records that the examples created, by example name. Later requests use these
   * ids.
   */
  const made: Record<string, string> = {};
  const filledIn = <Value>(value: Value): Value => {
    const at = new Date(Date.now() - 50).toISOString().replace("Z", "000+00:00");
    const text = JSON.stringify(value)
      .replace(/\{(\w+\.\w+)\}/g, (_, name) => made[name])
      .replaceAll("{now}", at);
    return JSON.parse(text);
  };
  for (const { id, example } of exampleRequests()) {
    const { name, summary, key, ...request } = filledIn(example);
    const { params = {}, query, body, file, contentType = "application/json", ifMatch } = request;
    const { method, path } = operationOf(id);
    const filled = path.replace(/\{(\w+)\}/g, (_, part) => params[part]);
    const search = query ? `?${new URLSearchParams(query)}` : "";
    const response = await fetch(`${url}/functions/v1${filled}${search}`, {
      method,
      headers: {
        ...(key ?? { Authorization: `Bearer ${demo.api_key}` }),
        "X-Request-Id": `example-${name}`,
        ...((body || file) && { "Content-Type": contentType }),
        ...(ifMatch && { "If-Match": ifMatch }),
      },
      body: file ?? (body && JSON.stringify(body).replaceAll(HOOK_URL, receiver)),
    });
    const isJson = response.headers.get("Content-Type") === "application/json";
    const answer = isJson
      ? JSON.parse((await response.text()).replaceAll(receiver, HOOK_URL))
      : null;
    if (!response.bodyUsed) await response.body?.cancel();
    const madeId = answer?.data?.id ?? answer?.data?.event_id;
    if (typeof madeId === "string") made[`${id}.${name}`] = madeId;
    recorded.push({ id, example: { name, summary, request, status: response.status, answer } });
  }
  const examples: Required<Examples> = Object.fromEntries(
    Object.keys(EXAMPLE_REQUESTS).map((id) => [id, []]),
  );
  for (const { id, example } of reproducible(recorded)) examples[id]!.push(example);
  return examples;
}

function operationOf(id: OperationId): { method: string; path: string } {
  for (const api of FUNCTIONS) {
    const operation = api.operations.find((each) => each.id === id);
    if (operation) return { method: operation.method, path: describedPath(api, operation) };
  }
  throw new Error(`There is no operation ${id}.`);
}

/** In the examples, this time replaces the time when the demo data was written. */
const SEEDED = Date.parse("2026-03-02T09:00:00Z");
/** In the examples, this time replaces the times at which the requests were made. */
const RECORDED = "2026-03-02T09:30:00.123456+00:00";

/** Matches timestamps, including timestamps within a sentence. */
const TIMES = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?([+-]\d{2}:\d{2}|Z)/g;
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Replaces the values that the database or a clock generates. Equal values get the same
 * replacement.
 */
function reproducible<Value>(recorded: Value): Value {
  // The first responses contain rows that have not changed since the demo data was written.
  const first = JSON.stringify(recorded).match(/"updated_at":"([^"]+)"/);
  const seeded = Date.parse(first![1]);
  const ids = new Map<string, string>();

  const time = (text: string) => {
    const ms = Date.parse(text);
    if (ms > seeded) return RECORDED;
    return new Date(SEEDED + ms - seeded).toISOString().replace("Z", "000+00:00");
  };
  const id = (text: string) => {
    // Ids in the demo data are not replaced. The largest possible id, which a cursor can contain,
    // is not replaced either.
    if (/^(de3000|ffffffff)/.test(text)) return text;
    if (!ids.has(text)) {
      ids.set(text, `0b5e55ed-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`);
    }
    return ids.get(text)!;
  };
  const text = (name: string, value: string): string => {
    if (name === "next_cursor") {
      const inner = JSON.parse(new TextDecoder().decode(decodeBase64Url(value)));
      // The database chooses a cursor's generation and version, so they are replaced.
      const fixed = /^events$|_changes$/.test(inner[0]) ? [inner[0], 1, 1, inner[3]] : inner;
      return encodeBase64Url(JSON.stringify(replaced("", fixed)));
    }
    // The stack may have refreshed the templates after the demo data was written.
    if (name === "read_at") return RECORDED;
    // The database derives this value from a transaction number, so the value is replaced.
    if (name === "version" || name === "etag") return value.replace(/^("?)\d+("?)$/, "$1374810$2");
    // An event's time differs in each recording.
    if (name === "timestamp") return RECORDED;
    if (UUID.test(value)) return id(value);
    if (name === "secret") return `whsec_${"0b5e55ed".repeat(5)}aw=`;
    if (/^evt_[0-9a-f]{32}$/.test(value)) {
      return `evt_${
        id(value.replace(/^evt_(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")).replaceAll("-", "")
      }`;
    }
    return value.replace(TIMES, time).replace(/^wamid\.sandbox\..*/, "wamid.sandbox.0b5e55ed");
  };
  const replaced = (name: string, value: unknown): unknown => {
    if (typeof value === "string") return text(name, value);
    if (Array.isArray(value)) return value.map((item) => replaced("", item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, replaced(name, item)]),
    );
  };
  return replaced("", recorded) as Value;
}
