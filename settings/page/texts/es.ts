import type { UsualTexts } from "./en.ts";
import { frame } from "./es/frame.ts";
import { keys } from "./es/keys.ts";
import { signIn } from "./es/sign_in.ts";

/** The texts of the first view and of the frame around every view, in Spanish. */
export const es: UsualTexts = { ...frame, ...signIn, ...keys };
