import type { ChannelCall } from "./channel.ts";
import type { ChannelConfig } from "./channel_config.ts";

/**
 * The recipient of a message. If the channel hides a person's phone number, the message is
 * addressed to the channel's id for that person.
 */
export type Recipient = { to: string } | { recipient: string };

/** The content of a message, in the channel's format: `{ type: "text", text: { body } }`. */
export type MessageContent = { type: string } & Record<string, unknown>;

/**
 * The mark of every reaction that the service sends; see `messageCall()`. A reaction is not a
 * stored message, so the service ignores most reports with this mark.
 */
export const REACTION_MARK = "reaction";

/**
 * The prepared call that sends a message.
 *
 * @param mark a text that the channel repeats in its later reports about the message.
 * @throws TypeError when the token contains characters that a header cannot have.
 */
export function messageCall(
  channel: ChannelConfig,
  account: { phoneNumberId: string; token: string },
  mark: string,
  message: Recipient & MessageContent,
): ChannelCall {
  return {
    url: `${channel.url}/${account.phoneNumberId}/messages`,
    init: {
      method: "POST",
      headers: new Headers({
        Authorization: `Bearer ${account.token}`,
        "Content-Type": "application/json",
      }),
      body: JSON.stringify({
        messaging_product: "whatsapp",
        recipient_type: "individual",
        biz_opaque_callback_data: mark,
        ...message,
      }),
      // Following a redirect would send the message twice, and would send the token to another
      // server.
      redirect: "manual",
    },
    token: account.token,
  };
}
