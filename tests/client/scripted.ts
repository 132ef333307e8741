import { type ClientOptions, CRM } from "../../client/src/main.ts";

/** A request that the client made. */
export interface Made {
  method: string;
  url: URL;
  headers: Headers;
  redirect: RequestRedirect | undefined;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
}

/** What a scripted API does with a request: it returns a response, or fails as `fetch` does. */
export type Step = Response | Error | ((made: Made, signal: AbortSignal) => Promise<Response>);

/**
 * Creates a client whose requests receive these responses in order. Further requests receive the
 * last response again.
 */
export function scripted(steps: Step[], options: Partial<ClientOptions> = {}) {
  const made: Made[] = [];
  const crm = new CRM({
    apiKey: "sk_live_scripted",
    baseUrl: "https://api.test/functions/v1",
    async fetch(input, init = {}) {
      const { method = "GET", headers, body, signal, redirect } = init;
      const request = {
        method,
        url: new URL(String(input)),
        headers: new Headers(headers),
        redirect,
        body: body === undefined ? undefined : JSON.parse(String(body)),
      };
      made.push(request);
      const step = steps[Math.min(made.length, steps.length) - 1];
      if (step instanceof Error) throw step;
      return typeof step === "function" ? await step(request, signal!) : step.clone();
    },
    ...options,
  });
  return { crm, made };
}

/** A response with a JSON body. */
export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return Response.json(body, { status, headers });
}

/** A response with an error code. */
export function failure(
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  return json(status, { error: `It is ${code}`, code, request_id: "r-1", ...more }, headers);
}

/** The response to a request for one record or for a batch. */
export const RECORD: Step = ({ method, url }) =>
  Promise.resolve(
    method === "DELETE"
      ? new Response(null, { status: 204 })
      : url.pathname.endsWith("/batch")
      ? json(200, { data: [], summary: {} })
      : json(200, { data: { id: "1" } }),
  );

/** An empty list. */
export const EMPTY = json(200, {
  data: [],
  pagination: { limit: 50, has_more: false, next_cursor: null },
});

/** The error that `fetch` throws when the connection is lost. */
export const LOST = new TypeError("error sending request");

/** Runs the function without pauses between attempts. */
export async function withoutPauses<Result>(work: () => Promise<Result>): Promise<Result> {
  const { random } = Math;
  Math.random = () => 0;
  try {
    return await work();
  } finally {
    Math.random = random;
  }
}
