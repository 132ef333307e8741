import type { Texts } from "./en.ts";
import { accounts } from "./pt/accounts.ts";
import { activity } from "./pt/activity.ts";
import { frame } from "./pt/frame.ts";
import { history } from "./pt/history.ts";
import { keys } from "./pt/keys.ts";
import { signIn } from "./pt/sign_in.ts";

/** Everything that the page says, in Portuguese as it is written in Brazil. */
export const pt: Texts = { ...frame, ...signIn, ...keys, activity, accounts, history };
