import * as z from "zod/mini";
import type { ChannelConfig } from "./channel_config.ts";
import { ChannelTrouble, readList } from "./channel_list.ts";
import { askChannel, type ChannelReply, type GraphError } from "./graph.ts";
import { harmlessText } from "./harmless_json.ts";

/** What the channel says about an account that is to be connected. */
export interface AccountCheck {
  /** `refused`: the channel clearly refuses the account. `unclear`: any other answer or failure. */
  verdict: "fits" | "refused" | "unclear";
  /** A sentence for the operator. It never contains the token. */
  sentence: string;
  displayPhone?: string;
  verifiedName?: string;
  /** The business account that has the phone number, if the channel has named it. */
  businessAccountId?: string;
}

/** An account as the operator gives it. */
interface Account {
  token: string;
  phoneNumberId: string;
  businessAccountId?: string;
}

/** If the token gives access to more business accounts, only this many of them are examined. */
const MAX_BUSINESS_ACCOUNTS = 20;
const MAX_NUMBERS = 10_000;

// Only these members are read. Any of them may be missing or have any shape.
const Shown = z.catch(
  z.optional(z.pipe(
    z.string(),
    z.transform((text) => harmlessText(text).slice(0, 100).toWellFormed()),
  )),
  undefined,
);
const PhoneNumber = z.object({ display_phone_number: Shown, verified_name: Shown });
const TokenScopes = z.object({
  data: z.object({
    granular_scopes: z.array(
      z.catch(
        z.nullable(z.object({
          scope: z.string(),
          target_ids: z.array(z.catch(z.nullable(z.string().check(z.regex(/^\d{1,32}$/))), null)),
        })),
        null,
      ),
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
      sentence:
        `The channel could not be asked about phone number ${phoneNumberId} (${reply.cause})`,
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

/** Whether the error says that the token does not have a permission. */
function isPermission({ code }: GraphError): boolean {
  return [0, 3, 10].includes(code) || code >= 200 && code < 300;
}

/** Whether the object does not exist, is hidden from the token, or is of another kind. */
function isUnknownObject({ code, subcode, message }: GraphError): boolean {
  return code === 100 &&
    (subcode === 33 || /does not exist|nonexist(ing|ent) field/i.test(message));
}

/** Whether the given business account has the number. */
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

/** Finds the business account that has the number, among those that the token can use. */
async function businessAccountOf(
  channel: ChannelConfig,
  { token, phoneNumberId }: Account,
): Promise<AccountCheck> {
  for (const id of await businessAccountsOf(channel, token)) {
    try {
      const numbers = await phoneNumbersOf(channel, token, id);
      if (numbers.has(phoneNumberId)) return fits(phoneNumberId, id);
    } catch {
      // If this business account cannot be read, the number may be in the next one.
    }
  }
  return {
    verdict: "fits",
    sentence:
      `The access token can use phone number ${phoneNumberId}, but the channel does not name ` +
      "its business account, which has the templates; give it with --business-account-id",
  };
}

/** The business accounts that the token can use. Empty if the channel does not name them. */
async function businessAccountsOf(channel: ChannelConfig, token: string): Promise<string[]> {
  const reply = await askChannel(channel, token, {
    path: "debug_token",
    query: { input_token: token },
  });
  const scopes = reply.kind === "answered"
    ? TokenScopes.safeParse(reply.body).data?.data.granular_scopes ?? []
    : [];
  // The first permission is the one that reads the numbers. The second often covers the same
  // business accounts.
  const ids = ["whatsapp_business_management", "whatsapp_business_messaging"].flatMap((name) =>
    scopes.flatMap((scope) => scope?.scope === name ? scope.target_ids : [])
  );
  return [...new Set(ids.filter((id) => id !== null))].slice(0, MAX_BUSINESS_ACCOUNTS);
}

/** @throws ChannelTrouble when the list cannot be read completely. */
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
