import * as z from "zod/mini";
import type { ChannelConfig } from "./channel_config.ts";
import { ChannelTrouble, readList } from "./channel_list.ts";
import { askChannel, type ChannelReply } from "./graph.ts";
import { harmlessText } from "./harmless_json.ts";
import { type ChannelError, NO_OBJECT } from "./outcome.ts";

/** Why an account cannot be connected, or can be connected only without its templates. */
export type CheckReason =
  | "token_invalid"
  | "token_expired"
  | "permission_missing"
  | "number_unknown"
  | "number_of_another_account"
  | "business_account_unknown"
  /**
   * The channel refuses the phone number for another reason. `sentence` contains the channel's
   * error code and message.
   */
  | "refused_otherwise"
  | "channel_unavailable";

/** The result of checking an account with the channel before the account is connected. */
export interface AccountCheck {
  /**
   * `refused`: the channel definitely refuses the account. `unclear`: the check gave no definite
   * result.
   */
  verdict: "fits" | "refused" | "unclear";
  /** Missing when every check passes and the business account is known. */
  reason?: CheckReason;
  /** A message for the operator, which never contains the token. */
  sentence: string;
  displayPhone?: string;
  verifiedName?: string;
  /** The channel's quality rating of the phone number, such as GREEN. */
  qualityRating?: string;
  /**
   * When the token expires. Missing when the token never expires or the channel does not report an
   * expiry time.
   */
  tokenExpiresAt?: string;
  /** The business account that owns the phone number, if the channel reports it. */
  businessAccountId?: string;
}

/** The account details that the operator entered. */
interface Account {
  token: string;
  phoneNumberId: string;
  businessAccountId?: string;
}

/** At most this many business accounts of a token are checked. */
const MAX_BUSINESS_ACCOUNTS = 20;
const MAX_NUMBERS = 10_000;

// The schemas list the properties that this code reads. The channel may leave out a property, or
// send it with another type.
const Shown = z.catch(
  z.optional(z.pipe(
    z.string(),
    z.transform((text) => harmlessText(text).slice(0, 100).toWellFormed()),
  )),
  undefined,
);
const PhoneNumber = z.object({
  display_phone_number: Shown,
  verified_name: Shown,
  quality_rating: Shown,
});
const Scopes = z.array(
  z.catch(
    z.nullable(z.object({
      scope: z.string(),
      target_ids: z.array(z.catch(z.nullable(z.string().check(z.regex(/^\d{1,32}$/))), null)),
    })),
    null,
  ),
);
const Token = z.object({
  data: z.object({
    granular_scopes: z.catch(Scopes, []),
    /** A Unix time in seconds; 0 when the token never expires. */
    expires_at: z.catch(z.int().check(z.gte(0), z.lte(4_102_444_800)), 0),
  }),
});

/**
 * Asks the channel whether an access token can use a phone number, and which business account owns
 * the number. Never throws.
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
      reason: "channel_unavailable",
      sentence: `The channel answered without the phone number ${phoneNumberId}`,
    };
  }
  const { businessAccounts, expiresAt } = await tokenFacts(channel, token);
  const found = businessAccountId
    ? await inBusinessAccount(channel, account, businessAccountId)
    : await businessAccountOf(channel, account, businessAccounts);
  return {
    ...found,
    displayPhone: number.display_phone_number,
    verifiedName: number.verified_name,
    ...(number.quality_rating && { qualityRating: number.quality_rating }),
    ...(expiresAt && { tokenExpiresAt: new Date(expiresAt * 1000).toISOString() }),
  };
}

function numberNotRead(
  reply: Exclude<ChannelReply, { kind: "answered" }>,
  phoneNumberId: string,
): AccountCheck {
  if (reply.kind === "unavailable") {
    return {
      verdict: "unclear",
      reason: "channel_unavailable",
      sentence:
        `The channel could not be asked about phone number ${phoneNumberId} (${reply.cause})`,
    };
  }
  const { channel } = reply;
  const said = `(${channel.code}: ${channel.message})`;
  if (channel.code === 190) {
    return {
      verdict: "refused",
      reason: channel.subcode === TOKEN_EXPIRED ? "token_expired" : "token_invalid",
      sentence: `The channel refuses the access token: it is invalid or has expired ${said}`,
    };
  }
  if (isPermission(channel)) {
    return {
      verdict: "refused",
      reason: "permission_missing",
      sentence: `The access token may not use phone number ${phoneNumberId} ${said}`,
    };
  }
  if (isUnknownObject(channel)) {
    return {
      verdict: "refused",
      reason: "number_unknown",
      sentence:
        `The channel has no phone number ${phoneNumberId} that this access token may use; ` +
        `the id of a phone number differs from the number and the business account's id ${said}`,
    };
  }
  return {
    verdict: "unclear",
    reason: "refused_otherwise",
    sentence: `The channel returned an error for phone number ${phoneNumberId} ${said}`,
  };
}

/** The subcode of error 190 when the token has expired. */
const TOKEN_EXPIRED = 463;

/** Whether the error means that the token lacks a permission. */
function isPermission({ code }: ChannelError): boolean {
  return [0, 3, 10].includes(code) || code >= 200 && code < 300;
}

/**
 * Whether the error means that the object does not exist, is not visible to the token, or has
 * another type.
 */
function isUnknownObject({ code, subcode, message }: ChannelError): boolean {
  return code === 100 &&
    (subcode === NO_OBJECT || /does not exist|nonexist(ing|ent) field/i.test(message));
}

/** Checks whether the given business account owns the phone number. */
async function inBusinessAccount(
  channel: ChannelConfig,
  { token, phoneNumberId }: Account,
  businessAccountId: string,
): Promise<AccountCheck> {
  try {
    const numbers = await phoneNumbersOf(channel, token, businessAccountId);
    return numbers.has(phoneNumberId) ? fits(phoneNumberId, businessAccountId) : {
      verdict: "refused",
      reason: "number_of_another_account",
      sentence: `The phone number ${phoneNumberId} does not belong to business account ` +
        businessAccountId,
    };
  } catch (error) {
    const { message, reply } = error as ChannelTrouble;
    if (reply?.kind !== "refused") {
      return { verdict: "unclear", reason: "channel_unavailable", sentence: message };
    }
    if (reply.channel.code === 190) {
      return { verdict: "refused", reason: "token_invalid", sentence: message };
    }
    return {
      verdict: "unclear",
      reason: isPermission(reply.channel) ? "permission_missing" : "business_account_unknown",
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

/**
 * Searches the token's business accounts for the one that owns the phone number.
 */
async function businessAccountOf(
  channel: ChannelConfig,
  { token, phoneNumberId }: Account,
  businessAccounts: string[],
): Promise<AccountCheck> {
  for (const id of businessAccounts) {
    try {
      const numbers = await phoneNumbersOf(channel, token, id);
      if (numbers.has(phoneNumberId)) return fits(phoneNumberId, id);
    } catch {
      // If this business account cannot be read, the next one may still own the number.
    }
  }
  return {
    verdict: "fits",
    reason: "business_account_unknown",
    sentence:
      `The access token can use phone number ${phoneNumberId}, but the channel does not name ` +
      "its business account, which has the templates; give it with --business-account-id",
  };
}

/**
 * The business accounts that the token can use, and the Unix time in seconds when the token
 * expires. If the channel does not report these facts, the list is empty and the time is 0.
 */
async function tokenFacts(
  channel: ChannelConfig,
  token: string,
): Promise<{ businessAccounts: string[]; expiresAt: number }> {
  const reply = await askChannel(channel, token, {
    path: "debug_token",
    query: { input_token: token },
  });
  const told = reply.kind === "answered" ? Token.safeParse(reply.body).data?.data : undefined;
  const { granular_scopes: scopes = [], expires_at: expiresAt = 0 } = told ?? {};
  // The accounts of `whatsapp_business_management` come first, because this permission lets a token
  // read phone numbers. `whatsapp_business_messaging` often names the same business accounts.
  const ids = ["whatsapp_business_management", "whatsapp_business_messaging"].flatMap((name) =>
    scopes.flatMap((scope) => scope?.scope === name ? scope.target_ids : [])
  );
  const businessAccounts = [...new Set(ids.filter((id) => id !== null))];
  return { businessAccounts: businessAccounts.slice(0, MAX_BUSINESS_ACCOUNTS), expiresAt };
}

/** @throws ChannelTrouble when the phone numbers cannot be read completely. */
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
