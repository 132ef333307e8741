// Tests which texts are exactly one emoji.
import assert from "node:assert/strict";
import { Emoji } from "../../supabase/functions/whatsapp/replies/emoji.ts";

const isEmoji = (text: string) => Emoji.safeParse(text).success;

Deno.test("exactly one emoji is accepted, in every form that a keyboard writes", () => {
  const emoji = [
    ...["👍", "😀", "❤️", "❤", "👍🏽", "☝🏿", "✌️", "🇧🇷", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "#️⃣", "🏳️‍🌈", "👩‍💻", "🧑🏽‍🚀"],
    ...["👨‍👩‍👧‍👦", "👩🏻‍❤️‍💋‍👩🏿", "🐦‍🔥", "🙂‍↔️", "©️"],
  ];
  assert.deepEqual(emoji.filter((text) => !isEmoji(text)), []);
});

Deno.test("any other text is refused", () => {
  const texts = [
    ...[
      "",
      " ",
      "a",
      "1",
      "#",
      "ok",
      "👍👍",
      "👍 ",
      " 👍",
      "👍a",
      "❤️👍",
      "🇧🇷🇵🇹",
      "🇧",
      "\u200D",
      "\uFE0F",
    ],
    ...["👍\u0301", "👍\u200D", "é", "あ", ":)", "\uD83D", "👍\0", "\u{1F3FD}".repeat(2), "👍🏽🏽"],
    ...["👩" + "\u200D👩".repeat(10), "👍".repeat(1000), "\u200D".repeat(100_000)],
  ];
  assert.deepEqual(texts.filter(isEmoji), []);
});
