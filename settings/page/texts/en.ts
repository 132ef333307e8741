import { frame } from "./en/frame.ts";
import { keys } from "./en/keys.ts";
import { signIn } from "./en/sign_in.ts";

/** Everything that the page says, in English. */
export const en = { ...frame, ...signIn, ...keys };
