import { pathToFileURL } from "node:url";
import { type BenchStack, server } from "../stack.ts";
import { root } from "../../local/checkout.ts";
import { type FunctionProcess, startFunctionProcess } from "../../local/functions/process.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { sealToken } from "../../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";
import { type Channel, startChannel } from "./channel.ts";
import { type Companies, writeCompanies } from "./companies.ts";

export type FunctionName = "gateway" | "send-external-template" | "webhooks" | "whatsapp";

export interface FunctionOptions {
  /** The Data API's URL. The default is the stack's own REST layer. */
  restUrl?: string;
  /** The URL of the channel. The default is the imitation that `startChannel` starts. */
  channelUrl?: string;
  /** The number of milliseconds by which the function's clock is ahead. */
  clockAheadMs?: number;
  /** The origins on this machine that webhook URLs may have. */
  webhookHosts?: string;
  /** Receives all log lines of the function. */
  hear?: (text: string) => void;
}

/** An attacked stack: the stack of this checkout, or of the checkout to compare with. */
export interface AttackedStack {
  /** `this checkout`, or the folder of the other checkout. */
  name: string;
  stack: BenchStack;
  channel: Channel;
  companies: Companies;
  /** The function `gateway`, and the function that sends templates through `channel`. */
  gateway: FunctionProcess;
  sender: FunctionProcess;
  startFunction(name: FunctionName, options?: FunctionOptions): Promise<FunctionProcess>;
  /**
   * Starts a REST layer that connects as each role with the URL that `url` returns for the role.
   */
  startRest(url: (role: string) => string): Promise<FunctionProcess>;
}

/**
 * Starts a stack of a checkout on this machine, on free ports, and inserts the companies of the
 * attack.
 * @param checkout the folder of the checkout, with a slash at the end; by default, this checkout.
 * @param resources ends everything, including parts that are still starting.
 */
export async function startAttackedStack(
  resources: AsyncDisposableStack,
  checkout = root,
): Promise<AttackedStack> {
  const load = (file: string) => import(pathToFileURL(checkout + file).href);
  const [{ startBenchStack }, { functionEnvironment }] = await Promise.all([
    load("trials/stack.ts"),
    load("local/functions/environment.ts"),
  ]);
  const stack: BenchStack = await startBenchStack(resources);
  const channel = startChannel(resources);
  const { secrets } = stack;
  const credentialsKey = readCredentialsKey(secrets.credentials_key);
  const companies = await writeCompanies(
    stack.owner,
    (account) => sealToken(SANDBOX_TOKEN, account, credentialsKey),
  );

  const startFunction: AttackedStack["startFunction"] = async (name, options = {}) => {
    const { restUrl = stack.rest.url, channelUrl = channel.url, clockAheadMs } = options;
    const { webhookHosts, hear } = options;
    const entry = `${checkout}supabase/functions/${name}/index.ts`;
    const env = {
      ...functionEnvironment(restUrl, secrets, channelUrl),
      ...(webhookHosts !== undefined && { WEBHOOK_HOSTS: webhookHosts }),
    };
    const process = { cwd: checkout, owner: resources, hear };
    if (clockAheadMs === undefined) return await startFunctionProcess({ ...process, entry, env });
    return await startFunctionProcess({
      ...process,
      entry: `${root}trials/servers/other_clock.ts`,
      env: { ...env, FUNCTION_ENTRY: pathToFileURL(entry).href, AHEAD_MS: String(clockAheadMs) },
      permissions: ["--allow-net", "--allow-env", "--allow-read"], // needed to import the function
    });
  };
  return {
    name: checkout === root ? "this checkout" : checkout,
    stack,
    channel,
    companies,
    gateway: stack.gateway,
    sender: await startFunction("send-external-template"),
    startFunction,
    startRest: (url) => {
      const options = {
        url: url("authenticator"),
        privilegedUrl: url("supabase_admin"),
        jwtSecret: secrets.jwt_secret,
        publishableKey: secrets.publishable_key,
        secretKey: secrets.secret_key,
      };
      const env = { REST_OPTIONS: JSON.stringify(options) };
      return startFunctionProcess({
        ...{ entry: server("rest"), env, owner: resources },
        permissions: ["--allow-all"],
      });
    },
  };
}
