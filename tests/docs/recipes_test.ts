// Runs the recipe programs as a reader would: from files in a folder, with the demo company.
import assert from "node:assert/strict";
import { folderWithClient } from "../support/built_client.ts";
import { JQ, PYTHON } from "../support/programs.ts";
import { startOn, withFolder } from "../support/started.ts";
import { readPage } from "./pages.ts";
import { RECIPES } from "./recipe_trials.ts";

interface Language {
  name: string;
  /** The language of the code block on the page. */
  fence: string;
  /** The program that runs the file, or null if it is not installed. */
  runner: string | null;
  /** The file extension. */
  suffix: string;
}

const LANGUAGES: Language[] = [
  { name: "curl", fence: "bash", runner: JQ && "bash", suffix: "sh" },
  { name: "JavaScript", fence: "js", runner: "node", suffix: "mjs" },
  { name: "Python", fence: "python", runner: PYTHON, suffix: "py" },
];

Deno.test("the recipe programs do what their pages say", async (t) => {
  await withFolder(async (folder) => {
    const { started, stack } = await startOn(`${folder}/.local`);
    const env = {
      CRM_API_URL: `${stack.url}/functions/v1`,
      CRM_API_KEY: stack.demo!.api_key,
    };
    await Deno.symlink(`${await folderWithClient()}/node_modules`, `${folder}/node_modules`);
    for (const [recipe, tried] of Object.entries(RECIPES)) {
      const { blocks } = await readPage(`docs/recipes/${recipe}.md`);
      for (const [digit, language] of LANGUAGES.entries()) {
        const { name, fence, runner, suffix } = language;
        const fn = async () => {
          const [{ text }, ...others] = blocks.filter((block) => block.language === fence);
          assert.deepEqual(others, []);
          await Deno.writeTextFile(`${folder}/${recipe}.${suffix}`, text);
          const run = async (variables: Record<string, string>) => {
            const { success, stdout, stderr } = await new Deno.Command(runner!, {
              args: [`${recipe}.${suffix}`],
              cwd: folder,
              env: { ...env, ...variables },
            }).output();
            if (!success) throw new Error(new TextDecoder().decode(stderr));
            return new TextDecoder().decode(stdout).split("\n").slice(0, -1);
          };
          await tried({ run, stack, folder, language: name, digit });
        };
        await t.step({ name: `${recipe} in ${name} does its work`, ignore: runner === null, fn });
      }
    }
    await started.end();
  });
});
