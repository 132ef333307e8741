// How texts are compared when people search: accents, case and punctuation aside. The database folds the rows in
// the same way (app.words), so what is folded here is found there.

const COMBINING_MARKS = /[\u0300-\u036f]/g;
// deno-lint-ignore no-control-regex -- control characters separate words as blanks do
const ASCII_PUNCTUATION = /[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/g;

/**
 * A text without accents, in lower case, with one space in place of ASCII punctuation and white space. Letters in
 * other forms of the same letter, such as the ligature `ﬁ`, become the plain ones (NFKD).
 */
export function folded(text: string): string {
  const plain = text.normalize("NFKD").replace(COMBINING_MARKS, "")
    .replace(ASCII_PUNCTUATION, " ");
  // Letter by letter, because JavaScript writes a sigma at the end of a word differently and Postgres does not.
  return Array.from(plain, (letter) => letter.toLowerCase()).join("").replaceAll("ς", "σ");
}

/** The different words of a folded text. */
export function wordsOf(text: string): string[] {
  return [...new Set(folded(text).split(" ").filter((word) => word !== ""))];
}

/** A text has trigrams, by which an index finds it anywhere, from this length on. */
const ANYWHERE_LENGTH = 3;

/**
 * The pattern for `like` that finds a folded text in folded rows: anywhere, or at the beginnings of words when it
 * is shorter than three letters, which no index finds elsewhere. Folded text has no character that `like` minds.
 */
export function patternOf(text: string): string {
  const isShort = [...text].length < ANYWHERE_LENGTH;
  return isShort && !text.startsWith(" ") ? `% ${text}%` : `%${text}%`;
}
