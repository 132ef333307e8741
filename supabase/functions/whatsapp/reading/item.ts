import type { Clean } from "./clean.ts";

/** What one part of an event says, in a form that the database can take: no NUL, no half pairs, bounded lengths. */
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

/** Where an item belongs and when it happened. */
export interface ItemPlace {
  /** The business account, by the entry's id. */
  waba: string | null;
  phone_number_id: string | null;
  /** The channel's own time in ISO 8601; null when there is none that can be used. */
  at: string | null;
}

/** A person as the channel names them. A phone may be hidden; then there is a user id. */
export interface Person {
  /** `+` and digits. */
  phone: string | null;
  /** The business-scoped user id. */
  user_id: string | null;
  name: string | null;
  username: string | null;
}

/** What became of a message that was sent. */
export interface Status {
  kind: "status";
  id: string;
  /** sent, delivered, read or failed; any other is kept as it came. */
  status: string;
  /** The send that the message carries; null when it carries none of ours. */
  mark: { send_id: string; attempt: number } | null;
  recipient_user_id: string | null;
  failure: Failure | null;
  price: { category: string | null; type: string | null } | null;
}

export interface Failure {
  /** The code of an error of this platform. */
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

/** A message of a person. */
export interface Message {
  kind: "message";
  id: string;
  type: MessageType;
  content: string;
  /** What the message has beside what is named here, such as `{ "button": { … } }`. */
  payload: CleanObject | null;
  media: Media | null;
  person: Person;
  /** The message that it answers. */
  answers: string | null;
  /** The whole message is a word that stops messages, or starts them again. */
  word: "stop" | "start" | null;
  /** It is the sender's own card, which a request for the phone brought. */
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
  /** When the channel deletes it. */
  expires_at: string | null;
}

export interface Reaction {
  kind: "reaction";
  id: string;
  target: string;
  /** Null: the reaction is taken back. */
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

/** A notice of the channel within a conversation, such as that of a new phone. */
export interface SystemNotice {
  kind: "system";
  id: string;
  content: string;
  payload: CleanObject | null;
  person: Person;
  change: PersonChange;
}

/** The person of the item has a new phone or a new user id. */
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

/** Something about a template has changed. */
export interface TemplateHint {
  kind: "template";
  event: "status" | "quality" | "category" | "components";
  name: string;
  /** With an underscore, as the catalogue has it. */
  language: string | null;
  value: CleanObject;
}

/** Something about the business account or one of its numbers. */
export interface AccountNotice {
  kind: "account";
  /** In the channel's words, such as ACCOUNT_RESTRICTION. */
  event: string;
  value: CleanObject;
  stops_sending: boolean;
  /** When a restriction ends. */
  until: string | null;
}

/** Trouble of a number, which is about no message. */
export interface Trouble {
  kind: "trouble";
  errors: ChannelTrouble[];
}

export type ChannelTrouble = Omit<Failure, "reason">;

/** What is not known, or is malformed: it is kept, and nothing comes of it. */
export interface Unknown {
  kind: "unknown";
  /** The field of the change; of a malformed part with the list that it stands in, such as `messages.statuses`. */
  field: string;
}
