// Makes the requests that the docs show, as a reader would: in a shell, with the demo company.
import assert from "node:assert/strict";
import { startOn, until, withFolder } from "../support/started.ts";
import { readPage } from "./pages.ts";
import { Shell } from "./shell.ts";
import { assertShown } from "./shown_answers.ts";

/**
 * Shell commands, and the responses that the page shows for them. If the page shows several
 * responses, the shell runs the commands several times.
 */
interface Step {
  lines: string;
  answers: string[];
}

/** Matches commands with placeholders for a hosted project, and commands that start the stack. */
const NOT_HERE = /<\w+>|\bnpm (start|run)\b/;

/** The steps on a page: shell code blocks, each with the responses below it. */
function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (const [, language, block] of text.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)) {
    if (language === "sh" && NOT_HERE.test(block)) continue;
    if (language === "sh") steps.push({ lines: block, answers: [] });
    else steps.at(-1)!.answers.push(block);
  }
  return steps;
}

/**
 * Splits a step's commands. The second part may run several times, because it changes nothing more:
 * the commands after a `sleep`, or the last command if it only reads.
 */
function split(lines: string): [once: string, repeatable: string] {
  const pause = /^sleep .*\n/m.exec(lines);
  if (pause) return splitAt(lines, pause.index + pause[0].length);
  const last = `\n${lines}`.lastIndexOf("\ncurl ");
  const isRead = last >= 0 && !/ -[dFTX] /.test(lines.slice(last));
  return splitAt(lines, isRead ? last : lines.length);
}

function splitAt(text: string, place: number): [string, string] {
  return [text.slice(0, place), text.slice(place)];
}

/**
 * Runs the commands of the steps and checks the responses. A response may show work that the stack
 * does in the background, so commands that only read are repeated until the response is as shown.
 */
async function check(steps: Step[], cwd: string, port: string): Promise<void> {
  await using shell = new Shell(cwd);
  let count = 0;
  for (const { lines, answers } of steps) {
    const [once, repeatable] = split(lines.replaceAll(":54321/", `:${port}/`));
    // Commands without a response prepare the following commands.
    if (answers.length === 0) await shell.run(once + repeatable);
    for (const answer of answers) {
      const name = `answer ${++count}`;
      const first = await shell.run(once);
      const judge = (printed: string) => assertShown(JSON.parse(answer), JSON.parse(printed), name);
      if (repeatable === "") {
        judge(first);
        continue;
      }
      let problem: unknown;
      const isAsShown = async () => {
        const printed = first + await shell.run(repeatable, { mayFail: true });
        try {
          judge(printed);
          return true;
        } catch (error) {
          problem = error;
          return false;
        }
      };
      await until(isAsShown).catch((error) => {
        throw problem ?? error;
      });
    }
  }
}

const finding = await readPage("docs/finding.md");
const readme = await readPage("README.md");
const gettingStarted = await readPage("docs/getting-started.md");
const authentication = await readPage("docs/authentication.md");
const sending = await readPage("docs/sending-templates.md");
const replying = await readPage("docs/replying.md");
const syncing = await readPage("docs/syncing.md");
const limits = await readPage("docs/limits.md");
const retrying = await readPage("docs/retrying.md");
const sandbox = await readPage("docs/sandbox.md");
const api = await readPage("docs/api.md");
const receiving = await readPage("docs/receiving.md");
const writing = await readPage("docs/writing.md");
const webhooks = await readPage("docs/webhooks.md");
const deals = await readPage("docs/deals.md");
const archiving = await readPage("docs/archiving.md");
const erasing = await readPage("docs/erasing.md");
const merging = await readPage("docs/merging.md");
const firstRequests = ["The first request", "A safe send"]
  .map((title) => section(readme.text, title)).join("");
const aPersonWrites = section(sandbox.text, "Be a person who writes");

function section(text: string, title: string): string {
  return new RegExp(`^## ${title}\n([\\s\\S]*?)^## `, "m").exec(text)![1];
}

Deno.test("the requests in the docs return the responses that the docs show", async (t) => {
  await withFolder(async (folder) => {
    // The shell runs in this folder. Like a reader's checkout, the folder has the data in `.local`.
    const { started, stack } = await startOn(`${folder}/.local`);
    // Requests that only read come first.
    const texts: [name: string, text: string, answers: number][] = [
      ["Getting started", gettingStarted.text, 7],
      ["Authentication", authentication.text, 2],
      ["Limits", limits.text, 1],
      ["The API at a glance", api.text, 1],
      ["Finding records", finding.text, 5],
      ["Receiving", receiving.text, 8],
      ["the README", firstRequests, 3],
      ["Keeping a copy in step", syncing.text, 1],
      ["Sending templates", sending.text, 5],
      ["Replying", replying.text, 4],
      ["The sandbox", aPersonWrites, 1],
      ["Idempotency and retries", retrying.text, 4],
      ["Writing without loss", writing.text, 7],
      ["Deals and their pipelines", deals.text, 4],
      ["Webhooks", section(webhooks.text, "See one arrive"), 2],
      ["Archiving and restoring", archiving.text, 3],
      ["Merging contacts", merging.text, 2],
      ["Erasing and exporting a person", erasing.text, 2],
    ];
    for (const [name, text, answers] of texts) {
      await t.step(name, async () => {
        const steps = stepsOf(text);
        assert.ok(steps.flatMap(({ answers }) => answers).length >= answers);
        await check(steps, folder, new URL(stack.url).port);
      });
    }
    await started.end();
  });
});
