import type { Recipient } from "../../_shared/channel/message_call.ts";

/** The person who receives a message. */
export interface Person {
  phone: string | null;
  /** The channel's id of the person, for a contact without a phone number. */
  user_id: string | null;
}

/**
 * The recipient in the channel's format. A person's id must not be in `to`, because the channel
 * would then deliver nothing.
 */
export function recipientOf({ phone, user_id }: Person): Recipient {
  return phone === null ? { recipient: user_id! } : { to: phone };
}
