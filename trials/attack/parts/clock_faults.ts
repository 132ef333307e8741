import type { Context } from "../context.ts";
import type { Findings } from "../findings.ts";
import { ask, everyKind } from "./fault_requests.ts";

/**
 * The numbers of seconds by which a function's clock is ahead of the database's clock. Negative
 * means behind.
 */
const AHEAD_S = [25, -70, 40, -3_600, 3_600];
const QUICK_AHEAD_S = [25, -70];

/** Tests functions whose clock is wrong. */
export async function clockFaults({ ours, quick }: Context, findings: Findings) {
  for (const seconds of quick ? QUICK_AHEAD_S : AHEAD_S) {
    const options = { clockAheadMs: seconds * 1000 };
    const [gateway, sender] = await Promise.all([
      ours.startFunction("gateway", options),
      ours.startFunction("send-external-template", options),
    ]);
    const fault = `a clock ${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}`;
    await ask(findings, { gateway, sender }, fault, everyKind(ours));
    await Promise.all([gateway.end(), sender.end()]);
  }
}
