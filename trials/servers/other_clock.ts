// A function whose clock is ahead of the database's clock, or behind it when AHEAD_MS is negative.

const { FUNCTION_ENTRY = "", AHEAD_MS = "0" } = Deno.env.toObject();
const [RealDate, ahead] = [Date, Number(AHEAD_MS)];

globalThis.Date = class extends RealDate {
  // deno-lint-ignore no-explicit-any -- as many parameters as the real Date has
  constructor(...given: [] | any[]) {
    // deno-lint-ignore no-explicit-any
    super(...(given.length === 0 ? [RealDate.now() + ahead] : given) as [any]);
  }

  static override now() {
    return RealDate.now() + ahead;
  }
} as DateConstructor;

export default (await import(FUNCTION_ENTRY)).default;
