import { functionEntry, startFunctionProcess } from "../../local/functions/process.ts";
import { environment } from "./test_stack.ts";

interface Options {
  supabaseUrl?: string;
  channelUrl?: string;
  /** Variables that differ from those of the stack's functions. */
  env?: Record<string, string>;
  /** The Deno that runs it; the one that runs the tests, unless another is given. */
  deno?: string;
}

/** A function as a process of its own, as the platform runs it. */
export async function startFunction(
  name: "gateway" | "send-external-template",
  { env, deno, ...addresses }: Options = {},
) {
  const { url, end } = await startFunctionProcess({
    entry: functionEntry(name),
    env: { ...environment(addresses), ...env },
    deno,
  });
  return {
    url: `${url}/${name}`,
    /** Ends it on the spot, with whatever it is doing. */
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => end(),
  };
}
