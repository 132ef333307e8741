import assert from "node:assert/strict";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { FairShare } from "../../supabase/functions/_shared/fair_share.ts";
import { Turns } from "../../supabase/functions/_shared/key/turns.ts";
import { environment } from "../support/test_stack.ts";

const PATIENT = { atOnce: 2, waiting: 3, patienceMs: 60_000 };

/** A task that runs until the test ends it. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasBegun = false;
  return {
    end: resolve,
    hasBegun: () => hasBegun,
    run: async () => {
      hasBegun = true;
      await promise;
    },
  };
}

/** Waits until all tasks that are not blocked have continued. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

const isTooMany = (error: unknown) =>
  error instanceof ApiError && error.code === "too_many_requests" &&
  error.parts.headers?.["Retry-After"] === "2";

Deno.test("the tasks of a holder (such as a company) start immediately until the holder's share is used, and further tasks wait in order", async () => {
  const share = new FairShare(PATIENT);
  const works = Array.from({ length: 5 }, work);
  const running = works.map(({ run }) => share.run("a", run));
  const begun = () => works.map(({ hasBegun }) => hasBegun());
  assert.deepEqual(begun(), [true, true, false, false, false]);
  works[1].end();
  await settled();
  assert.deepEqual(begun(), [true, true, true, false, false]);
  works[0].end();
  await settled();
  assert.deepEqual(begun(), [true, true, true, true, false]);
  works.forEach(({ end }) => end());
  await Promise.all(running);
});

Deno.test("a task that waits for too long is refused and never runs", async () => {
  const share = new FairShare({ ...PATIENT, patienceMs: 1 });
  const [first, second] = [work(), work()];
  const running = [first, second].map(({ run }) => share.run("a", run));
  const late = work();
  await assert.rejects(share.run("a", late.run), isTooMany);
  [first, second].forEach(({ end }) => end());
  await Promise.all(running);
  assert.equal(await share.run("a", () => Promise.resolve("next")), "next");
  assert.equal(late.hasBegun(), false);
});

Deno.test("urgent tasks start before other tasks, in order of arrival, and are never refused", async () => {
  const share = new FairShare({ atOnce: 1, waiting: 1, patienceMs: 1 });
  const order: string[] = [];
  const first = work();
  const note = (name: string) => () => Promise.resolve(void order.push(name));
  const running = [share.run("a", first.run)];
  const ordinary = share.run("a", note("ordinary"));
  running.push(share.run("a", note("urgent 1"), { isUrgent: true }));
  running.push(share.run("a", note("urgent 2"), { isUrgent: true }));
  await assert.rejects(ordinary, isTooMany); // only the urgent tasks still wait
  assert.deepEqual(order, []);
  const late = share.run("a", note("urgent 3"), { isUrgent: true });
  first.end();
  await Promise.all([...running, late]);
  assert.deepEqual(order, ["urgent 1", "urgent 2", "urgent 3"]);
});

Deno.test("an urgent task overtakes waiting ordinary tasks", async () => {
  const share = new FairShare({ ...PATIENT, atOnce: 1 });
  const order: string[] = [];
  const first = work();
  const note = (name: string) => () => Promise.resolve(void order.push(name));
  const running = [
    share.run("a", first.run),
    share.run("a", note("ordinary")),
    share.run("a", note("urgent"), { isUrgent: true }),
  ];
  first.end();
  await Promise.all(running);
  assert.deepEqual(order, ["urgent", "ordinary"]);
});

Deno.test("when a task fails, the next task can start", async () => {
  const share = new FairShare({ ...PATIENT, atOnce: 1 });
  const failing = () => Promise.reject(new Error("failed"));
  for (let time = 0; time < 3; time++) await assert.rejects(share.run("a", failing), /failed/);
  assert.equal(await share.run("a", () => Promise.resolve(1)), 1);
});

Deno.test("an urgent statement with an unknown key is never refused, even if the queue of unknown keys is full", async () => {
  const turns = new Turns({
    ...await readConfig(environment({})),
    strangerShare: { atOnce: 1, waiting: 0, patienceMs: 1, placeMs: 60_000 },
  });
  const answer = Promise.withResolvers<Response>();
  const first = turns.ofKey("first")(() => answer.promise, { isUrgent: false });
  const run = (isUrgent: boolean) =>
    turns.ofKey("second")(() => Promise.resolve(new Response()), { isUrgent });
  await assert.rejects(run(false), isTooMany);
  const urgent = run(true);
  urgent.catch(() => {}); // the assertion below reports a refusal
  answer.resolve(new Response());
  await first;
  assert.equal((await urgent).status, 200);
});
