import assert from "node:assert/strict";
import { Started } from "../support/started.ts";

Deno.test("--help lists every option and starts nothing", async () => {
  const started = new Started(["--help"]);
  assert.deepEqual(await started.ended(), [0, ""]);
  assert.match(started.out, /^Usage: npm start -- \[options\]/);
  for (const option of ["--port", "--fresh", "--no-seed", "--data", "--quiet", "--help"]) {
    assert.match(started.out, new RegExp(`\n  ${option} `), option);
  }
});

Deno.test("an unknown option, an argument or an invalid port is refused with a one-sentence error", async () => {
  const port = (value: string) =>
    `error: option '--port <number>' argument '${value}' is invalid. ` +
    "It must be a number from 0 (any free port) to 65534.";
  const refusals: [string[], string][] = [
    [["--nonsense"], "error: unknown option '--nonsense'"],
    [["nonsense"], "error: too many arguments. Expected 0 arguments but got 1."],
    [["--port"], "error: option '--port <number>' argument missing"],
    [["--port", "http"], port("http")],
    [["--port", "-1"], port("-1")],
    [["--port", "65535"], port("65535")],
  ];
  await Promise.all(refusals.map(async ([args, sentence]) => {
    const started = new Started(args);
    assert.deepEqual(await started.ended(), [1, `${sentence}\nTry --help.\n`]);
    assert.equal(started.out, "");
  }));
});
