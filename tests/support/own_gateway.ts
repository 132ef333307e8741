import { functionEnvironment } from "../../local/environment.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { secrets, stack } from "./stack.ts";

// As the platform does, work that goes on after an answer is kept, here until the database's door closes.
const background: Promise<void>[] = [];
const EdgeRuntime = { waitUntil: (work: Promise<void>) => background.push(work) };
Object.assign(globalThis, { EdgeRuntime });

/** A gateway in this process, before a database of the test's choosing. */
export async function ownGateway(supabaseUrl: string, databaseTimeoutMs = 10_000) {
  const config = await readConfig(functionEnvironment(supabaseUrl, secrets));
  const app = gateway({ ...config, databaseTimeoutMs });
  return async (key: string, method: string, path: string, json?: unknown) => {
    const response = await app.request(`http://edge/gateway${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(json ? { "Content-Type": "application/json" } : {}),
      },
      body: json ? JSON.stringify(json) : undefined,
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

/** The stack's Data API behind a door that sees every request, and may answer instead. */
export function watchedStack(
  answer: (request: Request) => Response | null | Promise<Response | null> = () => null,
) {
  const seen: { method: string; path: string }[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      seen.push({ method: request.method, path: pathname });
      const own = await answer(request);
      if (own) return own;
      const { method, headers, body } = request;
      return await fetch(stack.url + pathname + search, { method, headers, body });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(background);
      await server.shutdown();
    },
  };
}
