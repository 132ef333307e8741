import type { Texts } from "./en.ts";
import { accounts } from "./es/accounts.ts";
import { activity } from "./es/activity.ts";
import { frame } from "./es/frame.ts";
import { history } from "./es/history.ts";
import { keys } from "./es/keys.ts";
import { signIn } from "./es/sign_in.ts";

/** Everything that the page says, in Spanish. */
export const es: Texts = { ...frame, ...signIn, ...keys, activity, accounts, history };
