import { root } from "../../local/checkout.ts";
import { environment } from "./test_stack.ts";

interface Options {
  supabaseUrl?: string;
  channelUrl?: string;
  /** Which Deno runs it; the one that runs the tests, unless said otherwise. */
  deno?: string;
}

/** A function as a process of its own, as the platform runs it. */
export async function startFunction(
  name: "gateway" | "send-external-template",
  { deno = Deno.execPath(), ...addresses }: Options = {},
) {
  const entry = `${root}supabase/functions/${name}/index.ts`;
  const server = new Deno.Command(deno, {
    args: ["serve", "--host", "127.0.0.1", "--port", "0", "--allow-net", "--allow-env", entry],
    env: { ...environment(addresses), NO_COLOR: "1" },
    cwd: root,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let printed = "";
  const reading = server.stderr.pipeThrough(new TextDecoderStream()).values();
  while (!/http:\S+/.test(printed)) {
    const { value, done } = await reading.next();
    if (done) throw new Error(`${name} did not start: ${printed}`);
    printed += value;
  }
  await reading.return?.();
  const [address] = /http:\/\/[\w.:]+/.exec(printed)!;

  let hasEnded = false;
  const end = async (signal: Deno.Signal) => {
    if (!hasEnded) server.kill(signal);
    hasEnded = true;
    await server.status;
  };
  return {
    url: `${address}/${name}`,
    /** Ends it on the spot, with whatever it is doing. */
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => end("SIGTERM"),
  };
}
