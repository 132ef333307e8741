import assert from "node:assert/strict";
import { startFunction } from "./function_process.ts";
import { watchedStack } from "./own_functions.ts";

/** The step of a send at which the test kills the function. */
export type Step =
  | "before the claim"
  | "after the claim, before the call"
  | "during the call"
  | "after the call, before settling"
  | "after settling, before the answer";

interface Killed {
  /** The name of the edge function, and the path of its send operation. */
  name: "send-external-template" | "whatsapp";
  path?: string;
  /** The database function that creates the claim. */
  claim: string;
  key: string;
  json: unknown;
  channelUrl: string;
  /**
   * Receives a function that kills the process. The channel calls this function during the send.
   */
  whenCalled(kill: () => Promise<void>): void;
}

/**
 * Sends a request to an edge function in its own process, and kills the process at this step of the
 * send.
 */
export async function killedAt(
  step: Step,
  { name, path = "", claim, key, json, channelUrl, whenCalled }: Killed,
) {
  const started = Promise.withResolvers<() => Promise<void>>();
  const kill = async () => await (await started.promise)();
  if (step === "during the call") whenCalled(kill);
  const died = new Response(null, { status: 503 });
  const steps: Record<string, [before: Step, after: Step]> = {
    [claim]: ["before the claim", "after the claim, before the call"],
    settle_send: ["after the call, before settling", "after settling, before the answer"],
  };
  await using database = watchedStack(async (request) => {
    const [before, after] = steps[request.url.split("/rpc/")[1]] ?? [];
    if (step !== before && step !== after) return null;
    if (step === after) await (await database.forward(request)).body?.cancel();
    await kill();
    return died;
  });
  await using sender = await startFunction(name, { supabaseUrl: database.url, channelUrl });
  started.resolve(sender.kill);
  await assert.rejects(fetch(sender.url + path, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(json),
  }));
}
