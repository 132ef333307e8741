import type { UsualTexts } from "./en.ts";
import { frame } from "./pt/frame.ts";
import { keys } from "./pt/keys.ts";
import { signIn } from "./pt/sign_in.ts";

/** The texts of the first view and of the frame around every view, in Brazilian Portuguese. */
export const pt: UsualTexts = { ...frame, ...signIn, ...keys };
