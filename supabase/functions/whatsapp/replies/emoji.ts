import * as z from "zod/mini";

/**
 * One emoji that Unicode recommends. The unassigned characters (`Cn`) in the second part are
 * reserved for the emoji of later Unicode versions.
 */
const ONE_EMOJI = /^(?:\p{RGI_Emoji}|[\p{Extended_Pictographic}&&\p{Cn}])$/v;

/** A character of an emoji with its skin tone. A variation selector may follow each of the two. */
const PART = /(\p{Emoji})\uFE0F?(?:(\p{Emoji_Modifier})\uFE0F?)?/gu;

/**
 * Returns an emoji with exactly the variation selectors (U+FE0F) that Unicode recommends. Some
 * programs leave out these selectors, or add more of them. No other text becomes an emoji.
 */
function qualified(text: string): string {
  return text.replace(PART, (_, character: string, tone = "") => {
    const needsSelector = tone === "" && !/^\p{Emoji_Presentation}$/u.test(character);
    return character + (needsSelector ? "\uFE0F" : tone);
  });
}

/** Exactly one emoji, as the channel requires for a reaction. */
export const Emoji = z.string().check(
  z.refine((text) => ONE_EMOJI.test(qualified(text)), "must be exactly one emoji, such as 👍"),
).register(z.globalRegistry, { format: "emoji" });
