import assert from "node:assert/strict";
import { startOn, withFolder } from "../support/started.ts";
import { readPage } from "./pages.ts";

/** Lines of the shell, and the answers that the page shows for them: those to the lines sent again come after. */
interface Step {
  lines: string;
  answers: string[];
}

const { text } = await readPage("README.md");
const [, section = ""] = /^## The first request\n([\s\S]*?)^## /m.exec(text) ?? [];
const steps: Step[] = [];
for (const [, language, block] of section.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)) {
  if (language === "sh") steps.push({ lines: block, answers: [] });
  else steps.at(-1)!.answers.push(block);
}

const MARK = "=== answered ===";

/** What a shell prints for each step, sent as often as the page shows an answer to it. */
async function run(cwd: string, port: string): Promise<string[]> {
  const script = steps.flatMap(({ lines, answers }) => answers.map(() => lines))
    .map((lines) => `${lines.replaceAll(":54321/", `:${port}/`)}\necho; echo '${MARK}'\n`).join("");
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euc", script],
    cwd,
    stdin: "null",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split(MARK).slice(0, -1);
}

/** Compares an answer with the one that a page shows, in which … stands for any text. */
function assertShown(shown: unknown, actual: unknown, at: string) {
  if (typeof shown === "string" && shown.includes("…")) {
    const parts = shown.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    assert.match(String(actual), new RegExp(`^${parts.join(".+")}$`), at);
  } else if (typeof shown === "object" && shown !== null) {
    assert.ok(typeof actual === "object" && actual !== null, at);
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(shown).sort(), at);
    for (const [key, value] of Object.entries(shown)) {
      assertShown(value, (actual as Record<string, unknown>)[key], `${at}.${key}`);
    }
  } else assert.equal(actual, shown, at);
}

Deno.test("the first requests of the README answer what it shows", async () => {
  assert.ok(steps.length >= 3 && steps.every(({ answers }) => answers.length > 0));
  await withFolder(async (folder) => {
    // The README's reader is in the checkout, whose data folder is .local.
    const { started, stack } = await startOn(`${folder}/.local`);
    const printed = await run(folder, new URL(stack.url).port);
    await started.end();
    const shown = steps.flatMap(({ answers }) => answers);
    assert.equal(printed.length, shown.length);
    shown.forEach((answer, at) => {
      assertShown(JSON.parse(answer), JSON.parse(printed[at]), `answer ${at + 1}`);
    });
  });
});
