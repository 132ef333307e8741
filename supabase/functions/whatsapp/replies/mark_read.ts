import * as z from "zod/mini";
import { askChannel } from "../../_shared/channel/graph.ts";
import { isAboutAccount } from "../../_shared/channel/outcome.ts";
import { UnusableToken } from "../../_shared/credentials/account_token.ts";
import { urgent } from "../../_shared/database/company_db.ts";
import { rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import { Id, Timestamp } from "../../_shared/http/fields.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import type { Origin } from "../../_shared/log.ts";
import type { Access } from "../../_shared/sending/claim.ts";
import { withToken } from "../../_shared/sending/readable_token.ts";
import { notedRefusal } from "../../_shared/sending/refusal.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { noAccount } from "./reply_answers.ts";

/** The body of a request that marks a message as read. */
export const ReadRequest = z.strictObject({
  typing: z.optional(z.boolean()),
}).register(z.globalRegistry, { id: "ReadRequest" });

/** A message that is marked as read. */
export const MessageRead = z.object({
  id: Id,
  read_at: Timestamp,
  typing: z.boolean(),
}).register(z.globalRegistry, { id: "MessageRead" });

/** The result of `message_to_read()`. */
type ToRead =
  & { company_id: string }
  & (
    | ({ result: "ready"; whatsapp_message_id: string } & Access)
    | { result: "not_found" | "not_of_person" | "too_old" | "no_account" }
  );

/**
 * Marks a person's message as read. If `typing` is true, the person also sees that someone is
 * typing. A repeat is harmless. The channel also marks all earlier messages as read.
 *
 * @throws ApiError for every error that the operation declares.
 */
export async function markRead(
  caller: Caller,
  config: SendingConfig,
  { id, typing }: { id: string; typing: boolean },
  origin: Origin,
): Promise<z.output<typeof MessageRead>> {
  const found = rows(
    await caller.db.rpc("message_to_read", { message_id: id }),
  ) as unknown as ToRead; // the jsonb from message_to_read()
  caller.wasJudged(found.company_id);
  switch (found.result) {
    case "not_found":
      throw new ApiError("not_found", "Message not found");
    case "not_of_person":
      throw new ApiError("conflict", "Only a message of a person can be marked as read");
    case "too_old":
      throw new ApiError(
        "conflict",
        "The message is older than 30 days, so the messaging channel does not mark it as read",
      );
    case "no_account":
      throw noAccount();
  }
  await tellChannel(caller, config, found, typing, origin);
  // The channel has marked the message as read, so `read_at` must be stored even if the company's
  // queue is full.
  const read_at = rows(await urgent(caller.db.rpc("note_message_read", { message_id: id })));
  return { id, read_at, typing };
}

async function tellChannel(
  { db }: Caller,
  config: SendingConfig,
  access: Access & { whatsapp_message_id: string },
  typing: boolean,
  origin: Origin,
) {
  const { phone_number_id, whatsapp_message_id } = access;
  let told;
  try {
    told = await withToken(config, access, origin, (token) =>
      askChannel(config.whatsapp, token, {
        method: "POST",
        path: `${encodeURIComponent(phone_number_id)}/messages`,
        body: {
          messaging_product: "whatsapp",
          status: "read",
          message_id: whatsapp_message_id,
          ...(typing && { typing_indicator: { type: "text" } }),
        },
      }));
  } catch (error) {
    if (error instanceof UnusableToken) {
      throw await notedRefusal(db, access, { stopsSend: false }, origin);
    }
    throw error;
  }
  if (told.kind === "answered") return;
  if (told.kind === "unavailable") {
    const { retryAfter } = told;
    throw new ApiError(
      "channel_unavailable",
      "The messaging channel is not available, so the message is not marked as read; repeat the request",
      {
        body: { outcome: "not_sent" },
        headers: retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) },
      },
    );
  }
  if (isAboutAccount(told.channel)) {
    throw await notedRefusal(db, access, { code: told.channel.code, stopsSend: false }, origin);
  }
  throw new ApiError(
    "conflict",
    "The messaging channel does not mark the message as read: it does not know the message any more",
  );
}
