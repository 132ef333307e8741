import assert from "node:assert/strict";
import { startFunctionProcess } from "../../local/functions/process.ts";
import { loadSecrets } from "../../local/secrets.ts";
import { measureColdStarts } from "../../trials/bench/cold_start.ts";

Deno.test("the bundle of each measured function answers its first request", async () => {
  await using owner = new AsyncDisposableStack();
  const folder = Deno.makeTempDirSync();
  owner.defer(() => Deno.remove(folder, { recursive: true }));
  const results = await measureColdStarts({
    secrets: await loadSecrets(`${folder}/secrets.json`),
    start: (entry, env, permissions) => startFunctionProcess({ entry, env, permissions, owner }),
  }, 1);
  const measured = results.filter(({ firstAnswer, gzipped }) =>
    firstAnswer.median > 0 && gzipped > 0
  );
  assert.deepEqual(
    measured.map(({ name }) => name),
    ["bare Deno", "bare Hono", "gateway", "send-external-template"],
  );
});
