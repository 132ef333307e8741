// Words by which a person ends the messages of a company, or has them again. The whole message is the word: "Pode
// parar na porta?" is none. CANCELAR is none either, because people cancel appointments by it.

const STOP_WORDS = [
  "stop",
  "unsubscribe",
  "parar",
  "sair",
  "descadastrar",
  "baja",
  // What the channel itself writes on the button of a marketing template, in the languages of our companies and theirs.
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

const WORDS = new Map<string, "stop" | "start">([
  ...STOP_WORDS.map((word): [string, "stop"] => [word, "stop"]),
  ...START_WORDS.map((word): [string, "start"] => [word, "start"]),
]);

/** Longer than any word with what may stand around it. */
const MAX_LENGTH = 100;

/** What a whole message says as a word. Case, accents, and what is no letter around it, make no difference. */
export function wordIn(text: string): "stop" | "start" | null {
  if (text.length > MAX_LENGTH) return null;
  const folded = text.normalize("NFKD").replace(/[\p{M}\p{Cf}]/gu, "").toLowerCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/\s+/gu, " ");
  return WORDS.get(folded) ?? null;
}
