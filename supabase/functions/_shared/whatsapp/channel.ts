import { fetchOnce } from "../fetch_once.ts";
import { outcomeOf, type SendOutcome } from "./outcome.ts";

/** Where and how patiently to call the channel. */
export interface ChannelConfig {
  /** With the version and without a slash at the end: `https://graph.facebook.com/v26.0`. */
  url: string;
  timeoutMs: number;
}

/** A call of the channel, ready to be made. */
export interface ChannelCall {
  url: string;
  init: RequestInit;
}

let client: Deno.HttpClient | undefined;

/**
 * HTTP/1.1, each call on a connection of its own while it lasts. Over HTTP/2, many calls share one, so that
 * one break leaves nobody knowing of any of them, and 64 at once take a seventh longer.
 */
function channelClient(): Deno.HttpClient | undefined {
  // Not every runtime of Supabase's lets a function choose.
  return client ??= Deno.createHttpClient?.({ http1: true, http2: false });
}

/** Makes the call, once, and answers what is known of the message afterwards. Never throws. */
export async function callChannel(
  { timeoutMs }: ChannelConfig,
  { url, init }: ChannelCall,
): Promise<SendOutcome> {
  let response: Response;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    response = await fetchOnce(url, { ...init, signal, client: channelClient() });
  } catch (error) {
    const cause = reasonOf(error);
    return neverLeft(cause)
      ? { kind: "not_taken", error: "channel_unavailable", cause }
      : { kind: "unknown", cause };
  }
  const { status, headers } = response;
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    // What broke off may have said anything, but by a 4xx nothing was carried out.
    if (status < 400 || status >= 500) return { kind: "unknown", cause: reasonOf(error) };
    text = "";
  }
  return outcomeOf({ status, body: parsed(text), retryAfter: headers.get("Retry-After") });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What fetch says of a failure, without the address: `client error (Connect): dns error: …`. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  const said = cause instanceof Error ? cause.message : message;
  return `${name}: ${said.replace(/^error sending request .*?: (?=client error)/, "")}`;
}

/** Whether a call failed before anything of it was sent: name, connection or TLS could not be had. */
function neverLeft(cause: string): boolean {
  // hyper's word for that phase, in which every error of these kinds arrives, and Deno's for ports that it
  // does not connect to. What arrives in other words has perhaps been sent.
  return /client error \(Connect\)|Requests to port \d+ are blocked/.test(cause);
}
