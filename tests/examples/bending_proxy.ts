import { answeringProxy } from "../support/answering_proxy.ts";

/** An API response on its way to the caller. */
export interface BentAnswer {
  status: number;
  contentType: string;
  // deno-lint-ignore no-explicit-any -- tests change parts of arbitrary bodies
  body: any;
  /** Additional response headers. */
  headers?: Record<string, string>;
}

/** Changes a response. `made` is the number of earlier requests for the same operation. */
export type Bend = (answer: BentAnswer, made: number) => BentAnswer;

/**
 * A proxy for the stack that changes the responses of some operations. An operation is named by its
 * method and path, such as `GET /gateway/contacts`.
 */
export function bendingProxy(stackUrl: string, bends: Record<string, Bend>) {
  const made = new Map<string, number>();
  const proxy = answeringProxy(stackUrl, async ({ method, path }, pass) => {
    const answer = await pass();
    const name = `${method} ${path}`;
    const bend = bends[name];
    if (!bend) return answer;
    const before = made.get(name) ?? 0;
    made.set(name, before + 1);
    const { status, contentType, body, headers: added = {} } = bend({
      status: answer.status,
      contentType: answer.headers.get("Content-Type") ?? "",
      body: await answer.json(),
    }, before);
    const headers = new Headers(answer.headers);
    headers.delete("Content-Length");
    headers.set("Content-Type", contentType);
    for (const [header, value] of Object.entries(added)) headers.set(header, value);
    return new Response(typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers,
    });
  });
  return {
    ...proxy,
    /** The number of requests that an operation has received. */
    made: (name: string) => made.get(name) ?? 0,
  };
}
