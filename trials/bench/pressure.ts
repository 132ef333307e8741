import { delay } from "deno-std/async/delay.js";
import { parsed, send } from "./load.ts";
import { progress } from "../progress.ts";
import type { Scenario } from "./scenarios.ts";
import type { BenchStack } from "../stack.ts";
import { usageOf } from "../usage.ts";

export type Pressure = Awaited<ReturnType<typeof measurePressure>>;

const CLIENTS = 64;
const SECONDS = 60;
const OUTAGE = { before: 3, away: 5, after: 6 };

/**
 * Lists and creates contacts in turn: with many clients for a long time, and while the database
 * goes down.
 * @throws Error when a response was wrong, or when no request succeeded after the outage.
 */
export async function measurePressure(stack: BenchStack, scenarios: Scenario[]) {
  const requests = scenarios.filter(({ name }) => name === "list" || name === "create_contact");
  const load = { url: stack.gateway.url, clients: CLIENTS, requests };
  const memory = () => ({ gateway: usageOf(stack.gateway).rss, REST: usageOf(stack.rest).rss });

  progress("under pressure");
  const sending = send({ ...load, title: "Under pressure", seconds: SECONDS });
  await delay(10_000);
  const after10Seconds = memory();
  const pressed = await sending;
  const atEnd = memory();

  progress("with the database down");
  const { before, away, after } = OUTAGE;
  const timeline: [time: number, isGood: boolean][] = [];
  const title = "With the database down";
  const sendingOn = send({
    ...{ ...load, title, seconds: before + away + after },
    judge(isGood, { status, body, headers }) {
      timeline.push([Date.now(), isGood]);
      return isGood || status === 503 && parsed(body)?.code === "database_unavailable" &&
          "retry-after" in headers;
    },
  });
  await delay(before * 1000);
  const gone = Date.now();
  await stack.stopDatabase();
  await delay(away * 1000 - (Date.now() - gone));
  await stack.startDatabase();
  const back = Date.now();
  const { requests: answers, max: slowest } = await sendingOn;
  const failures = timeline.filter(([, isGood]) => !isGood);
  const firstGood = timeline.find(([time, isGood]) => isGood && time >= back);
  if (!firstGood) throw new Error("No request succeeded after the database had come back.");
  return {
    clients: CLIENTS,
    ...pressed,
    /** Resident memory of each process in bytes; NaN when the system does not provide it. */
    memory: { after10Seconds, atEnd },
    outage: {
      seconds: (back - gone) / 1000,
      requests: answers,
      /**
       * The number of 503 responses with code `database_unavailable` and `Retry-After`. Any other
       * failure fails the run.
       */
      unavailable: failures.length,
      slowest,
      /**
       * The time from the return of the database to the first good response, and to the last 503,
       * in milliseconds.
       */
      firstSuccessAfter: firstGood[0] - back,
      lastFailureAfter: Math.max(0, ...failures.slice(-1).map(([time]) => time - back)),
    },
  };
}
