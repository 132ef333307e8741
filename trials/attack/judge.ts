import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { ApiDescription } from "../../tests/support/api_description.ts";
import type { Findings } from "./findings.ts";
import { shortened, shown, type WireAnswer, type WireRequest } from "./wire.ts";

const description = new ApiDescription(openApi);

export const PROMISES = {
  answered: "every request gets an answer",
  no500: "no request is answered with a 500",
  described: "every answer is one that the OpenAPI document declares",
};

/**
 * The outcome of a request as its caller sees it: the status, and the error code of an error
 * response.
 */
export function outcomeOf({ status, text }: WireAnswer): string {
  const [, code] = /"code":"(\w+)"/.exec(text) ?? [];
  return code === undefined || status < 400 ? String(status) : `${status} ${code}`;
}

/**
 * Checks the promises to every caller: each request receives a response that the OpenAPI document
 * declares and that is not a 500. Adds a finding for each broken promise.
 * @param given further details that a reader of the finding needs.
 * @param fault the fault at that time. The same outcome during a different fault counts as a
 *   separate finding.
 */
export function judge(
  findings: Findings,
  url: string,
  request: WireRequest,
  answer: WireAnswer | null,
  { given = "", fault = "" } = {},
) {
  findings.attempts++;
  const what = `${fault && `${fault}: `}${given}${shown(request)}`;
  const at = fault || `${request.method} ${kindOfPath(request.target)}${oddityOf(request)}`;
  if (!answer) {
    if (!endsItself(request)) findings.add(PROMISES.answered, "no answer", what, at);
    return;
  }
  if (isOfServer(answer)) return;
  const outcome = outcomeOf(answer);
  const found = `${outcome}: ${shortened(answer.text, 300)}`;
  if (answer.status === 500) {
    findings.add(PROMISES.no500, found, what, `${at} ${outcome}`);
  } else if (URL.canParse(request.target, url)) {
    const problem = problemOf(url, request, answer);
    if (problem) {
      findings.add(PROMISES.described, `${problem} (${found})`, what, `${at} ${outcome}`);
    }
  }
}

function problemOf(url: string, request: WireRequest, answer: WireAnswer): string | null {
  const { method, target, body, cutAfter } = request;
  try {
    return description.violation({
      method,
      url: new URL(target, url),
      sent: typeof body === "string" && cutAfter === undefined ? body : null,
      status: answer.status,
      headers: answer.headers,
      body: answer.text,
      isBehindServer: true,
    });
  } catch (error) {
    return `it cannot be read: ${error}`;
  }
}

/** Whether the HTTP server refused the request before it reached the function. */
export function isOfServer({ status, headers, text }: WireAnswer): boolean {
  return [400, 414, 431].includes(status) && text === "" && !headers.has("X-Request-Id");
}

/** Whether the caller ends the connection without waiting for a response. */
export function endsItself({ cutAfter, stalls }: WireRequest): boolean {
  return cutAfter !== undefined && !stalls;
}

/**
 * What is malformed in a request. Findings about requests with the same fault and the same outcome
 * count as one finding.
 */
function oddityOf(request: WireRequest): string {
  const hasHost = request.headers.some(([name]) => name === "Host");
  return `${hasHost ? " to another Host" : ""}${endsItself(request) ? " cut off" : ""}`;
}

/** The path without ids, so that requests to different rows count as the same kind. */
function kindOfPath(target: string): string {
  const [path] = target.split("?");
  return path.split("/").map((part) => /^[a-z.-]{1,30}$/.test(part) ? part : part && "…").join("/");
}
