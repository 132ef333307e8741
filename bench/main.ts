import { Command, InvalidArgumentError } from "commander";
import { chart } from "./chart.ts";
import { measureColdStarts } from "./cold_start.ts";
import { loadData, measuredCompany } from "./data.ts";
import { endAll, endings } from "./endings.ts";
import { floorsOf } from "./floors.ts";
import { type Growth, measureGrowth, type Side } from "./growth.ts";
import { type Driver, startDriver } from "./load.ts";
import { describeMachine } from "./machine.ts";
import { measure, type Pace } from "./measure.ts";
import { measurePressure } from "./pressure.ts";
import { endServers } from "./processes.ts";
import { inWords, type Report } from "./report.ts";
import { planScenarios, type Scenario, SCENARIO_NAMES } from "./scenarios.ts";
import { aloneEnvironment, startBenchStack } from "./measured_stack.ts";

const program = new Command("npm run bench --")
  .description(
    "Measures the functions on a stack of their own, beside what this machine could do at best.",
  )
  .option("--rows <number>", "contacts in the database, 50000 or 1000000 for comparisons", count)
  .option("--clients <numbers>", "how many send at once, such as 1,16,64", counts)
  .option("--quick", "under a minute: fewer rows, clients and rounds", false)
  .option("--only <names>", "some scenarios, such as list,create_contact", names)
  .option("--rounds <number>", "how often each scenario is measured", count)
  .option("--seconds <number>", "how long each time", seconds)
  .option("--growth <number>", "also measure beside a database with so many contacts", count)
  .option("--pressure", "also 64 clients for 60 s, and a database that goes away", false)
  .option("--json <file>", "write all numbers to a file")
  .option("--compare <file>", "print the ratio to what an earlier --json wrote")
  .option("--chart <file>", "draw latency against clients, and rows, as an SVG")
  .addHelpText(
    "after",
    `
Examples:
  npm run bench -- --quick
  npm run bench -- --rows 50000 --json before.json
  npm run bench -- --rows 1000000 --growth 50000 --pressure --chart latency.svg
  npm run bench -- --clients 16 --rounds 9 --compare before.json
  npm run bench -- --quick --pressure`,
  )
  .showHelpAfterError("Try --help.")
  .parse(["deno", "main.ts", ...Deno.args]);

interface Options extends Partial<Pick<Pace, "clients" | "rounds" | "seconds">> {
  rows?: number;
  quick: boolean;
  only?: string[];
  growth?: number;
  pressure: boolean;
  json?: string;
  compare?: string;
  chart?: string;
}
const options = program.opts<Options>();
const rows = options.rows ?? (options.quick ? 20_000 : 50_000);
const pace: Pace = {
  clients: options.clients ?? (options.quick ? [1, 16] : [1, 16, 64]),
  rounds: options.rounds ?? (options.quick ? 2 : 5),
  seconds: options.seconds ?? (options.quick ? 0.3 : 2),
  warmUpSeconds: options.quick ? 0.15 : 1,
};
const COLD_ROUNDS = options.quick ? 5 : 15;

const began = performance.now();
const progress = (step: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${step}`);

const asked = Promise.withResolvers<never>();
asked.promise.catch(() => {}); // raced with below
let isAsked = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {
    isAsked = true;
    asked.reject(new Error("ended by a signal"));
  });
}
// An error that nobody waits for must not end this process and leave its processes behind.
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  asked.reject(event.reason);
});

try {
  const earlier = options.compare
    ? JSON.parse(await Deno.readTextFile(options.compare)) as Report
    : null;
  const report = await Promise.race([run(), asked.promise]);
  console.log(inWords(report, earlier));
  if (options.json) await Deno.writeTextFile(options.json, JSON.stringify(report, null, 2) + "\n");
  if (options.chart) await Deno.writeTextFile(options.chart, chart(report));
} catch (error) {
  if (!isAsked) console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = isAsked ? 130 : 1;
}
await endAll();
progress("ended, and everything removed");
Deno.exit();

async function run(): Promise<Report> {
  progress("cold starts");
  const coldStarts = await measureColdStarts(
    await aloneEnvironment(await ownFolder()),
    COLD_ROUNDS,
  );
  const side = await startSide(rows);
  const { stack, scenarios } = side;
  const plan = [];
  for (const scenario of chosen(scenarios)) {
    plan.push({ scenario, floors: await floorsOf(scenario, stack) });
  }
  const driver = startDriver();
  endings.push(driver.end);
  const measurements = await measure(stack, driver, plan, pace, progress);
  const growth = options.growth ? await growthFrom(options.growth, side, driver) : undefined;
  const pressure = options.pressure
    ? await measurePressure(stack, driver, scenarios, progress)
    : undefined;
  return {
    format: 1,
    date: new Date().toISOString(),
    machine: await describeMachine(stack.owner),
    rows,
    pace,
    titles: Object.fromEntries(scenarios.map(({ name, title }) => [name, title])),
    databaseCallsAre: stack.countsStatements ? "statements" : "transactions",
    measurements,
    coldStarts,
    growth,
    pressure,
  };
}

async function ownFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  endings.push(() => Deno.remove(folder, { recursive: true }), endServers);
  return folder;
}

/** A stack with so many contacts, and what is asked of it. */
async function startSide(rows: number): Promise<Side> {
  progress("starting the stack");
  const stack = await startBenchStack(await ownFolder());
  await loadData(stack.owner, rows, stack.secrets.credentials_key, progress);
  await stack.admin`checkpoint`;
  const company = await measuredCompany(stack.owner);
  return { stack, scenarios: await planScenarios(company, stack.gateway.url) };
}

function chosen(scenarios: Scenario[]): Scenario[] {
  return scenarios.filter(({ name }) => options.only?.includes(name) ?? true);
}

async function growthFrom(fewerRows: number, all: Side, driver: Driver): Promise<Growth> {
  const fewer = await startSide(fewerRows);
  const sides = [fewer, all].map(({ stack, scenarios }) => ({
    stack,
    scenarios: chosen(scenarios),
  }));
  return { fewerRows, found: await measureGrowth(sides[0], sides[1], driver, pace, progress) };
}

function count(text: string): number {
  if (/^[1-9][0-9]{0,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}

function counts(text: string): number[] {
  return text.split(",").map(count);
}

function names(text: string): string[] {
  const known: readonly string[] = SCENARIO_NAMES;
  const unknown = text.split(",").find((name) => !known.includes(name));
  if (unknown === undefined) return text.split(",");
  throw new InvalidArgumentError(`There is no ${unknown}, there are ${known.join(", ")}.`);
}

function seconds(text: string): number {
  if (Number(text) > 0 && Number(text) <= 600) return Number(text);
  throw new InvalidArgumentError("It must be a number of seconds.");
}
