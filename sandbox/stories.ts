import type { Reached } from "./events.ts";

/**
 * An event that the sandbox posts after it has accepted a message. Steps are listed in the order of
 * `after`.
 */
export type Step =
  & {
    /** When the event is posted, in milliseconds after the message was accepted. */
    after: number;
  }
  & (
    | {
      status: Reached;
      /**
       * When the event happened, if it is posted late. By default, the event is posted when it
       * happens.
       */
      at?: number;
    }
    | { failed: number; details: string; withoutMark?: true }
    /**
     * The person replies. Only a template gets a reply. If a free message got a reply too, the
     * person and a program that answers every message would write to each other endlessly.
     */
    | { reply: string }
  );

/** What happens to the messages to a recipient. */
export interface Story {
  /** The recipient's description in docs/sandbox.md. */
  does: string;
  steps: Step[];
  /** The story of a free message, if it differs from the story of a template. */
  ofTexts?: Step[];
  /** The business does not see the person's phone number. */
  hidesPhone?: true;
}

/** What happens to a message to a recipient who is not in STORIES. */
export const ORDINARY: Step[] = [
  { after: 50, status: "sent" },
  { after: 500, status: "delivered" },
  { after: 1500, status: "read" },
];

const THANKS = "Olá! Chegou 👍🏽 <3 – 100% obrigada";

/**
 * The recipients with a special story. Messages to all other recipients are sent, delivered and
 * read.
 */
export const STORIES: Record<string, Story> = {
  "+15552000001": {
    does: "never receives the message: WhatsApp reports only `sent`",
    steps: [{ after: 50, status: "sent" }],
  },
  "+15552000002": {
    does: "cannot be reached: after the 200, WhatsApp reports `failed` with 131026",
    steps: [
      { after: 500, failed: 131026, details: "Message Undeliverable.", withoutMark: true },
    ],
  },
  "+15552000003": {
    does: "has received too many marketing messages: `sent`, then `failed` with 131049",
    steps: [
      { after: 50, status: "sent" },
      {
        after: 500,
        failed: 131049,
        details: "In order to maintain a healthy ecosystem engagement, the message failed to " +
          "be delivered.",
      },
    ],
  },
  "+15552000004": {
    does: "has the chat open: WhatsApp reports `read` immediately, and never reports `delivered`",
    steps: [{ after: 50, status: "sent" }, { after: 100, status: "read" }],
  },
  "+15552000005": {
    does: "causes reports in the wrong order: `read`, `delivered`, `sent`, then all of them again",
    steps: [
      { after: 1500, status: "read", at: 1500 },
      { after: 1500, status: "delivered", at: 500 },
      { after: 1500, status: "sent", at: 50 },
      { after: 2000, status: "sent", at: 50 },
      { after: 2000, status: "read", at: 1500 },
      { after: 2000, status: "delivered", at: 500 },
    ],
  },
  "+15552000006": {
    does: "reads a template and replies after 2 s",
    steps: [...ORDINARY, { after: 2000, reply: THANKS }],
  },
  "+15552000007": {
    does: "reads a template and replies `STOP` after 2 s",
    steps: [...ORDINARY, { after: 2000, reply: "STOP" }],
  },
  "+15552000008": {
    does:
      "has a username and hides the phone number. The reports contain only the BSUID, and so does the reply after 2 s",
    steps: [...ORDINARY, { after: 2000, reply: "oi, vi vocês no insta ✨" }],
    hidesPhone: true,
  },
  "+15552000009": {
    does: "has opted out of marketing messages: `sent`, then `failed` with 131050",
    steps: [
      { after: 50, status: "sent" },
      {
        after: 500,
        failed: 131050,
        details: "Unable to deliver the message. This recipient has chosen to stop receiving " +
          "marketing messages on WhatsApp from your business.",
      },
    ],
  },
  "+15552000010": {
    does:
      "reads templates; a free-form reply is accepted, then `failed` with 131047 (window closed)",
    steps: ORDINARY,
    ofTexts: [
      {
        after: 500,
        failed: 131047,
        details: "Message failed to send because more than 24 hours have passed since the " +
          "customer last replied to this number.",
      },
    ],
  },
  "+15552000011": {
    does: "has switched off read receipts: `sent` and `delivered`, and never `read`",
    steps: ORDINARY.slice(0, 2),
  },
};
