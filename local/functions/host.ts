import { waitAtMost } from "../../supabase/functions/_shared/wait_at_most.ts";
import { forwarded } from "../forwarded.ts";

/**
 * Answers a request to /functions/v1/…, as the platform's function host does.
 * @param caller the address from which it came; this machine's by default.
 */
export type FunctionsHost = (request: Request, caller?: string) => Promise<Response>;

const folder = new URL("../../supabase/functions/", import.meta.url);
const PREFIX = "/functions/v1";

/** Work of the functions that goes on after their answers. */
const background = new Set<Promise<unknown>>();

function waitUntil(work: Promise<unknown>) {
  background.add(work);
  const remove = () => background.delete(work);
  work.then(remove, remove);
}

/** What takes longer when the functions end is given up, as on the platform. */
const END_MS = 1_000;

/** Has the functions do at once what waits for its time, such as telling what they have counted. */
export async function endFunctions(): Promise<void> {
  dispatchEvent(new Event("beforeunload"));
  await waitAtMost(END_MS, Promise.all(background));
}

/**
 * Loads functions and mounts them as the platform does: each sees its own name as the first part
 * of the path, and what a function throws never reaches the caller.
 * The environment must be set before, because a function reads its configuration when it starts.
 */
export async function loadFunctions(names: string[]): Promise<FunctionsHost> {
  // Tests that run functions of their own have one.
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
