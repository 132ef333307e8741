// Runs the operator's command once for each list of arguments, without input, and prints each ending.
// Argument: the lists, in JSON.
import process from "node:process";
import { runCommand } from "../../admin/run.ts";
import type { Ending } from "./command.ts";

const print = console.log;
const endings: Ending[] = [];
for (const args of JSON.parse(Deno.args[0])) {
  const ending = { code: 0, stdout: "", stderr: "" };
  console.log = (line: string) => ending.stdout += `${line}\n`;
  console.error = (line: string) => ending.stderr += `${line}\n`;
  process.stdout.write = (text: string | Uint8Array) => Boolean(ending.stdout += text);
  process.stderr.write = (text: string | Uint8Array) => Boolean(ending.stderr += text);
  ending.code = await runCommand(args);
  endings.push(ending);
}
print(JSON.stringify(endings));
