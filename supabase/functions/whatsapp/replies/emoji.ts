import * as z from "zod/mini";

/**
 * One emoji: any that Unicode recommends, or the character of an emoji without its variation
 * selector. The second part of the pattern also matches the emoji of later Unicode versions.
 */
const ONE_EMOJI = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v;

/** Exactly one emoji, as the channel requires for a reaction. */
export const Emoji = z.string().check(
  z.refine((text) => ONE_EMOJI.test(text), "must be exactly one emoji, such as 👍"),
).register(z.globalRegistry, { format: "emoji" });
