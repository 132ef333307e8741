import type { Context } from "../context.ts";
import { Findings } from "../findings.ts";
import { channelFaults } from "./channel_faults.ts";
import { clockFaults } from "./clock_faults.ts";
import { databaseFaults } from "./database_faults.ts";
import { restFaults } from "./rest_faults.ts";
import { stalledBodies } from "./stalled_bodies.ts";

/** Faults of the systems that the functions need: database, REST layer, channel, clock. */
export async function faults(context: Context) {
  const findings = new Findings("faults");
  // The parts run at the same time, because each mostly waits for timeouts and disturbs no other
  // part.
  await Promise.all([
    restFaults(context, findings),
    clockFaults(context, findings),
    stalledBodies(context, findings),
    (async () => {
      await databaseFaults(context, findings);
      await channelFaults(context, findings);
    })(),
  ]);
  return findings.result;
}
