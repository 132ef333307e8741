import { answeringProxy } from "../support/answering_proxy.ts";

/** An answer of the API on its way to the caller. */
export interface BentAnswer {
  status: number;
  contentType: string;
  // deno-lint-ignore no-explicit-any -- a test changes parts of any body
  body: any;
  /** Additional headers of the answer. */
  headers?: Record<string, string>;
}

/** Changes an answer. `made` is the number of earlier requests of this operation. */
export type Bend = (answer: BentAnswer, made: number) => BentAnswer;

/**
 * A server in front of the stack that changes the answers of some operations. An operation has the
 * name of its method and path, such as `GET /gateway/contacts`.
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
    /** How many requests an operation has received. */
    made: (name: string) => made.get(name) ?? 0,
  };
}
