import type { Hono } from "hono";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { sendExternalTemplate } from "../../supabase/functions/send-external-template/app.ts";
import {
  readSenderConfig,
  type SenderConfig,
} from "../../supabase/functions/send-external-template/config.ts";
import type { Answer } from "./calls.ts";
import { contracted } from "./contracted.ts";
import { environment, stack } from "./test_stack.ts";

// As the platform does, work that goes on after an answer is kept, here until the database's door closes.
const background: Promise<unknown>[] = [];
const EdgeRuntime = { waitUntil: (work: Promise<unknown>) => background.push(work) };
Object.assign(globalThis, { EdgeRuntime });

// Their lines about sends; who looks at them uses log_lines.ts.
console.info = () => {};

/** Waits for what functions of this process still do after they have answered. */
export async function backgroundWork() {
  while (background.length > 0) await background.shift();
}

/** A gateway in this process, before a database of the test's choosing. */
export async function ownGateway(supabaseUrl: string, databaseTimeoutMs = 10_000) {
  const config = await readConfig(environment({ supabaseUrl }));
  const app = gateway({ ...config, databaseTimeoutMs });
  return (key: string, method: string, path: string, json?: unknown) =>
    ask(app, key, method, `/gateway${path}`, json);
}

/** A template endpoint in this process, before a database and a channel of the test's choosing. */
export async function ownSender(
  channelUrl: string,
  { supabaseUrl = stack.url, timeoutMs = 20_000, ...changes }:
    & Partial<SenderConfig>
    & { timeoutMs?: number } = {},
) {
  const config = await readSenderConfig(environment({ supabaseUrl, channelUrl }));
  const { url } = config.whatsapp;
  const app = sendExternalTemplate({ ...config, whatsapp: { url, timeoutMs }, ...changes });
  return (key: string, json: unknown) => ask(app, key, "POST", "/send-external-template", json);
}

async function ask<Env extends object>(
  app: Hono<Env>,
  key: string,
  method: string,
  path: string,
  json: unknown,
): Promise<Answer> {
  const answer = contracted(async (request) => await app.fetch(request), (violation) => {
    throw new Error(violation);
  });
  const response = await answer(
    new Request(`http://edge${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(json ? { "Content-Type": "application/json" } : {}),
      },
      body: json ? JSON.stringify(json) : undefined,
    }),
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** The stack's Data API behind a door that sees every request, and may answer instead. */
export function watchedStack(
  answer: (request: Request) => Response | null | Promise<Response | null> = () => null,
) {
  const seen: { method: string; path: string }[] = [];
  const forward = async ({ method, headers, body, url }: Request) => {
    const { pathname, search } = new URL(url);
    return await fetch(stack.url + pathname + search, { method, headers, body });
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      seen.push({ method: request.method, path: pathname });
      return await answer(request) ?? await forward(request);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    seen,
    /** What the stack itself answers to a request. */
    forward,
    [Symbol.asyncDispose]: async () => {
      await backgroundWork();
      await server.shutdown();
    },
  };
}
