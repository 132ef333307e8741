import type { ChannelConfig } from "./channel_config.ts";

/** What the channel says of an account that is to be connected. */
export interface AccountCheck {
  /** `refused` is the channel's clear no. `unclear` is anything that says neither yes nor no. */
  verdict: "fits" | "refused" | "unclear";
  /** For the operator. */
  sentence: string;
  displayPhone?: string;
  verifiedName?: string;
  businessAccountId?: string;
}

export async function checkAccount(
  _channel: ChannelConfig,
  _account: { token: string; phoneNumberId: string; businessAccountId?: string },
): Promise<AccountCheck> {
  return await Promise.resolve({ verdict: "unclear", sentence: "" });
}
