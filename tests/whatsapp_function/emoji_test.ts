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

Deno.test("an emoji is accepted with and without its variation selectors", () => {
  const unqualified = ["❤‍🔥", "🏳‍🌈", "🤷‍♂", "🤷🏽‍♂", "👁‍🗨", "👁️‍🗨", "1⃣", "👩‍❤‍💋‍👨", "🕵‍♀", "☝"];
  const qualified = ["👍", "👍🏽", "☝🏿", "🇧🇷", "👩‍💻"].map((text) => text + "\uFE0F");
  const emoji = [...unqualified, ...qualified, "☝\uFE0F🏿"];
  assert.deepEqual(emoji.filter((text) => !isEmoji(text)), []);
});

Deno.test("an emoji of a later Unicode version is accepted, and a symbol that is not an emoji is refused", () => {
  // Unicode has reserved this character for an emoji, but has not assigned it yet.
  assert.ok(isEmoji("\u{1FAFF}"));
  assert.deepEqual(["🂡", "★", "☇", "⎈", "🀀", "\u{1F10D}"].filter(isEmoji), []);
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
    ...["\uFE0F👍", "👍\uFE0F\uFE0F", "1\uFE0F", "1\uFE0F\uFE0F⃣", "👩\u200D\uFE0F💻", "👍\uFE0F👍"],
    ...["❤\uFE0F".repeat(50_000), "👍" + "\uFE0F".repeat(100_000)],
    ...["👩" + "\u200D👩".repeat(10), "👍".repeat(1000), "\u200D".repeat(100_000)],
  ];
  assert.deepEqual(texts.filter(isEmoji), []);
});
