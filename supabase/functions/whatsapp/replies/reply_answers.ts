import * as z from "zod/mini";
import { ApiError } from "../../_shared/errors.ts";
import { DoNotContact, DryRun, Repeat, Sent } from "../../_shared/sending/send_answers.ts";

// The answers to a free reply.

/** Every answer with the status 200: the same as for a template send. */
export const ReplyAnswer = z.union([Sent, Repeat, DoNotContact, DryRun]).register(
  z.globalRegistry,
  { id: "ReplyAnswer" },
);
export type ReplyAnswer = z.output<typeof ReplyAnswer>;

/** The error of a reply to a conversation that the company does not have. */
export function noConversation(): ApiError {
  return new ApiError("not_found", "Conversation not found");
}

/**
 * The error of a reply to a closed conversation. @param existingId the contact's conversation that
 * is not closed, if there is one.
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
 * The error of a reply in the conversation of an archived contact. If the person answered the
 * reply, the answer would belong to another contact.
 */
export function archivedContact(): ApiError {
  return new ApiError(
    "conflict",
    "The contact of the conversation is archived; restore it, then reply",
  );
}

/** The error of a reply in a conversation whose account is disconnected. */
export function noAccount(): ApiError {
  return new ApiError(
    "account_not_connected",
    "The messaging account of the conversation is not connected; ask the operator to connect it again, then reply",
  );
}

/**
 * The error of a reply outside the window.
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
