import { waitAtMost } from "../../supabase/functions/_shared/wait_at_most.ts";
import { forwarded } from "../forwarded.ts";

/**
 * Handles a request to /functions/v1/…, as the platform's function host does.
 * @param caller the caller's IP address; by default, this machine's.
 */
export type FunctionsHost = (request: Request, caller?: string) => Promise<Response>;

const folder = new URL("../../supabase/functions/", import.meta.url);
const PREFIX = "/functions/v1";

/** The functions' background work, which continues after their responses. */
const background = new Set<Promise<unknown>>();

function waitUntil(work: Promise<unknown>) {
  background.add(work);
  const remove = () => background.delete(work);
  work.then(remove, remove);
}

/**
 * The functions' work may continue for this long after the announcement of the end. Then the stack
 * stops waiting for the work, as the platform does.
 */
const END_MS = 1_000;

/** Makes the functions do their postponed work now, such as storing the counts of requests. */
export async function endFunctions(): Promise<void> {
  await announceEnd(END_MS, Promise.all(background));
}

/** The time between two announcements of the end. */
const ANNOUNCE_MS = 50;

/**
 * Repeatedly announces to the functions that they are ending, until their work is done or `ms`
 * milliseconds have passed. A single announcement could come too early, before all of the work
 * listens.
 */
async function announceEnd(ms: number, work: Promise<unknown>): Promise<void> {
  const announce = () => dispatchEvent(new Event("beforeunload"));
  announce();
  const announcing = setInterval(announce, ANNOUNCE_MS);
  await waitAtMost(ms, work);
  clearInterval(announcing);
}

/**
 * Loads functions and mounts them as the platform does. The path of a request begins with the
 * function's name, and exceptions of a function never reach the caller. The environment variables
 * must be set before this call, because a function reads its configuration when it starts.
 */
export async function loadFunctions(names: string[]): Promise<FunctionsHost> {
  // In tests that load functions themselves, this object already exists.
  if (!("EdgeRuntime" in globalThis)) Object.assign(globalThis, { EdgeRuntime: { waitUntil } });
  const functions = new Map<string, (request: Request) => Response | Promise<Response>>();
  for (const name of names) {
    const { default: entry } = await import(new URL(`${name}/index.ts`, folder).href);
    functions.set(name, entry.fetch);
  }
  return async (request, caller) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.slice(PREFIX.length);
    const answer = functions.get(url.pathname.split("/")[1]);
    if (!answer) {
      const message = "Requested function was not found";
      return Response.json({ code: "NOT_FOUND", message }, { status: 404 });
    }
    try {
      return await answer(forwarded(request, url.href, caller));
    } catch (error) {
      console.error(error);
      return Response.json({ code: "WORKER_ERROR", message: "Function exited" }, { status: 500 });
    }
  };
}
