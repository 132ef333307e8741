import type { Pair, Reached, Written } from "../events.ts";
import type { Person } from "../people.ts";
import type { Message } from "../reply_shape.ts";
import { tapsOf } from "./taps.ts";

/** The furthest status that was reported for a message of the service. */
export type Progress = "accepted" | Reached | { failed: number };

interface AnyEntry {
  id: string;
  /** In milliseconds. */
  at: number;
  /** The emoji of each side that reacted. */
  reactions: Map<"person" | "service", string>;
}

/** A message of the service. */
export interface Sent extends AnyEntry {
  by: "service";
  message: Message;
  progress: Progress;
}

/** A message of the person. */
export interface Received extends AnyEntry {
  by: "person";
  content: Written["content"];
  answers?: string;
  /** Whether the service has marked the message as read. */
  isRead: boolean;
}

export type Entry = Sent | Received;

/** The messages between a person and a phone number of the business. */
export interface Conversation {
  phoneNumberId: string;
  person: Person;
  /** Whether the person's phone number is hidden from the business. */
  hidesPhone: boolean;
  /** The messages, in the order in which the sandbox received them. */
  entries: Entry[];
  /** Until when the person sees that the service is typing, in milliseconds. */
  typingUntil: number;
}

/**
 * Only the newest conversations and entries are kept, so that a sandbox that runs for days does not
 * fill the memory.
 */
const MAX_CONVERSATIONS = 500;
const MAX_ENTRIES = 200;

const TYPING_MS = 25_000;
const ORDER: Progress[] = ["accepted", "sent", "delivered", "read"];

/** The newest conversations of a sandbox, in memory. */
export type Conversations = ReturnType<typeof conversations>;

/** @param now the sandbox's clock, in milliseconds. */
export function conversations(now: () => number) {
  const kept = new Map<string, Conversation>();
  const places = new Map<string, { conversation: Conversation; entry: Entry }>();

  const forget = (entries: Entry[]) => entries.forEach(({ id }) => places.delete(id));

  /** Finds or creates a person's conversation with a number. It is then the newest conversation. */
  const touched = ({ phoneNumberId, person, waId }: Pair): Conversation => {
    const key = `${phoneNumberId} ${person.userId}`;
    const known = kept.get(key) ?? { phoneNumberId, entries: [], typingUntil: 0 };
    const hidesPhone = waId === null && person.phone !== null;
    const conversation = Object.assign(known, { person, hidesPhone });
    kept.delete(key);
    kept.set(key, conversation);
    for (const [oldest, { entries }] of kept) {
      if (kept.size <= MAX_CONVERSATIONS) break;
      kept.delete(oldest);
      forget(entries);
    }
    return conversation;
  };

  const add = (conversation: Conversation, entry: Entry) => {
    conversation.entries.push(entry);
    places.set(entry.id, { conversation, entry });
    forget(conversation.entries.splice(0, conversation.entries.length - MAX_ENTRIES));
  };

  /**
   * Adds a reaction to a message, or removes the reaction. Returns false if the message is not
   * known.
   */
  const react = (by: Entry["by"], content: object): boolean => {
    const { message_id, emoji } = (content as { reaction: Record<string, unknown> }).reaction;
    const reactions = places.get(String(message_id))?.entry.reactions;
    if (!reactions) return false;
    if (emoji) reactions.set(by, String(emoji));
    else reactions.delete(by);
    return true;
  };

  return {
    /** Every conversation, the newest first. */
    all: (): Conversation[] => [...kept.values()].reverse(),

    of: (phoneNumberId: string, userId: string): Conversation | undefined =>
      kept.get(`${phoneNumberId} ${userId}`),

    /** Notes a message that the service sent. */
    sent(pair: Pair, id: string, message: Message, at: number) {
      const conversation = touched(pair);
      conversation.typingUntil = 0;
      if (message.type === "reaction" && react("service", message)) return;
      const progress = "accepted";
      add(conversation, { by: "service", id, at, message, progress, reactions: new Map() });
    },

    /** Notes a message that a person wrote. */
    wrote(pair: Pair, { id, content, answers }: Written, at: number) {
      const conversation = touched(pair);
      if (content.type === "reaction" && react("person", content)) return;
      const facts = { id, at, content, answers, isRead: false, reactions: new Map() };
      add(conversation, { by: "person", ...facts });
    },

    /** Notes what happened to a message of the service. Reports may come in any order. */
    reported(id: string, progress: Progress) {
      const entry = places.get(id)?.entry;
      if (entry?.by !== "service" || typeof entry.progress === "object") return;
      const isLater = ORDER.indexOf(progress) > ORDER.indexOf(entry.progress);
      if (isLater || typeof progress === "object") entry.progress = progress;
    },

    /** Notes that the service has read a message, and all earlier messages of the person. */
    read(id: string, isTyping: boolean) {
      const place = places.get(id);
      if (!place) return;
      const { entries } = place.conversation;
      for (const entry of entries.slice(0, entries.indexOf(place.entry) + 1)) {
        if (entry.by === "person") entry.isRead = true;
      }
      if (isTyping) place.conversation.typingUntil = now() + TYPING_MS;
    },

    /**
     * Returns the message that a person sends by tapping a button, a row or a quick reply.
     *
     * @param answers the id of the message with the button. Without this id, the person taps a
     *   button of the newest message with buttons.
     * @returns a sentence that says why this tap is not possible, or the content of the person's
     *   message.
     */
    tap(
      { phoneNumberId, person }: Pick<Pair, "phoneNumberId" | "person">,
      tap: string,
      answers?: string,
    ): string | Pick<Written, "content" | "answers"> {
      const entries = kept.get(`${phoneNumberId} ${person.userId}`)?.entries ?? [];
      const entry = entries.findLast((each): each is Sent =>
        each.by === "service" && (answers ?? each.id) === each.id &&
        tapsOf(each.message).length > 0
      );
      if (!entry) {
        return "tap needs a message with buttons or a list that the number has sent to the person " +
          "since the sandbox started";
      }
      const taps = tapsOf(entry.message);
      const found = taps.find(({ id }) => id === tap);
      if (found) return { content: found.content, answers: entry.id };
      return `tap must be one of ${taps.map(({ id }) => id).join(", ")}`;
    },
  };
}
