import { accounts } from "./en/accounts.ts";
import { activity } from "./en/activity.ts";
import { frame } from "./en/frame.ts";
import { history } from "./en/history.ts";
import { keys } from "./en/keys.ts";
import { signIn } from "./en/sign_in.ts";

/** Everything that the page says, in English. */
export const en = { ...frame, ...signIn, ...keys, activity, accounts, history };

/**
 * All texts of the page. English defines which texts exist, and the other languages have the same.
 */
export type Texts = typeof en;
