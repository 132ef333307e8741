/**
 * The number of runs of a test with random input: all in `npm run test:all`, and about a tenth in
 * `npm test`.
 */
export function runs(all: number): number {
  return Deno.env.get("LONG_RUNS") ? all : Math.ceil(all / 10);
}
