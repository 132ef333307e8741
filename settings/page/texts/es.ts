import type { Texts } from "../texts.ts";
import { accounts } from "./es/accounts.ts";
import { activity } from "./es/activity.ts";
import { history } from "./es/history.ts";
import { en } from "./en.ts";

/** Everything that the page says. */
export const es: Texts = { ...en, activity, accounts, history };
