import description from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { Contract } from "./contract.ts";

const contract = new Contract(description);

type Answer = (request: Request) => Response | Promise<Response>;

/**
 * The same function, of whose answers every one is held against the API's description, and every request
 * that succeeded.
 *
 * @param report is told of a violation, in a sentence.
 */
export function contracted(answer: Answer, report: (violation: string) => void): Answer {
  return async (request) => {
    const { method, headers } = request;
    const [theirs, ours] = request.body?.tee() ?? [null, null];
    const response = await answer(new Request(request.url, { method, headers, body: theirs }));
    // What was not read of a body stays unread: it may never end.
    let sent = "";
    if (response.ok && ours) sent = await new Response(ours).text();
    else await ours?.cancel().catch(() => {});
    const body = await response.text();
    const url = new URL(request.url);
    url.pathname = url.pathname.replace(/^\/functions\/v1/, "");
    const violation = contract.violation({
      ...{ method, url, request: { headers, body: sent } },
      ...{ status: response.status, headers: response.headers, body },
    });
    if (violation) report(violation);
    return new Response(body === "" ? null : body, response);
  };
}
