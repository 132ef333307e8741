import * as z from "zod";
import type { ChannelConfig } from "./channel_config.ts";
import { ChannelTrouble, readList } from "./channel_list.ts";
import { askChannel, type ChannelReply, type GraphError } from "./graph.ts";
import { harmlessText } from "./harmless_json.ts";

/** What the channel says of an account that is to be connected. */
export interface AccountCheck {
  /** `refused` is the channel's clear no. `unclear` is anything that says neither yes nor no. */
  verdict: "fits" | "refused" | "unclear";
  /** For the operator. It quotes no token. */
  sentence: string;
  displayPhone?: string;
  verifiedName?: string;
  /** The business account that has the phone number, when the channel has said so. */
  businessAccountId?: string;
}

/** An account as the operator gives it. */
interface Account {
  token: string;
  phoneNumberId: string;
  businessAccountId?: string;
}

/** More business accounts of a token are not asked for the phone number. */
const MAX_BUSINESS_ACCOUNTS = 20;
const MAX_NUMBERS = 10_000;

// Only these members are read, and any of them may be missing or have any shape.
const Shown = z.string().transform((text) => harmlessText(text).slice(0, 100).toWellFormed())
  .optional().catch(undefined);
const PhoneNumber = z.object({ display_phone_number: Shown, verified_name: Shown });
const TokenScopes = z.object({
  data: z.object({
    granular_scopes: z.array(
      z.object({
        scope: z.string(),
        target_ids: z.array(z.string().regex(/^\d{1,32}$/).nullable().catch(null)),
      }).nullable().catch(null),
    ),
  }),
});

/**
 * Asks the channel whether an access token can use a phone number, and which business account has the number.
 * Never throws.
 */
export async function checkAccount(
  channel: ChannelConfig,
  account: Account,
): Promise<AccountCheck> {
  const { token, phoneNumberId, businessAccountId } = account;
  const reply = await askChannel(channel, token, {
    path: encodeURIComponent(phoneNumberId),
    query: { fields: "id,display_phone_number,verified_name,quality_rating" },
  });
  if (reply.kind !== "answered") return numberNotRead(reply, phoneNumberId);
  const number = PhoneNumber.safeParse(reply.body).data;
  const hasNumber = (reply.body as { id?: unknown } | null)?.id === phoneNumberId;
  if (!number || !hasNumber) {
    return {
      verdict: "unclear",
      sentence: `The channel answered without the phone number ${phoneNumberId}`,
    };
  }
  const names = { displayPhone: number.display_phone_number, verifiedName: number.verified_name };
  const found = businessAccountId
    ? await inBusinessAccount(channel, account, businessAccountId)
    : await businessAccountOf(channel, account);
  return { ...found, ...names };
}

function numberNotRead(
  reply: Exclude<ChannelReply, { kind: "answered" }>,
  phoneNumberId: string,
): AccountCheck {
  if (reply.kind === "unavailable") {
    return {
      verdict: "unclear",
      sentence: `The channel could not be asked for phone number ${phoneNumberId} (${reply.cause})`,
    };
  }
  const { channel } = reply;
  const said = `(${channel.code}: ${channel.message})`;
  if (channel.code === 190) {
    return {
      verdict: "refused",
      sentence: `The channel refuses the access token: it is invalid or has expired ${said}`,
    };
  }
  if (isPermission(channel)) {
    return {
      verdict: "refused",
      sentence: `The access token may not use phone number ${phoneNumberId} ${said}`,
    };
  }
  if (isUnknownObject(channel)) {
    return {
      verdict: "refused",
      sentence:
        `The channel has no phone number ${phoneNumberId} that this access token may use; ` +
        `the id of a phone number is neither the phone nor the id of the business account ${said}`,
    };
  }
  return {
    verdict: "unclear",
    sentence: `The channel did not answer for phone number ${phoneNumberId} ${said}`,
  };
}

/** The codes of a token without a permission. */
function isPermission({ code }: GraphError): boolean {
  return [0, 3, 10].includes(code) || code >= 200 && code < 300;
}

/** There is no such object, it is hidden from the token, or it is of another kind. */
function isUnknownObject({ code, subcode, message }: GraphError): boolean {
  return code === 100 &&
    (subcode === 33 || /does not exist|nonexist(ing|ent) field/i.test(message));
}

/** Whether the business account that the operator gives has the number. */
async function inBusinessAccount(
  channel: ChannelConfig,
  { token, phoneNumberId }: Account,
  businessAccountId: string,
): Promise<AccountCheck> {
  try {
    const numbers = await phoneNumbersOf(channel, token, businessAccountId);
    return numbers.has(phoneNumberId) ? fits(phoneNumberId, businessAccountId) : {
      verdict: "refused",
      sentence: `The phone number ${phoneNumberId} is not one of business account ` +
        businessAccountId,
    };
  } catch (error) {
    const { message, reply } = error as ChannelTrouble;
    if (reply?.kind !== "refused") return { verdict: "unclear", sentence: message };
    if (reply.channel.code === 190) return { verdict: "refused", sentence: message };
    return {
      verdict: "unclear",
      sentence: isPermission(reply.channel) || isUnknownObject(reply.channel)
        ? `The access token cannot read business account ${businessAccountId}, so its templates stay ` +
          "unknown: the id is wrong, or the token lacks the permission whatsapp_business_management " +
          `(${reply.channel.code}: ${reply.channel.message})`
        : message,
    };
  }
}

function fits(phoneNumberId: string, businessAccountId: string): AccountCheck {
  return {
    verdict: "fits",
    sentence: `The access token can use phone number ${phoneNumberId} of business account ` +
      businessAccountId,
    businessAccountId,
  };
}

/** The business account of the number, among those that the token was given for. */
async function businessAccountOf(
  channel: ChannelConfig,
  { token, phoneNumberId }: Account,
): Promise<AccountCheck> {
  for (const id of await businessAccountsOf(channel, token)) {
    try {
      const numbers = await phoneNumbersOf(channel, token, id);
      if (numbers.has(phoneNumberId)) return fits(phoneNumberId, id);
    } catch {
      // The number may be in the next one.
    }
  }
  return {
    verdict: "fits",
    sentence:
      `The access token can use phone number ${phoneNumberId}, but the channel does not tell ` +
      "its business account; the catalogue of templates needs it, so give it with --business-account-id",
  };
}

/** The business accounts that the token was given for; none when the channel does not tell. */
async function businessAccountsOf(channel: ChannelConfig, token: string): Promise<string[]> {
  const reply = await askChannel(channel, token, {
    path: "debug_token",
    query: { input_token: token },
  });
  const scopes = reply.kind === "answered"
    ? TokenScopes.safeParse(reply.body).data?.data.granular_scopes ?? []
    : [];
  // Only the first permission reads the numbers. The second is often given for the same business accounts.
  const ids = ["whatsapp_business_management", "whatsapp_business_messaging"].flatMap((name) =>
    scopes.flatMap((scope) => scope?.scope === name ? scope.target_ids : [])
  );
  return [...new Set(ids.filter((id) => id !== null))].slice(0, MAX_BUSINESS_ACCOUNTS);
}

/** @throws ChannelTrouble when the list could not be read to its end. */
async function phoneNumbersOf(
  channel: ChannelConfig,
  token: string,
  businessAccountId: string,
): Promise<Set<unknown>> {
  const numbers = await readList(channel, token, {
    path: `${encodeURIComponent(businessAccountId)}/phone_numbers`,
    query: { fields: "id" },
    what: `the phone numbers of business account ${businessAccountId}`,
    maxItems: MAX_NUMBERS,
    read: (number) => (number as { id?: unknown } | null)?.id,
  });
  return new Set(numbers);
}
