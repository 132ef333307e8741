import { frame } from "./en/frame.ts";
import { keys } from "./en/keys.ts";
import { signIn } from "./en/sign_in.ts";

/** The texts of the first view and of the frame around every view, in English. */
export const en = { ...frame, ...signIn, ...keys };

/**
 * The texts that are loaded before the first view. English defines which texts exist, and the other
 * languages have the same texts.
 */
export type UsualTexts = typeof en;
