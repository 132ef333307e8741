import { AsyncLocalStorage } from "node:async_hooks";
import type { Hono } from "hono";
import {
  type GatewayConfig,
  readGatewayConfig,
} from "../../supabase/functions/gateway/gateway_config.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { sendExternalTemplate } from "../../supabase/functions/send-external-template/app.ts";
import {
  readSenderConfig,
  type SenderConfig,
} from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { whatsapp } from "../../supabase/functions/whatsapp/app.ts";
import {
  readWhatsappConfig,
  type WhatsappConfig,
} from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { webhooks } from "../../supabase/functions/webhooks/app.ts";
import {
  readWebhooksConfig,
  type WebhooksConfig,
} from "../../supabase/functions/webhooks/webhooks_config.ts";
import { InstanceCpu } from "../../supabase/functions/webhooks/deliver/cpu_time.ts";
import { DeliveryDatabase } from "../../supabase/functions/webhooks/deliver/database.ts";
import { Run } from "../../supabase/functions/webhooks/deliver/run.ts";
import { Sender } from "../../supabase/functions/webhooks/deliver/sender.ts";
import { companyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { webhookTokenSource } from "../../supabase/functions/_shared/key/token.ts";
import type { Config } from "../../supabase/functions/_shared/config.ts";
import type { Share } from "../../supabase/functions/_shared/fair_share.ts";
import type { Usage } from "../../supabase/functions/_shared/usage/counts.ts";
import type { Answer } from "./calls.ts";
import { isOfUsage } from "./log_lines.ts";
import { checked } from "./checked_answers.ts";
import { environment, stack, stackChannel } from "./test_stack.ts";

// Collects the work that continues after a response, as the platform does. When a test disposes of
// `watchedStack`, the disposal waits for this work.
const background: Promise<unknown>[] = [];
/** The work that continues after the response to the current call of a job. */
const ofJob = new AsyncLocalStorage<Promise<unknown>[]>();
const EdgeRuntime = {
  waitUntil(work: Promise<unknown>) {
    background.push(work);
    ofJob.getStore()?.push(work);
  },
};
Object.assign(globalThis, { EdgeRuntime });

// Hides the functions' log lines about sends and refused keys. Tests that check the log read the
// lines with log_lines.ts.
console.info = console.warn = () => {};
// Also hides lines about key usage that functions with a broken database could not record.
const { error: logError } = console;
console.error = (...line) => isOfUsage(line[0]) || logError(...line);

/** The functions record key usage only when a test awaits `backgroundWork`. */
const UNTIL_ASKED = { tellUsageEveryMs: 24 * 60 * 60_000 };

/**
 * A share whose requests wait for their turn much longer than usual, because on a busy machine one
 * of many simultaneous requests may wait for long.
 */
export function patient<Each extends Share>(share: Each): Each {
  return { ...share, patienceMs: 60_000 };
}

/** The configuration of a function in this process. A test may change it. */
function ownConfig<Each extends Config>(config: Each): Each {
  const statementShare = patient(config.statementShare);
  const strangerShare = patient(config.strangerShare);
  return { ...config, ...UNTIL_ASKED, statementShare, strangerShare };
}

/**
 * A test's receiver runs in this process, and a busy machine may stop the process for seconds. So a
 * request to a receiver times out later than in production, unless the test says when.
 */
const TO_RECEIVERS = { postTimeoutMs: 60_000 };

/**
 * Waits for work that the functions in this process continue after their responses. First tells the
 * functions that the instance stops, so that they do their delayed work immediately.
 */
export async function backgroundWork() {
  while (background.length > 0) {
    dispatchEvent(new Event("beforeunload"));
    await background.shift();
  }
}

/** A gateway in this process, with the database at this URL. */
export async function ownGateway(
  supabaseUrl: string,
  databaseTimeoutMs = 10_000,
  { channelUrl, ...changes }: Partial<GatewayConfig> & { channelUrl?: string } = {},
) {
  const config = ownConfig(
    await readGatewayConfig(
      environment({ supabaseUrl, channelUrl: channelUrl ?? (stackChannel || undefined) }),
    ),
  );
  // The tests' webhooks have the sandbox's URL, even if the database is behind a proxy.
  const webhookAddresses = { ...config.webhookAddresses, hosts: [stack.url] };
  const app = gateway({
    ...config,
    webhookAddresses,
    databaseTimeoutMs,
    ...changes,
  });
  return (
    key: string,
    method: string,
    path: string,
    json?: unknown,
    headers?: Record<string, string>,
  ) => ask(app, key, method, `/gateway${path}`, json, headers);
}

/** A template send endpoint in this process, with the channel and the database at these URLs. */
export async function ownSender(
  channelUrl: string,
  { supabaseUrl = stack.url, timeoutMs = 20_000, ...changes }:
    & Partial<SenderConfig>
    & { timeoutMs?: number } = {},
) {
  const config = ownConfig(await readSenderConfig(environment({ supabaseUrl, channelUrl })));
  const whatsapp = { ...config.whatsapp, timeoutMs };
  const app = sendExternalTemplate({ ...config, whatsapp, ...changes });
  return (key: string, json: unknown, query = "", headers?: Record<string, string>) =>
    ask(app, key, "POST", `/send-external-template${query}`, json, headers);
}

/** Calls a job, and waits until its run has ended. Returns the response to the call. */
async function ended(call: () => Promise<Answer>): Promise<Answer> {
  const work: Promise<unknown>[] = [];
  const answer = await ofJob.run(work, call);
  await Promise.all(work);
  return answer;
}

/**
 * The whatsapp function in this process. The returned function calls a job with the correct secret,
 * and with the account id if one is given. When the run has ended, the function returns the
 * response to the call.
 */
export async function ownWhatsapp(
  channelUrl: string,
  { supabaseUrl = stack.url, ...changes }: Partial<WhatsappConfig> = {},
) {
  const config = ownConfig(await readWhatsappConfig(environment({ supabaseUrl, channelUrl })));
  const app = whatsapp({ ...config, ...changes });
  return (job: string, account_id?: string) =>
    ended(() =>
      ask(
        app,
        config.jobsSecret!,
        "POST",
        `/whatsapp/jobs/${job}`,
        account_id ? { account_id } : {},
      )
    );
}

/**
 * The webhooks function in this process, which may send to every local address in `hosts`. The
 * returned function sends a company's due deliveries. When the run has ended, the function returns
 * the response to the call.
 */
export async function ownWebhooks(
  hosts: string[],
  { supabaseUrl = stack.url, ...changes }: Partial<WebhooksConfig> = {},
) {
  const config = await readWebhooksConfig(environment({ supabaseUrl }));
  const app = webhooks({ ...config, ...TO_RECEIVERS, addresses: { hosts }, ...changes });
  return (company_id: string) =>
    ended(() =>
      ask(app, config.jobsSecret!, "POST", "/webhooks/jobs/deliver", {
        ...{ company_id, until_idle: true },
      })
    );
}

/**
 * Creates a run of the delivery job for one company.
 * @param notes functions that the run calls to report what happens.
 */
export async function ownRun(
  company_id: string,
  hosts: string[],
  notes: Partial<Run["notes"]> = {},
  changes: Partial<WebhooksConfig> = {},
  instance?: InstanceCpu,
): Promise<Run> {
  const config = {
    ...await readWebhooksConfig(environment({ supabaseUrl: stack.url })),
    ...{ ...TO_RECEIVERS, addresses: { hosts }, ...changes },
  };
  const requestId = crypto.randomUUID();
  const db = companyDb(config, webhookTokenSource(config.signingKey)).forRequest(requestId);
  const failed = (error: Error) => console.error(error);
  return new Run(
    config,
    new DeliveryDatabase(db, crypto.randomUUID(), company_id),
    new Sender(config, { requestId }),
    { told() {}, ended() {}, spent() {}, failed, ...notes },
    instance ?? new InstanceCpu(config.cpuMs),
  );
}

type OwnReplies = Partial<WhatsappConfig> & { timeoutMs?: number };

/**
 * The endpoint for free replies in this process. It uses the channel and the database at these
 * URLs.
 */
export async function ownReplies(channelUrl: string, options: OwnReplies = {}) {
  const app = await ownMessages(channelUrl, options);
  return (key: string, json: unknown, query = "", headers?: Record<string, string>) =>
    ask(app, key, "POST", `/whatsapp/messages${query}`, json, headers);
}

/** The endpoint for reactions in this process. A call without a body removes the reaction. */
export async function ownReactions(channelUrl: string, options: OwnReplies = {}) {
  const app = await ownMessages(channelUrl, options);
  return (key: string, id: string, json?: unknown) =>
    ask(app, key, json ? "PUT" : "DELETE", `/whatsapp/messages/${id}/reaction`, json);
}

async function ownMessages(
  channelUrl: string,
  { supabaseUrl = stack.url, timeoutMs = 20_000, ...changes }: OwnReplies,
) {
  const config = ownConfig(await readWhatsappConfig(environment({ supabaseUrl, channelUrl })));
  return whatsapp({
    ...config,
    whatsapp: { ...config.whatsapp, timeoutMs },
    ...changes,
  });
}

async function ask<Env extends object>(
  app: Hono<Env>,
  key: string,
  method: string,
  path: string,
  json: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  const answer = checked(async (request) => await app.fetch(request), (violation) => {
    throw new Error(violation);
  });
  const response = await answer(
    new Request(`http://edge${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(json ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      body: json ? JSON.stringify(json) : undefined,
    }),
  );
  const { status } = response;
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  const body = isJson ? await response.json() : await response.bytes();
  return { status, headers: response.headers, body: status === 204 ? "" : body };
}

/**
 * The path for key usage reports. A function sends a report at intervals, and no request waits for
 * a report.
 */
const TELLING = "/rest/v1/rpc/record_api_key_usage";

/**
 * A proxy in front of the stack's Data API that records every request.
 * @param answer returns a response instead of the stack, or null to let the stack respond.
 */
export function watchedStack(
  answer: (request: Request) => Response | null | Promise<Response | null> = () => null,
) {
  const seen: { method: string; path: string }[] = [];
  const told: Usage[] = [];
  const forward = async ({ method, headers, body, url }: Request) => {
    const { pathname, search } = new URL(url);
    return await fetch(stack.url + pathname + search, { method, headers, body });
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === TELLING) told.push(await request.clone().json());
      else seen.push({ method: request.method, path: pathname });
      return await answer(request) ?? await forward(request);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    /** All requests except key usage reports. */
    seen,
    /** The key usage reports. */
    told,
    /** Forwards a request and returns the stack's response. */
    forward,
    [Symbol.asyncDispose]: async () => {
      await backgroundWork();
      await server.shutdown();
    },
  };
}
