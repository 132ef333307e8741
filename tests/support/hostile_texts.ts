// Strings on which inefficient patterns and loops take a very long time. Each string consists of a
// repeated piece and an end that does not match.

/** The parts of a hostile string: a beginning, a repeated piece and an end. */
export interface HostileKind {
  begin: string;
  piece: string;
  end: string;
}

/** A hostile string of this kind with about this many characters. */
export function hostileText({ begin, piece, end }: HostileKind, length: number): string {
  return begin + piece.repeat(Math.ceil(length / piece.length)) + end;
}

/**
 * The length of a test string. A function that reads the string in linear time needs much less than
 * LITTLE_MS. A function with quadratic time needs much more.
 */
const LENGTH = 16 * 1024;
const LITTLE_MS = 2;
/**
 * If a function seems too slow, the test repeats the measurement for this long, because other work
 * on the machine may be the cause.
 */
const ENOUGH_MS = 2_000;
const DOUBLINGS = 3;
/**
 * When the string is twice as long, linear time doubles, and quadratic time becomes four times as
 * long. The limit of three for each doubling is between the two.
 */
const MOST_GROWTH = 3 ** DOUBLINGS;

/**
 * Whether the time for reading a kind of string grows faster than the string's length. A time below
 * LITTLE_MS is always fast enough.
 */
export function growsTooFast(kind: HostileKind, read: (text: string) => unknown): boolean {
  const [short, long] = [LENGTH / 2 ** DOUBLINGS, LENGTH].map((length) =>
    hostileText(kind, length)
  );
  let [shortest, longest] = [Infinity, Infinity];
  // Uses the shortest of several measurements, because other work on the machine adds time.
  const until = performance.now() + ENOUGH_MS;
  for (let run = 0; run < 3 || performance.now() < until; run++) {
    longest = Math.min(longest, timeOf(() => read(long)));
    if (longest < LITTLE_MS) return false;
    shortest = Math.min(shortest, timeOf(() => read(short)));
    if (longest <= MOST_GROWTH * shortest) return false;
  }
  return true;
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const CANDIDATES = [..." \t\na0Z-_.é\u0301\u200c\u0000😀"];
const ATOM =
  /\\[pP]\{\w+\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!])|\{(\d+)(,\d*)?\}|[^]/giu;

/**
 * Kinds of strings that are hostile to a regular expression. Each kind repeats one part of a string
 * that the expression matches.
 *
 * @param withMatch whether to add kinds that end with a match.
 */
export function kindsAgainst(
  { source, flags }: RegExp,
  samples = 4,
  withMatch = false,
): HostileKind[] {
  const kinds = new Map<string, HostileKind>();
  for (let seed = 1; seed <= samples; seed++) {
    const text = matched(source, flags, seed);
    for (let from = 0; from < text.length; from++) {
      for (let to = from + 1; to <= text.length; to++) {
        const [before, piece] = [text.slice(0, from), text.slice(from, to)];
        const ends = ["", "\n\u0000", "a", text.slice(to)];
        for (let most = to; withMatch && most < text.length; most++) {
          ends.push(text.slice(to, most) + text);
        }
        for (const begin of [before, `a${before}`]) {
          for (const end of ends) {
            kinds.set(JSON.stringify([begin, piece, end]), { begin, piece, end });
          }
        }
      }
    }
  }
  return [...kinds.values()];
}

/** A short string that a pattern would match if the pattern had no assertions. */
function matched(source: string, flags: string, seed: number): string {
  const atoms = source.match(ATOM) ?? [];
  const candidates = [...CANDIDATES, ...source];
  let at = 0;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % below;
  };
  const alternatives = (): string => {
    const all = [sequence()];
    while (atoms[at] === "|") {
      at++;
      all.push(sequence());
    }
    return all[random(all.length)];
  };
  const sequence = (): string => {
    let text = "";
    while (at < atoms.length && atoms[at] !== "|" && atoms[at] !== ")") {
      const start = at;
      let piece = one();
      const [from, to] = timesOf(atoms[at]);
      if (to > 1 || from !== to) {
        at++;
        if (atoms[at] === "?") at++; // lazy
        const end = at;
        const times = from + random(Math.min(to - from, 2) + 1);
        if (times === 0) piece = "";
        for (let time = 1; time < Math.min(times, 4); time++) {
          at = start;
          piece += one(); // a different string each time
        }
        at = end;
      }
      text += piece;
    }
    return text;
  };
  const one = (): string => {
    const atom = atoms[at++];
    if (atom === "^" || atom === "$" || atom === "\\b" || atom === "\\B") return "";
    if (atom === "(" || /^\(\?/.test(atom)) {
      const text = alternatives();
      at++; // the closing parenthesis
      return /[=!]/.test(atom) ? "" : text;
    }
    const single = new RegExp(`^${atom}$`, flags.replace(/[gy]/g, ""));
    const fitting = candidates.filter((candidate) => single.test(candidate));
    return fitting.length > 0 ? fitting[random(fitting.length)] : "";
  };
  return alternatives();
}

/** The minimum and the maximum number of repeats that a quantifier allows, such as `{2,3}`. */
function timesOf(quantifier: string | undefined): [number, number] {
  if (quantifier === "*") return [0, Infinity];
  if (quantifier === "+") return [1, Infinity];
  if (quantifier === "?") return [0, 1];
  const [, from, to] = /^\{(\d+)(,\d*)?\}$/.exec(quantifier ?? "") ?? [];
  if (from === undefined) return [1, 1];
  return [Number(from), to === undefined ? Number(from) : Number(to.slice(1) || Infinity)];
}
