import "../../local/direct_requests.ts";
import { Command, InvalidArgumentError, Option } from "commander";
import { describeMachine } from "../machine.ts";
import { progress } from "../progress.ts";
import { run } from "../bench/run.ts";
import { attack } from "./attack.ts";
import { markdown, type PartName, PARTS } from "./attack_report.ts";

const names = Object.keys(PARTS) as PartName[];
const options = new Command("npm run attack --")
  .description(
    "Starts a stack on this machine and attacks only this stack. Fails if the service " +
      "breaks a promise, and shows the request.",
  )
  .addOption(new Option("--only <parts...>", "some parts").choices(names).default(names, "all"))
  .option("--quick", "under 30 seconds: few attempts, nothing is measured", false)
  .option("--seed <number>", "the same seed makes the same requests", whole, 1)
  .option("--case <number>", "only the fuzz case with this number, as a finding shows it", whole)
  .option("--scale <number>", "multiplies the usual number of attempts by this factor", positive, 1)
  .option("--seconds <number>", "how long each measurement takes", positive, 4)
  .option("--compare <checkout>", "also measure another checkout of this repository, alternately")
  .option("--json <file>", "write all findings and numbers to a file")
  .showHelpAfterError("Try --help.")
  .parse(Deno.args, { from: "user" }).opts();
const { only, quick, seed, case: fuzzCase, scale, seconds, compare, json } = options;

await run(async (resources) => {
  const { results, checkouts, ours } = await attack(
    { only, quick, seed, fuzzCase, scale, seconds, compare, progress },
    resources,
  );
  const machine = await describeMachine(ours.stack.owner);
  const report = { date: new Date().toISOString(), machine, seed, checkouts, results };
  console.log(markdown(report));
  if (json) await Deno.writeTextFile(json, JSON.stringify(report, null, 2) + "\n");
  return results.some(({ findings }) => findings.length > 0) ? 1 : 0;
});

function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

function positive(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a number above 0.");
}
