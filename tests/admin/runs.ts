// Runs the operator's commands one after another, each as if it had its own process. Reads one
// Order per line from standard input, and prints each command's Ending on one line.
import process from "node:process";
import { TextLineStream } from "deno-std/streams/text_line_stream.js";
import { runCommand } from "../../admin/run.ts";
import type { Ending, Order } from "./command.ts";

const print = console.log;
const orders = Deno.stdin.readable
  .pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());

for await (const line of orders) print(JSON.stringify(await ended(JSON.parse(line))));

async function ended({ args, input, env }: Order): Promise<Ending> {
  for (const name of Object.keys(Deno.env.toObject())) {
    if (!(name in env)) Deno.env.delete(name);
  }
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  const stdin = { isTerminal: () => false, readable: new Blob([input]).stream() };
  Object.defineProperty(Deno, "stdin", { value: stdin, configurable: true });

  const ending = { code: 0, stdout: "", stderr: "" };
  console.log = (line = "") => ending.stdout += `${line}\n`;
  console.error = (line = "") => ending.stderr += `${line}\n`;
  console.info = console.debug = console.log;
  console.warn = console.error;
  process.stdout.write = (text: string | Uint8Array) => Boolean(ending.stdout += text);
  process.stderr.write = (text: string | Uint8Array) => Boolean(ending.stderr += text);
  ending.code = await runCommand(args);
  return ending;
}
