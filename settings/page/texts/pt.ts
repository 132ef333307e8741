import type { Texts } from "../texts.ts";
import { en } from "./en.ts";

/** Everything that the page says. */
export const pt: Texts = { ...en };
