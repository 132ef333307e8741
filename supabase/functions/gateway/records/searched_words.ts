// Folds texts for a search, which ignores accents, case and punctuation. The database function
// `app.words` folds the rows in the same way, so a text that is folded here matches the rows.

const COMBINING_MARKS = /[\u0300-\u036f]/g;
// deno-lint-ignore no-control-regex -- control characters separate words as spaces do
const ASCII_PUNCTUATION = /[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/g;

/**
 * Returns a text without accents, in lower case, with one space in place of ASCII punctuation and
 * white space. Special forms of letters, such as the ligature `ﬁ`, become plain letters (NFKD).
 */
export function folded(text: string): string {
  const plain = text.normalize("NFKD").replace(COMBINING_MARKS, "")
    .replace(ASCII_PUNCTUATION, " ");
  // Each letter is converted to lower case individually. In a whole text, JavaScript converts a
  // sigma at the end of a word differently, but Postgres does not.
  return Array.from(plain, (letter) => letter.toLowerCase()).join("").replaceAll("ς", "σ");
}

/** Folds a text and returns its distinct words. */
export function wordsOf(text: string): string[] {
  return [...new Set(folded(text).split(" ").filter((word) => word !== ""))];
}

/** A text of at least this length has trigrams, so an index can find it anywhere in a row. */
const ANYWHERE_LENGTH = 3;

/**
 * Returns the `like` pattern that finds a folded text in folded rows. The pattern finds a text of
 * at least three letters anywhere. It finds a shorter text only at the beginning of a word, because
 * no index finds a shorter text elsewhere. A folded text contains no special characters of `like`.
 */
export function patternOf(text: string): string {
  const isShort = [...text].length < ANYWHERE_LENGTH;
  return isShort && !text.startsWith(" ") ? `% ${text}%` : `%${text}%`;
}
