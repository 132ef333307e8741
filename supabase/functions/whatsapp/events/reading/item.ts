import type { REACTION_MARK } from "../../../_shared/channel/message_call.ts";
import type { Clean } from "./clean.ts";
import type { Word } from "./opt_out_words.ts";

/**
 * The content of one part of an event, in a form that the database accepts: without null characters
 * and unpaired surrogates, and with limited lengths.
 */
export type Item =
  & ItemPlace
  & (
    | Status
    | Message
    | Reaction
    | Edit
    | Revoke
    | SystemNotice
    | IdentityChange
    | Preference
    | TemplateHint
    | AccountNotice
    | Trouble
    | Unknown
  );

/** The business account, the phone number and the time of an item. */
export interface ItemPlace {
  /** The id of the business account, from the entry. */
  waba: string | null;
  phone_number_id: string | null;
  /** The time according to the channel, in ISO 8601; null when there is no usable time. */
  at: string | null;
}

/** A person as the channel identifies them. If the phone number is hidden, there is a user id. */
export interface Person {
  /** `+` and digits. */
  phone: string | null;
  /** The business-scoped user id. */
  user_id: string | null;
  name: string | null;
  username: string | null;
}

/** A report about a sent message. */
export interface Status {
  kind: "status";
  id: string;
  /** `sent`, `delivered`, `read` or `failed`; any other value is stored unchanged. */
  status: string;
  /**
   * The label that this platform sent with the message: the send and the attempt, or `reaction` for
   * a reaction. Null when the message has no such label.
   */
  mark: { send_id: string; attempt: number } | typeof REACTION_MARK | null;
  recipient_user_id: string | null;
  failure: Failure | null;
  price: { category: string | null; type: string | null } | null;
}

export interface Failure {
  /** This platform's error code. */
  reason: string;
  code: number | null;
  message: string | null;
  details: string | null;
}

/** The types of a message that a person sends. */
export type MessageType =
  | "text"
  | "image"
  | "video"
  | "document"
  | "audio"
  | "sticker"
  | "location"
  | "contacts"
  | "interactive"
  | "button"
  | "order"
  | "unsupported";

/** A message from a person. */
export interface Message {
  kind: "message";
  id: string;
  type: MessageType;
  content: string;
  /** The parts of the message that no other property contains, such as `{ "button": { … } }`. */
  payload: CleanObject | null;
  media: Media | null;
  person: Person;
  /** The message that this message replies to. */
  answers: string | null;
  /** What the person requests, if the whole message is a word that stops or starts messages. */
  word: Word | null;
  /**
   * Whether the message is the sender's own contact card, which the sender shared because the
   * company requested the phone number.
   */
  has_own_phone: boolean;
}

export type CleanObject = { [key: string]: Clean };

export interface Media {
  id: string;
  mime_type: string | null;
  sha256: string | null;
  filename: string | null;
  voice: boolean | null;
  animated: boolean | null;
  /** When the channel deletes the file. */
  expires_at: string | null;
}

export interface Reaction {
  kind: "reaction";
  id: string;
  target: string;
  /** Null means that the reaction was removed. */
  emoji: string | null;
  person: Person;
}

export interface Edit {
  kind: "edit";
  id: string;
  target: string;
  content: string;
  person: Person;
}

export interface Revoke {
  kind: "revoke";
  id: string;
  target: string;
  person: Person;
}

/** A channel notice within a conversation, such as a notice about a new phone number. */
export interface SystemNotice {
  kind: "system";
  id: string;
  content: string;
  payload: CleanObject | null;
  person: Person;
  change: PersonChange;
}

/** The person has a new phone number or a new user id. */
export interface PersonChange {
  phone: string | null;
  user_id: string | null;
}

export interface IdentityChange {
  kind: "identity";
  person: Person;
  change: PersonChange;
}

/** Whether the person wants marketing messages. */
export interface Preference {
  kind: "preference";
  value: "stop" | "resume";
  person: Person;
}

/** A change of a template. */
export interface TemplateHint {
  kind: "template";
  event: "status" | "quality" | "category" | "components";
  name: string;
  /** The language code with an underscore, such as pt_BR, as in the list of templates. */
  language: string | null;
  value: CleanObject;
}

/** A change of the business account or one of its numbers. */
export interface AccountNotice {
  kind: "account";
  /** The channel's event name, such as ACCOUNT_RESTRICTION. */
  event: string;
  value: CleanObject;
  stops_sending: boolean;
  /** When a restriction ends. */
  until: string | null;
}

/** A problem that concerns a business number, but no message. */
export interface Trouble {
  kind: "trouble";
  errors: ChannelTrouble[];
}

export type ChannelTrouble = Omit<Failure, "reason">;

/** An unknown or malformed part: it is stored, and has no effect. */
export interface Unknown {
  kind: "unknown";
  /**
   * The name of the changed field. For a malformed part, the list's name follows:
   * `messages.statuses`.
   */
  field: string;
}
