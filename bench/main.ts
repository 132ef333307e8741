import { Command, InvalidArgumentError, Option } from "commander";
import { functionEnvironment } from "../local/functions/environment.ts";
import { loadSecrets } from "../local/secrets.ts";
import { measureColdStarts } from "./cold_start.ts";
import { floorsOf, startRecordedGateway } from "./floors.ts";
import { startLoadGenerator } from "./load.ts";
import { measureScenarios, type Pace } from "./measure.ts";
import { fillDatabase } from "./measured_company.ts";
import { measurePressure } from "./pressure.ts";
import { describeMachine, markdown, type Report } from "./report.ts";
import { planScenarios, SCENARIO_NAMES, subjectOf } from "./scenarios.ts";
import { startBenchStack } from "./stack.ts";

const program = new Command("npm run bench --")
  .description(
    "Measures the functions on a stack of their own, beside what this machine could do at best.",
  )
  .option("--rows <number>", "contacts in the database, 50000 or 1000000 for comparisons", count)
  .option("--clients <numbers...>", "how many send at once, such as 1 16 64", counts)
  .option("--quick", "under a minute: fewer rows, clients and rounds", false)
  .addOption(new Option("--only <names...>", "some scenarios").choices(SCENARIO_NAMES))
  .option("--rounds <number>", "how often each scenario is measured", count)
  .option("--seconds <number>", "how long each time", seconds)
  .option("--growth <number>", "also measure beside a database with so many contacts", count)
  .option("--pressure", "also 64 clients for 60 s, and a database that goes away", false)
  .option("--json <file>", "write all numbers to a file")
  .option("--compare <file>", "print the ratio to what an earlier --json wrote")
  .addHelpText(
    "after",
    `
Examples:
  npm run bench -- --quick
  npm run bench -- --rows 50000 --json before.json
  npm run bench -- --rows 1000000 --growth 50000 --pressure
  npm run bench -- --clients 16 --rounds 9 --compare before.json
  npm run bench -- --quick --pressure`,
  )
  .showHelpAfterError("Try --help.")
  .parse(["deno", "main.ts", ...Deno.args]);

interface Options extends Partial<Pick<Pace, "clients" | "rounds" | "seconds">> {
  rows?: number;
  quick: boolean;
  only: string[];
  growth?: number;
  pressure: boolean;
  json?: string;
  compare?: string;
}
const { quick, only = SCENARIO_NAMES, ...options } = program.opts<Options>();
const rows = options.rows ?? (quick ? 20_000 : 50_000);
const pace: Pace = {
  clients: options.clients ?? (quick ? [1, 16] : [1, 16, 64]),
  rounds: options.rounds ?? (quick ? 2 : 5),
  seconds: options.seconds ?? (quick ? 0.3 : 2),
  warmUpSeconds: quick ? 0.15 : 1,
};
const COLD_ROUNDS = quick ? 5 : 15;
/** Nothing listens here. */
const NOWHERE = "http://127.0.0.1:9";

const began = performance.now();
const progress = (step: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${step}`);

const asked = Promise.withResolvers<never>();
asked.promise.catch(() => {}); // awaited in the race below
let isAsked = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {
    isAsked = true;
    asked.reject(new Error("ended by a signal"));
  });
}
// An unhandled rejection must not end this process and leave its child processes behind.
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  asked.reject(event.reason);
});

/** Ends all that the run has started, the last part first. Once it is disposed of, nothing can start. */
const resources = new AsyncDisposableStack();
try {
  const earlier: Report | null = options.compare
    ? JSON.parse(await Deno.readTextFile(options.compare))
    : null;
  const report = await Promise.race([run(), asked.promise]);
  console.log(markdown(report, earlier));
  if (options.json) await Deno.writeTextFile(options.json, JSON.stringify(report, null, 2) + "\n");
} catch (error) {
  if (!isAsked) console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = isAsked ? 130 : 1;
}
await resources.disposeAsync().catch(console.error);
progress("ended, and everything removed");
Deno.exit();

async function run(): Promise<Report> {
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  resources.defer(() => Deno.remove(folder, { recursive: true }));
  const secrets = await loadSecrets(`${folder}/secrets.json`);
  progress("cold starts");
  const alone = functionEnvironment(NOWHERE, secrets, NOWHERE);
  const coldStarts = await measureColdStarts(alone, COLD_ROUNDS, resources);

  const startSide = async (name: string, rows: number) => {
    progress("starting the stack");
    await Deno.mkdir(`${folder}/${name}`);
    const stack = await startBenchStack(`${folder}/${name}`, secrets, resources);
    const company = await fillDatabase(stack.owner, rows, secrets.credentials_key, progress);
    await stack.admin`checkpoint`;
    const all = await planScenarios(company, stack);
    return { stack, all, chosen: all.filter(({ name }) => only.includes(name)) };
  };
  const { stack, all, chosen } = await startSide("all", rows);
  const recorded = await startRecordedGateway(stack, resources);
  const subjects = [];
  for (const scenario of chosen) {
    subjects.push(subjectOf(scenario, stack), ...await floorsOf(scenario, stack, recorded));
  }

  const bench = { generator: startLoadGenerator(resources), progress };
  const measurements = await measureScenarios(bench, subjects, pace);
  const growthFrom = async (fewerRows: number) => {
    const fewer = await startSide("fewer", fewerRows);
    const subjects = chosen.flatMap((scenario, index) => [
      subjectOf(fewer.chosen[index], fewer.stack, "fewer rows"),
      subjectOf(scenario, stack),
    ]);
    const [clients, warmUpSeconds] = [pace.clients.slice(0, 2), 2 * pace.seconds];
    // The larger stack has run for some time, and code gets faster with use: hence the long warm-up.
    const longWarmUp = { ...pace, clients, warmUpSeconds };
    const measurements = await measureScenarios(bench, subjects, longWarmUp, "growth, ");
    return { fewerRows, measurements };
  };
  const growth = options.growth ? await growthFrom(options.growth) : undefined;
  const pressure = options.pressure ? await measurePressure(bench, stack, all) : undefined;
  return {
    format: 1,
    date: new Date().toISOString(),
    machine: await describeMachine(stack.owner),
    rows,
    pace,
    titles: Object.fromEntries(all.map(({ name, title }) => [name, title])),
    ...{ measurements, coldStarts, growth, pressure },
  };
}

function count(text: string): number {
  if (/^[1-9][0-9]{0,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}

function counts(text: string, before: number[] = []): number[] {
  return [...before, count(text)];
}

function seconds(text: string): number {
  if (Number(text) > 0 && Number(text) <= 600) return Number(text);
  throw new InvalidArgumentError("It must be a number of seconds.");
}
