import description from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { Contract } from "./contract.ts";

const contract = new Contract(description);

/**
 * As `fetch`, with the answer's text, for a function that runs anywhere.
 * @throws Error with what the exchange breaks of the API's description.
 */
export async function contractedFetch(
  url: string,
  { method = "GET", headers, body }: { method?: string; headers: HeadersInit; body?: BodyInit },
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  const { status } = response;
  const address = new URL(url);
  address.pathname = address.pathname.replace(PLATFORM, "");
  const violation = contract.violation({
    ...{ method, url: address },
    request: { headers: new Headers(headers), body: typeof body === "string" ? body : null },
    ...{ status, headers: response.headers, body: text, isBehindServer: true },
  });
  if (violation) throw new Error(violation);
  return { status, headers: response.headers, text };
}

/** What the platform puts before a function's name. */
const PLATFORM = /^\/functions\/v1/;

type Answer = (request: Request) => Promise<Response>;

/**
 * The same functions, of whose answers every one is held against the API's description, and so is every
 * request that succeeded.
 *
 * @param report is told of a violation, in a sentence.
 */
export function contracted(answer: Answer, report: (violation: string) => void): Answer {
  return async (request) => {
    const { method, headers } = request;
    const [theirs, ours] = request.body?.tee() ?? [null, null];
    const response = await answer(new Request(request.url, { method, headers, body: theirs }));
    // A body is read here only when it was read there: another one may never end.
    let sent = "";
    if (response.ok && ours) sent = await new Response(ours).text();
    else ours?.cancel().catch(() => {}); // not awaited: it waits for the other half of the tee
    const body = await response.text();
    const url = new URL(request.url);
    url.pathname = url.pathname.replace(PLATFORM, "");
    const { status } = response;
    const violation = contract.violation({
      ...{ method, url, request: { headers, body: sent } },
      ...{ status, headers: response.headers, body, isBehindServer: false },
    });
    if (violation) report(violation);
    return new Response(body === "" ? null : body, { status, headers: response.headers });
  };
}
