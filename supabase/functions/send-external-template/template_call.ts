import type { ChannelCall, ChannelConfig } from "../_shared/whatsapp/channel.ts";
import type { SendRequest } from "./request.ts";

/**
 * The call that sends a template, ready to be made.
 *
 * @param sendId the channel's later reports about the message carry it.
 * @throws TypeError when the token contains characters that a header cannot have.
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
      // Following a redirect would send the message twice, and the token to another server.
      redirect: "manual",
    },
    token: account.token,
  };
}

/** A component without parameters is left out, as the channel demands. */
function component(type: "header" | "body", variables: string[]) {
  if (variables.length === 0) return [];
  return [{ type, parameters: variables.map((text) => ({ type: "text", text })) }];
}
