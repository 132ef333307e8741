import description from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { ApiDescription, type Exchange } from "./api_description.ts";

const api = new ApiDescription(description);

/**
 * Like `fetch`, with the answer's text. Checks the exchange against the API's description, wherever the
 * function runs.
 *
 * @throws Error with the violation, in a sentence.
 */
export async function checkedFetch(
  url: string,
  { method = "GET", headers, body }: { method?: string; headers: HeadersInit; body?: BodyInit },
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  const sent = typeof body === "string" ? body : null;
  const violation = violationOf({ method, sent, isBehindServer: true }, url, response, text);
  if (violation) throw new Error(violation);
  return { status: response.status, headers: response.headers, text };
}

type Functions = (request: Request) => Promise<Response>;

/**
 * The same functions; every exchange with them is checked against the API's description.
 *
 * @param report is called with each violation, in a sentence.
 */
export function checked(functions: Functions, report: (violation: string) => void): Functions {
  return async (request) => {
    const { method, url, headers } = request;
    const [theirs, ours] = request.body?.tee() ?? [null, null];
    const response = await functions(new Request(url, { method, headers, body: theirs }));
    // The body of a refused request is not read: it may never end.
    let sent = "";
    if (response.ok && ours) sent = await new Response(ours).text();
    else ours?.cancel().catch(() => {}); // not awaited: it waits for the other half of the tee
    const text = await response.text();
    const violation = violationOf({ method, sent, isBehindServer: false }, url, response, text);
    if (violation) report(violation);
    const { status } = response;
    return new Response(text === "" ? null : text, { status, headers: response.headers });
  };
}

/** The platform's prefix before the name of a function. */
const PREFIX = /^\/functions\/v1/;

function violationOf(
  request: Pick<Exchange, "method" | "sent" | "isBehindServer">,
  address: string,
  { status, headers }: Response,
  body: string,
): string | null {
  const url = new URL(address);
  url.pathname = url.pathname.replace(PREFIX, "");
  return api.violation({ ...request, url, status, headers, body });
}
