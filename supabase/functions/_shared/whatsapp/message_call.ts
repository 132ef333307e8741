import type { ChannelCall } from "./channel.ts";
import type { ChannelConfig } from "./channel_config.ts";

/** To whom a message goes. A person whose phone the channel hides has an id of the channel instead. */
export type Recipient = { to: string } | { recipient: string };

/** What a message says, in the channel's own shape: `{ type: "text", text: { body } }`. */
export type MessageContent = { type: string } & Record<string, unknown>;

/**
 * The call that sends a message, ready to be made.
 *
 * @param mark the channel's later reports about the message carry it.
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
      // Following a redirect would send the message twice, and the token to another server.
      redirect: "manual",
    },
    token: account.token,
  };
}
