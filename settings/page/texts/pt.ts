import type { UsualTexts } from "./en.ts";
import { frame } from "./pt/frame.ts";
import { keys } from "./pt/keys.ts";
import { signIn } from "./pt/sign_in.ts";

/** The texts of the first view and of what is around every view, in Portuguese as in Brazil. */
export const pt: UsualTexts = { ...frame, ...signIn, ...keys };
