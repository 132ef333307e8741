import type { Person } from "./people.ts";
import { titleOf } from "./graph_error.ts";
import { displayPhoneNumber } from "./numbers.ts";
import { SANDBOX_BUSINESS_ACCOUNT_ID } from "./rules.ts";

// The events of the channel's field `messages`, as the channel posts them.

/** A person, and the business phone number with which the person exchanges messages. */
export interface Pair {
  phoneNumberId: string;
  person: Person;
  /** The digits of the person's phone; null when the business does not see the phone. */
  waId: string | null;
}

/** The properties of a message that a status event needs. */
export interface StatusOf extends Pair {
  /** The message's id on the channel. */
  id: string;
  pricing: Pricing;
  /** The string that the channel repeats in its reports about the message. */
  mark: string | undefined;
}

export interface Pricing {
  billable: boolean;
  pricing_model: "PMP";
  type: "regular" | "free_customer_service";
  category: string;
}

export type Reached = "sent" | "delivered" | "read";

/**
 * The event of a message that was sent, delivered or read. The event contains the price if
 * `tellsPrice` is true.
 */
export function statusEvent(
  message: StatusOf,
  status: Reached,
  { at, tellsPrice }: { at: number; tellsPrice: boolean },
) {
  return event(message, {
    contacts: [contact(message)],
    statuses: [{
      ...{ id: message.id, status, timestamp: seconds(at) },
      ...(message.waId !== null && { recipient_id: message.waId }),
      recipient_user_id: message.person.userId,
      ...(tellsPrice && { pricing: message.pricing }),
      ...marked(message),
    }],
  });
}

/**
 * The event of a message that failed after the channel had accepted it. Unlike the other events,
 * this event has no `contacts` and no `recipient_user_id`.
 */
export function failureEvent(
  message: StatusOf,
  { code, details }: { code: number; details: string },
  { at, tellsMark }: { at: number; tellsMark: boolean },
) {
  const title = titleOf(code);
  return event(message, {
    statuses: [{
      ...{ id: message.id, status: "failed", timestamp: seconds(at) },
      ...(message.waId !== null && { recipient_id: message.waId }),
      errors: [{ code, title, message: title, error_data: { details }, href: ERROR_CODES }],
      ...(tellsMark && marked(message)),
    }],
  });
}

/** A person's message. */
export interface Written {
  /** The message's id on the channel. */
  id: string;
  /** The type, and an object with the name of the type: `{ type: "text", text: { body } }`. */
  content: { type: string };
  /** The id of the message to which this message replies. */
  answers?: string;
}

/** The event for a person's message to a business phone number. */
export function messageEvent(pair: Pair, { id, content, answers }: Written, at: number) {
  return event(pair, {
    contacts: [contact(pair)],
    messages: [{
      ...(pair.waId !== null && { from: pair.waId }),
      from_user_id: pair.person.userId,
      ...{ id, timestamp: seconds(at) },
      ...content,
      ...(answers !== undefined && {
        context: { from: digits(displayPhoneNumber(pair.phoneNumberId)), id: answers },
      }),
    }],
  });
}

const ERROR_CODES = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/";

function event({ phoneNumberId }: Pair, parts: object) {
  const value = {
    messaging_product: "whatsapp",
    metadata: {
      display_phone_number: digits(displayPhoneNumber(phoneNumberId)),
      phone_number_id: phoneNumberId,
    },
    ...parts,
  };
  const changes = [{ value, field: "messages" }];
  return {
    object: "whatsapp_business_account",
    entry: [{ id: SANDBOX_BUSINESS_ACCOUNT_ID, changes }],
  };
}

function contact({ person, waId }: Pair) {
  return {
    profile: { name: person.name },
    ...(waId !== null && { wa_id: waId }),
    user_id: person.userId,
  };
}

function marked({ mark }: StatusOf) {
  return mark === undefined ? {} : { biz_opaque_callback_data: mark };
}

/** The channel writes a time as a string with the number of seconds since 1970. */
function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}

function digits(text: string): string {
  return text.replaceAll(/\D/g, "");
}
