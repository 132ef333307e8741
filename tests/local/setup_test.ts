// Tests the set-up that `npm start` and `npm test` run first, in a folder with packages of its own.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import { withFolder } from "../support/started.ts";

Deno.test("the set-up installs every package, even if npm is told to omit some", async () => {
  const told = [["NODE_ENV", "production"], ["npm_config_omit", "dev"], [
    "npm_config_omit",
    "optional",
  ]];
  for (const [variable, value] of told) {
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
      const { success, stderr } = await new Deno.Command("node", {
        args: [`${folder}/local/setup.mjs`],
        env: { npm_config_offline: "true", [variable]: value },
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      for (const name of ["dev", "optional"]) {
        assert.ok(existsSync(`${folder}/node_modules/${name}`), `${name}: ${variable}=${value}`);
      }
    });
  }
});
