// Words that a person sends to stop a company's messages, or to start them again. The whole message
// must be the word, so "Pode parar na porta?" stops nothing. CANCELAR is not in the list, because
// people cancel appointments with it.

/** What a person asks for with a word: no messages, no promotions, or messages again. */
export type Word = "stop" | "stop_promotions" | "start";

const STOP_WORDS = ["stop", "unsubscribe", "parar", "sair", "descadastrar", "baja"];
// The labels that the channel puts on the button of a marketing template, in the languages of the
// companies and their contacts. These labels mention promotions, so they stop only promotions.
const PROMOTION_WORDS = [
  "stop promotions",
  "parar promocoes",
  "interromper promocoes",
  "parar as promocoes",
  "interromper as promocoes",
  "detener promociones",
  "parar promociones",
  "detener las promociones",
  "parar las promociones",
  "arreter les promotions",
  "arreter les promos",
  "interrompi promozioni",
  "interrompi le promozioni",
  "stop alle promozioni",
  "werbeaktionen beenden",
  "werbeaktionen stoppen",
  "werbung beenden",
  "werbung stoppen",
];
const START_WORDS = ["start", "voltar", "alta"];

const WORDS = new Map<string, Word>([
  ...STOP_WORDS.map((word): [string, Word] => [word, "stop"]),
  ...PROMOTION_WORDS.map((word): [string, Word] => [word, "stop_promotions"]),
  ...START_WORDS.map((word): [string, Word] => [word, "start"]),
]);

/**
 * Each word is shorter than this limit, even with the characters that may surround it.
 */
const MAX_LENGTH = 100;

/**
 * The stop or start word, if the whole message is such a word; otherwise null. The comparison
 * ignores case, accents, and characters around the word that are not letters.
 */
export function wordIn(text: string): Word | null {
  if (text.length > MAX_LENGTH) return null;
  const folded = text.normalize("NFKD").replace(/[\p{M}\p{Cf}]/gu, "").toLowerCase();
  const [word = ""] = /[\p{L}\p{N}](.*[\p{L}\p{N}])?/su.exec(folded) ?? [];
  return WORDS.get(word.replace(/\s+/gu, " ")) ?? null;
}
