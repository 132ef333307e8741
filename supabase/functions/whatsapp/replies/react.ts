import * as z from "zod/mini";
import { REACTION_MARK } from "../../_shared/channel/message_call.ts";
import { urgent } from "../../_shared/database/company_db.ts";
import { rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import { Id } from "../../_shared/http/fields.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import type { Origin } from "../../_shared/log.ts";
import { outcomeOfCall } from "../../_shared/sending/call.ts";
import type { Access } from "../../_shared/sending/claim.ts";
import { notedRefusal } from "../../_shared/sending/refusal.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { failedSend } from "../../_shared/sending/send_errors.ts";
import { Emoji } from "./emoji.ts";
import { type Person, recipientOf } from "./recipient.ts";
import { noAccount, windowClosed } from "./reply_answers.ts";

/** The body of a request that reacts to a message. */
export const ReactionRequest = z.strictObject({ emoji: Emoji }).register(
  z.globalRegistry,
  { id: "ReactionRequest" },
);

/** A message with a reaction of the company. */
export const ReactedMessage = z.object({
  id: Id,
  own_reaction: z.object({ emoji: z.string(), at: z.iso.datetime({ offset: true }) }),
}).register(z.globalRegistry, { id: "ReactedMessage" });

type OwnReaction = z.output<typeof ReactedMessage>["own_reaction"];

/** The company's reaction to a message. Without an emoji, the reaction is removed. */
export interface Reaction {
  id: string;
  emoji?: string;
}

/** The result of `message_to_react()`. */
type ToReact =
  & { company_id: string }
  & (
    | ({ result: "ready"; whatsapp_message_id: string } & Access & Person)
    | { result: "not_found" | "no_account" | keyof typeof CONFLICTS }
    | { result: "window_closed"; expires_at: string | null }
  );

/** Why the company cannot react to a message, or cannot remove its reaction. */
const CONFLICTS = {
  not_on_channel: "The messaging channel does not have the message, so no one can react to it",
  revoked: "The person deleted the message for everyone, so no one can react to it",
  too_old: "The message is older than 30 days, so the messaging channel accepts no reaction to it",
  archived: "The contact of the message is archived; restore it, then react",
  do_not_contact:
    "The person must not be contacted, and has not written since do_not_contact was set or since " +
    "their newest stop word",
};

/**
 * Puts the company's reaction on a message, in place of an earlier reaction. Without an emoji,
 * removes the reaction. A repeat does no harm.
 *
 * @returns the stored reaction; null when there is none.
 * @throws ApiError for every error that the operation declares.
 */
export async function react(
  caller: Caller,
  config: SendingConfig,
  { id, emoji }: Reaction,
  origin: Origin,
): Promise<OwnReaction | null> {
  const found = rows(
    await caller.db.rpc("message_to_react", { message_id: id, emoji }),
  ) as unknown as ToReact; // the jsonb from message_to_react()
  caller.wasJudged(found.company_id);
  switch (found.result) {
    case "ready":
      break;
    case "not_found":
      throw new ApiError("not_found", "Message not found");
    case "no_account":
      throw noAccount();
    case "window_closed":
      throw windowClosed(found.expires_at);
    default:
      throw new ApiError("conflict", CONFLICTS[found.result]);
  }
  const message_id = found.whatsapp_message_id;
  const message = { type: "reaction", reaction: { message_id, emoji: emoji ?? "" } };
  const content = { ...recipientOf(found), ...message };
  const outcome = await outcomeOfCall(config, found, origin, content, REACTION_MARK);
  if (outcome.kind === "not_taken" && outcome.error === "channel_account_error") {
    const refusal = { code: outcome.channel?.code, stopsSend: false };
    throw await notedRefusal(caller.db, found, refusal, origin);
  }
  if (outcome.kind !== "accepted") {
    throw failedSend(outcome, {
      send: found,
      rejected: "The messaging channel rejected the reaction; the field channel has the reason",
      ifUnknown: "Repeat the request: a repeat does no harm",
    });
  }
  // The channel has the reaction, so it must be stored even if the company's queue is full.
  const statement = caller.db.rpc("note_own_reaction", {
    message_id: id,
    whatsapp_message_id: outcome.whatsappMessageId,
    emoji,
  });
  return rows(await urgent(statement)) as OwnReaction | null; // the jsonb from note_own_reaction()
}

/** The error for a reaction that the channel accepted, and then did not deliver. */
export function notDelivered(): ApiError {
  return new ApiError(
    "conflict",
    "The messaging channel did not deliver the reaction: it does not know the message any more",
  );
}
