import { readdressed } from "../../local/readdressed.ts";
import type { ApiDescription, Exchange } from "./api_description.ts";

let loading: Promise<ApiDescription> | undefined;

/**
 * Loads the API's description on first use, because most test files do not need it.
 */
async function loadDescription(): Promise<ApiDescription> {
  const [{ ApiDescription }, { default: description }] = await Promise.all([
    import("./api_description.ts"),
    import("../../supabase/functions/gateway/openapi.json", { with: { type: "json" } }),
  ]);
  return new ApiDescription(description);
}

/** The test runner sets `STACK_CHECKS_ANSWERS` if the tests' stack itself checks its responses. */
const { STACK_FILE, STACK_CHECKS_ANSWERS } = Deno.env.toObject();
const checkedOrigin = STACK_FILE && STACK_CHECKS_ANSWERS
  ? new URL(JSON.parse(Deno.readTextFileSync(STACK_FILE)).url).origin
  : null;

/**
 * Like `fetch`, but also returns the response text. Checks the request and the response against the
 * API's description, unless the tests' stack itself checks them.
 * @throws Error that describes the violation.
 */
export async function checkedFetch(
  url: string,
  { method = "GET", headers, body }: { method?: string; headers: HeadersInit; body?: BodyInit },
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url, { method, headers, body });
  // In Latin-1, each byte of a file is one character.
  const isFile = response.headers.has("Content-Disposition");
  const text = isFile
    ? new TextDecoder("latin1").decode(await response.bytes())
    : await response.text();
  const sent = typeof body === "string" ? body : null;
  const contentType = new Headers(headers).get("Content-Type");
  const violation = new URL(url).origin === checkedOrigin
    ? null
    : await violationOf({ method, sent, contentType, isBehindServer: true }, url, response, text);
  if (violation) throw new Error(violation);
  return { status: response.status, headers: response.headers, text };
}

type Functions = (request: Request, caller?: string) => Promise<Response>;

/**
 * The same functions, but every request and response is checked against the API's description.
 * @param report is called with a description of each violation.
 */
export function checked(functions: Functions, report: (violation: string) => void): Functions {
  return async (request, caller) => {
    const { method, url } = request;
    const pieces: BlobPart[] = [];
    // Records only the part of the body that the function reads, because some bodies never end.
    const body = request.body && request.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(piece, controller) {
          pieces.push(piece);
          controller.enqueue(piece);
        },
      }),
    );
    const response = await functions(readdressed(request, url, body), caller);
    const sent = await new Blob(pieces).text();
    const contentType = request.headers.get("Content-Type");
    // A file is streamed to the caller, so its bytes are not checked.
    const isFile = response.headers.has("Content-Disposition");
    const text = isFile ? "" : await response.text();
    const violation = await violationOf(
      { method, sent, contentType, isBehindServer: false },
      url,
      response,
      text,
    );
    if (violation) report(violation);
    const { status } = response;
    if (isFile) return response;
    return new Response(text === "" ? null : text, { status, headers: response.headers });
  };
}

/** The path prefix that the platform puts before a function name. */
const PREFIX = /^\/functions\/v1/;

async function violationOf(
  request: Pick<Exchange, "method" | "sent" | "contentType" | "isBehindServer">,
  address: string,
  { status, headers }: Response,
  body: string,
): Promise<string | null> {
  const url = new URL(address);
  url.pathname = url.pathname.replace(PREFIX, "");
  const api = await (loading ??= loadDescription());
  return api.violation({ ...request, url, status, headers, body });
}
