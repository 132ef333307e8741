import * as z from "zod/mini";
import { ApiError, invalidRequest } from "../../_shared/errors.ts";
import { DoNotContact, DryRun, Repeat, Sent } from "../../_shared/sending/send_answers.ts";

import type { Unfit } from "./reply_claim.ts";

// The responses to a free reply.

/** Every response with the status 200. A template send has these responses too. */
export const ReplyAnswer = z.union([Sent, Repeat, DoNotContact, DryRun]).register(
  z.globalRegistry,
  { id: "ReplyAnswer" },
);
export type ReplyAnswer = z.output<typeof ReplyAnswer>;

/** The error for a reply to a conversation that the company does not have. */
export function noConversation(): ApiError {
  return new ApiError("not_found", "Conversation not found");
}

/**
 * The error for a reply to a closed conversation.
 *
 * @param existingId the contact's conversation that is not closed, if there is one.
 */
export function closedConversation(existingId: string | null): ApiError {
  return existingId === null
    ? new ApiError("conflict", "The conversation is closed; open it again, then reply")
    : new ApiError(
      "conflict",
      "The conversation is closed; reply in the contact's conversation that is not closed",
      { body: { existing_id: existingId } },
    );
}

/**
 * The error for a reply in the conversation of an archived contact. If the person wrote back, their
 * message would belong to another contact.
 */
export function archivedContact(): ApiError {
  return new ApiError(
    "conflict",
    "The contact of the conversation is archived; restore it, then reply",
  );
}

/** The error for a reply to a person who was erased. */
export function erasedPerson(): ApiError {
  return new ApiError("conflict", "The person was erased, so no one can reply to them");
}

/** The error for a reply when the conversation's account is disconnected. */
export function noAccount(): ApiError {
  return new ApiError(
    "account_not_connected",
    "The messaging account of the conversation is not connected; ask the operator to connect it again, then reply",
  );
}

/**
 * The error for a reply outside the 24-hour window.
 *
 * @param expiresAt when the window closed, or will close within a minute; null when the person has
 *   never written.
 */
export function windowClosed(expiresAt: string | null): ApiError {
  const verb = Date.parse(expiresAt ?? "") > Date.now() ? "closes" : "closed";
  const why = expiresAt === null
    ? "The person has never written on this number"
    : `The window for free replies ${verb} at ${expiresAt}`;
  return new ApiError(
    "window_closed",
    `${why}; only a template can be sent until the person writes`,
    { body: { window_expires_at: expiresAt } },
  );
}

/** The error for a reply with a field that does not match the conversation or the file. */
export function unfit({ field, fault }: Unfit): ApiError {
  return invalidRequest([{ field, message: UNFIT[fault][field] ?? UNFIT[fault].other }]);
}

/** The message about an invalid field, by fault and field. */
const UNFIT: Record<Unfit["fault"], Record<string, string>> = {
  unknown: {
    reply_to_id: "is not a message of this conversation that the messaging channel knows",
    other:
      "is not an upload of the conversation's phone number, or the upload has expired; upload " +
      "the file again",
  },
  not_document: { other: "must be left out: only a document has a file name" },
  not_audio: { other: "must be left out or false: only audio can be a voice note" },
  not_opus: { other: "must be left out or false: a voice note must be Ogg with Opus" },
  caption_of_audio: { other: "must be left out: audio has no caption" },
};
