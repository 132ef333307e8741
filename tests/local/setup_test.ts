// Tests the set-up that `npm start` and `npm test` run first, in a folder with packages of its own.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import { withFolder } from "../support/started.ts";

/** Makes a folder with packages of its own and the set-up, and passes a function that runs the set-up. */
async function withSetUp(
  work: (folder: string, setUp: (env?: Record<string, string>) => Promise<void>) => Promise<void>,
) {
  await withFolder(async (folder) => {
    for (const name of ["local", "dev", "optional"]) {
      await Deno.mkdir(`${folder}/${name}`);
      const text = JSON.stringify({ name, version: "1.0.0" });
      await Deno.writeTextFile(`${folder}/${name}/package.json`, text);
    }
    await Deno.copyFile(`${root}local/setup.mjs`, `${folder}/local/setup.mjs`);
    const packages = {
      devDependencies: { dev: "file:./dev" },
      optionalDependencies: { optional: "file:./optional" },
    };
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify(packages));
    await work(folder, async (env = {}) => {
      const { success, stderr } = await new Deno.Command("node", {
        args: [`${folder}/local/setup.mjs`],
        env: { npm_config_offline: "true", ...env },
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
    });
  });
}

Deno.test("the set-up installs every package, even if npm is told to omit some", async () => {
  const told = [["NODE_ENV", "production"], ["npm_config_omit", "dev"], [
    "npm_config_omit",
    "optional",
  ]];
  for (const [variable, value] of told) {
    await withSetUp(async (folder, setUp) => {
      await setUp({ [variable]: value });
      for (const name of ["dev", "optional"]) {
        assert.ok(existsSync(`${folder}/node_modules/${name}`), `${name}: ${variable}=${value}`);
      }
    });
  }
});

Deno.test("the set-up installs the packages again if they were installed with other arguments of npm", async () => {
  await withSetUp(async (folder, setUp) => {
    await setUp();
    const mark = `${folder}/node_modules/.installed`;
    const own = await Deno.readTextFile(mark);
    // Earlier releases marked only the list of packages, and omitted some packages.
    await Deno.remove(`${folder}/node_modules/dev`);
    const list = await Deno.readFile(`${folder}/package.json`);
    await Deno.writeTextFile(mark, createHash("sha256").update(list).digest("hex"));
    await setUp();
    assert.ok(existsSync(`${folder}/node_modules/dev`));
    assert.equal(await Deno.readTextFile(mark), own);
    // The same installation is not repeated.
    await Deno.remove(`${folder}/node_modules/dev`);
    await setUp();
    assert.ok(!existsSync(`${folder}/node_modules/dev`));
  });
});
