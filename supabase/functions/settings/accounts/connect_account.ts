import * as z from "zod/mini";
import {
  type AccountCheck,
  checkAccount,
  type CheckReason,
} from "../../_shared/channel/account_check.ts";
import { sealToken } from "../../_shared/credentials/credentials.ts";
import { ApiError } from "../../_shared/errors.ts";
import { FairShare } from "../../_shared/fair_share.ts";
import { Id } from "../../_shared/http/fields.ts";
import { reply } from "../../_shared/http/operation.ts";
import { inTime } from "../../_shared/in_time.ts";
import { logPersonEvent } from "../person_event.ts";
import { CompanyId } from "../company_id.ts";
import { answeredOnBehalf } from "../person.ts";
import { personOperation } from "../person_operation.ts";
import type { SettingsConfig } from "../settings_config.ts";

const ChannelId = z.string().check(
  z.trim(),
  z.regex(/^\d{1,32}$/, "must be digits, as Meta shows the id"),
);

/** The token is sent in a header, which allows only these characters. */
const AccessToken = z.string().check(
  z.trim(),
  z.regex(
    /^[\x21-\x7e]{1,4096}$/,
    "must be an access token: at most 4096 ASCII characters without spaces or line breaks",
  ),
);

const Connection = z.strictObject({
  company_id: CompanyId,
  phone_number_id: ChannelId,
  access_token: AccessToken,
  business_account_id: z.optional(ChannelId),
  /**
   * The app whose events are accepted for the account. By default, the account keeps its app. A new
   * account gets the app that `app.usual_channel_app()` returns.
   */
  channel_app_id: z.optional(Id),
});

/** The account, without its token. */
const Connected = z.object({
  id: Id,
  display_phone: z.string(),
  phone_number_id: z.string(),
  business_account_id: z.nullable(z.string()),
  was_known: z.boolean(),
});

/**
 * Connects a phone number of the channel, or connects it again with another token. The channel must
 * confirm the token and the number first. The token is then sealed for this account, and stored. No
 * response and no log line contains any part of the token.
 */
export function connectAccount(config: SettingsConfig) {
  const checks = new FairShare(config.checkShare);
  return personOperation({
    id: "connectAccount",
    method: "POST",
    path: "/accounts",
    scope: null,
    body: Connection,
    answers: () => ({ 200: z.object({ data: Connected }) }),
  }, async ({ person, body, origin }) => {
    const { company_id, phone_number_id, access_token: token, channel_app_id } = body;
    // The channel is asked only after the database has confirmed that the user may connect an
    // account.
    const manager = await person.managing(company_id);
    const check = await checks.run(
      company_id,
      () => checkInTime(config, token, phone_number_id, body.business_account_id),
    );
    const display_phone = confirmedPhone(check, phone_number_id);
    const data = answeredOnBehalf(
      await manager.db.rpc("connect_messaging_account", {
        company_id,
        phone_number_id,
        display_phone,
        encrypted_token: await sealToken(
          token,
          { company_id, phone_number_id },
          config.credentialsKeys[0],
        ),
        business_account_id: check.businessAccountId,
        channel_app_id,
        token_expires_at: check.tokenExpiresAt,
        quality_rating: check.qualityRating,
      }),
    ) as unknown as z.infer<typeof Connected>; // the jsonb from connect_messaging_account()
    logPersonEvent(origin, "account_connected", {
      company_id,
      account_id: data.id,
      user_id: manager.id,
    });
    return reply(200, { data });
  });
}

/** Asks the channel about the account. A channel that responds too late counts as unavailable. */
async function checkInTime(
  { whatsapp, checkMs }: SettingsConfig,
  token: string,
  phoneNumberId: string,
  businessAccountId: string | undefined,
): Promise<AccountCheck> {
  const checking = checkAccount(whatsapp, { token, phoneNumberId, businessAccountId });
  return await inTime(checking, AbortSignal.timeout(checkMs), () => new ChannelTooSlow())
    .catch((error) => {
      if (!(error instanceof ChannelTooSlow)) throw error;
      return unavailable("The channel did not answer in time");
    });
}

class ChannelTooSlow extends Error {}

function unavailable(sentence: string): AccountCheck {
  return { verdict: "unclear", reason: "channel_unavailable", sentence };
}

/**
 * Returns the phone number, in the form +5511987654321.
 *
 * @throws ApiError channel_unavailable when the channel cannot be asked; account_refused, with the
 *   reason, when the channel does not clearly confirm the account. In both cases, nothing is
 *   stored.
 */
function confirmedPhone(
  { reason, sentence, displayPhone }: AccountCheck,
  numberId: string,
): string {
  if (reason === "channel_unavailable") {
    throw new ApiError("channel_unavailable", `${sentence}. Nothing was stored; try again later`, {
      body: { outcome: "not_sent" },
    });
  }
  if (reason) throw accountRefused(reason, sentence);
  const phone = `+${(displayPhone ?? "").replace(/\D/g, "")}`;
  if (/^\+[1-9]\d{6,14}$/.test(phone)) return phone;
  throw accountRefused(
    "refused_otherwise",
    `The channel shows no phone for the number ${numberId}`,
  );
}

function accountRefused(reason: CheckReason, sentence: string): ApiError {
  return new ApiError("account_refused", `${sentence}. Nothing was stored`, { body: { reason } });
}
