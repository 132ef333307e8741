import { fetchOnce } from "../_shared/fetch_once.ts";
import type { ChannelConfig } from "./config.ts";
import { type ChannelAnswer, outcomeOf, type SendOutcome } from "./outcome.ts";
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

/** Makes the call, once, and answers what is known of the message afterwards. Never throws. */
export async function callChannel(
  { timeoutMs }: ChannelConfig,
  { url, init }: ChannelCall,
): Promise<SendOutcome> {
  let response: Response;
  try {
    response = await fetchOnce(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    return neverLeft(error)
      ? { kind: "not_taken", error: "channel_unavailable" }
      : { kind: "unknown" };
  }
  return outcomeOf(await read(response));
}

async function read(response: Response): Promise<ChannelAnswer> {
  const { status, headers } = response;
  // An answer that breaks off, or is no JSON, leaves its status to go by.
  const body = await response.json().catch(() => undefined);
  return { status, body, retryAfter: headers.get("Retry-After") };
}

/** Whether a call failed before anything of it was sent: name, connection or TLS could not be had. */
function neverLeft(error: unknown): boolean {
  const { message, cause } = error as Error;
  const said = `${message} ${cause instanceof Error ? cause.message : ""}`;
  // hyper's word for that phase, in which every error of these kinds arrives. What arrives in other
  // words has perhaps been sent.
  return said.includes("client error (Connect)");
}
