import type { Texts } from "../texts.ts";
import { accounts } from "./pt/accounts.ts";
import { activity } from "./pt/activity.ts";
import { history } from "./pt/history.ts";
import { en } from "./en.ts";

/** Everything that the page says. */
export const pt: Texts = { ...en, activity, accounts, history };
