import * as z from "zod/mini";

/**
 * One emoji: any that Unicode recommends, or the character of an emoji without the mark for a
 * coloured picture. The second part also has the emoji of later versions of Unicode.
 */
const ONE_EMOJI = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v;

/** Exactly one emoji, as the channel wants it for a reaction. */
export const Emoji = z.string().check(
  z.refine((text) => ONE_EMOJI.test(text), "must be exactly one emoji, such as 👍"),
).register(z.globalRegistry, { format: "emoji" });
