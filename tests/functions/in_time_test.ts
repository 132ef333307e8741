import assert from "node:assert/strict";
import { inTime } from "../../supabase/functions/_shared/in_time.ts";

const late = () => new Error("late");

Deno.test("a task that ends before the abort signal returns its result or error", async () => {
  const { signal } = new AbortController();
  assert.equal(await inTime(Promise.resolve(1), signal, late), 1);
  await assert.rejects(inTime(Promise.reject(new Error("own")), signal, late), /own/);
});

Deno.test("a task is abandoned if the abort signal comes before the task ends, even if the signal comes before the task starts", async () => {
  const ending = new AbortController();
  const waiting = inTime(new Promise(() => {}), ending.signal, late);
  ending.abort();
  await assert.rejects(waiting, /late/);
  await assert.rejects(inTime(new Promise(() => {}), ending.signal, late), /late/);
});

Deno.test("an error after the abort signal does not become an unhandled rejection", async () => {
  const ending = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const waiting = inTime(promise, ending.signal, late);
  ending.abort();
  await assert.rejects(waiting, /late/);
  reject(new Error("afterwards"));
  await new Promise((resolve) => setTimeout(resolve));
});
