import { functionEntry, startFunctionProcess } from "../../local/functions/process.ts";
import { environment } from "./test_stack.ts";

interface Options {
  supabaseUrl?: string;
  channelUrl?: string;
  /** Environment variables that differ from those of the stack's functions. */
  env?: Record<string, string>;
  /** The Deno executable that runs the function. The default is the one that runs the tests. */
  deno?: string;
  /** Receives all output of the process. */
  hear?: (text: string) => void;
}

/** Starts a function in a separate process, as the platform does. */
export async function startFunction(
  name: "gateway" | "send-external-template" | "webhooks" | "whatsapp",
  { env, deno, hear, ...addresses }: Options = {},
) {
  const { url, pid, end } = await startFunctionProcess({
    entry: functionEntry(name),
    env: { ...environment(addresses), ...env },
    deno,
    hear,
  });
  return {
    url: `${url}/${name}`,
    pid,
    /** Kills the process immediately, in the middle of its work. */
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => end(),
  };
}
