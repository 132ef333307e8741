import "../../local/direct_requests.ts";
import { Command, InvalidArgumentError, Option } from "commander";
import { measureBatches } from "./batch.ts";
import { BUDGET_FILE, countCosts } from "./budget.ts";
import { measureColdStarts } from "./cold_start.ts";
import { fillDatabase } from "./dataset.ts";
import { measureDeliveries } from "./deliveries.ts";
import { measureEvents } from "./events.ts";
import { withFloors } from "./floors.ts";
import { describeMachine } from "../machine.ts";
import { measure, subjectOf } from "./measure.ts";
import { measurePressure } from "./pressure.ts";
import { progress } from "../progress.ts";
import { run } from "./run.ts";
import { markdown, type Report } from "./bench_report.ts";
import { planScenarios, SCENARIO_NAMES } from "./scenarios.ts";
import { startBenchStack } from "../stack.ts";

const FULL = { rows: 50_000, clients: [1, 16, 64], rounds: 5, seconds: 2, warmUpSeconds: 1 };
const QUICK = { rows: 20_000, clients: [1, 16], rounds: 2, seconds: 0.3, warmUpSeconds: 0.15 };

const options = new Command("npm run bench --")
  .description(
    "Measures the functions on a separate stack, and compares them with the best speed that this machine allows.",
  )
  .option("--rows <number>", "contacts in the database, 50000 or 1000000 for comparisons", positive)
  .option(
    "--clients <numbers...>",
    "how many clients send at once, such as 1 16 64",
    (text, before: number[] = []) => [...before, positive(text)],
  )
  .option("--quick", "under a minute: fewer rows, clients and rounds", false)
  .addOption(
    new Option("--only <names...>", "some scenarios")
      .choices(SCENARIO_NAMES).default(SCENARIO_NAMES, "all"),
  )
  .option("--rounds <number>", "how many times each scenario is measured", positive)
  .option("--seconds <number>", "the length of each measurement", positive)
  .option(
    "--growth <number>",
    "also measure with a database of this many contacts, alternately",
    positive,
  )
  .option("--pressure", "also 64 clients for 60 s, and a database that goes down", false)
  .option(
    "--events",
    "also events of the channel: an inbound message, and 100,000 statuses",
    false,
  )
  .option(
    "--batch",
    "also 10,000 new and 10,000 known contacts in batches, compared with single creates and a bare upsert",
    false,
  )
  .option(
    "--deliveries",
    "instead, measure the deliveries of events to webhooks: their rate, CPU and delay",
    false,
  )
  .option("--budget", "instead, count what each operation costs, and write budget.json", false)
  .option("--json <file>", "write all numbers to a file")
  .option("--compare <file>", "also print each number as a ratio to an earlier file of --json")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" }).opts();
const {
  quick,
  only,
  growth,
  pressure,
  events,
  batch,
  budget,
  deliveries,
  json,
  compare,
  ...chosen
} = options;
const { rows, ...pace } = { ...(quick ? QUICK : FULL), ...chosen };

await run(async (resources) => {
  if (budget) {
    const counted = await countCosts(resources);
    await Deno.writeTextFile(BUDGET_FILE, JSON.stringify(counted, null, 2) + "\n");
    console.table(counted.operations);
    console.table(counted.bundles);
    return 0;
  }
  if (deliveries) {
    console.log(await measureDeliveries(await startBenchStack(resources), resources));
    return 0;
  }
  const earlier = compare ? JSON.parse(await Deno.readTextFile(compare)) : undefined;
  const report = await measureAll(resources);
  console.log(markdown(report, earlier));
  if (json) await Deno.writeTextFile(json, JSON.stringify(report, null, 2) + "\n");
  return 0;
}, (error) => error instanceof Error ? error.message : error);

async function measureAll(resources: AsyncDisposableStack): Promise<Report> {
  const side = await startSide(rows, resources);
  const { stack, company, scenarios, chosen } = side;
  progress("cold starts");
  const coldStarts = await measureColdStarts(stack, quick ? 5 : 15);
  const measurements = await measure(await withFloors(chosen, stack), pace);
  return {
    date: new Date().toISOString(),
    machine: await describeMachine(stack.owner),
    rows,
    pace,
    measurements,
    coldStarts,
    growth: growth ? await measureGrowth(side, growth, resources) : undefined,
    pressure: pressure ? await measurePressure(stack, scenarios) : undefined,
    events: events ? await measureEvents(stack, scenarios) : undefined,
    batches: batch ? await measureBatches(stack, company) : undefined,
  };
}

/** Measures the functions again, alternately with functions on a database with fewer contacts. */
async function measureGrowth(
  { stack, chosen }: Side,
  fewerRows: number,
  resources: AsyncDisposableStack,
) {
  const fewer = await startSide(fewerRows, resources);
  const subjects = chosen.flatMap((scenario, index) => [
    subjectOf(fewer.chosen[index], fewer.stack, "fewer rows"),
    subjectOf(scenario, stack),
  ]);
  // The larger stack has run for some time, and code gets faster with use, so the warm-up is long.
  const [clients, warmUpSeconds] = [pace.clients.slice(0, 2), 2 * pace.seconds];
  const measurements = await measure(subjects, { ...pace, clients, warmUpSeconds });
  return { fewerRows, measurements };
}

type Side = Awaited<ReturnType<typeof startSide>>;

/** Starts a stack whose database has this many contacts. */
async function startSide(contacts: number, resources: AsyncDisposableStack) {
  progress(`starting a stack and writing ${contacts.toLocaleString("en")} contacts`);
  const stack = await startBenchStack(resources);
  const company = await fillDatabase(stack.owner, contacts, stack.secrets.credentials_key);
  await stack.admin`checkpoint`;
  const scenarios = await planScenarios(company, stack);
  return { stack, company, scenarios, chosen: scenarios.filter(({ name }) => only.includes(name)) };
}

function positive(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a number above 0.");
}
