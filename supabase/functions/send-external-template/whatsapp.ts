import { fetchOnce } from "../_shared/fetch_once.ts";
import type { ChannelConfig } from "./config.ts";
import { outcomeOf, type SendOutcome } from "../_shared/whatsapp/outcome.ts";
import type { SendRequest } from "./request.ts";

/** A call of the channel, ready to be made. */
export interface ChannelCall {
  url: string;
  init: RequestInit;
}

/**
 * The call that sends a template, not made yet.
 *
 * @param sendId comes back in whatever the channel later tells of the message.
 * @throws TypeError when the token cannot stand in a header.
 */
export function templateCall(
  channel: ChannelConfig,
  account: { phoneNumberId: string; token: string },
  request: SendRequest,
  sendId: string,
): ChannelCall {
  const { phone, template_name, language_code, header_variables, body_variables } = request;
  const message = {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: phone,
    type: "template",
    biz_opaque_callback_data: sendId,
    template: {
      name: template_name,
      language: { code: language_code },
      components: [
        ...component("header", header_variables),
        ...component("body", body_variables),
      ],
    },
  };
  return {
    url: `${channel.url}/${account.phoneNumberId}/messages`,
    init: {
      method: "POST",
      headers: new Headers({
        Authorization: `Bearer ${account.token}`,
        "Content-Type": "application/json",
      }),
      body: JSON.stringify(message),
      // To be sent on would be to send twice, and the token with it.
      redirect: "manual",
    },
  };
}

/** A component without parameters is left out, as the channel demands. */
function component(type: "header" | "body", variables: string[]) {
  if (variables.length === 0) return [];
  return [{ type, parameters: variables.map((text) => ({ type: "text", text })) }];
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
