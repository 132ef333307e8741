import assert from "node:assert/strict";
import { RELEASE } from "../../supabase/functions/_shared/release.ts";
import { root } from "../../local/checkout.ts";

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

Deno.test("the import map and package.json contain the same exact versions", async () => {
  const { dependencies, devDependencies } = await json("package.json");
  const installed: Record<string, string> = { ...dependencies, ...devDependencies };
  for (const [name, version] of Object.entries(installed)) assert.match(version, EXACT, name);

  const { imports } = await json("import_map.json");
  for (const [specifier, target] of Object.entries<string>(imports)) {
    const [, name, version, path] = /^npm:\/?((?:@[\w-]+\/)?[\w.-]+)@([^/]+)(\/.*)?$/.exec(target)!;
    assert.equal(specifier, `${name}${path ?? ""}`);
    assert.equal(version, installed[name], `the version of ${name} differs from package.json`);
  }
});

Deno.test("the functions' version equals the version in package.json", async () => {
  assert.equal(RELEASE, (await json("package.json")).version);
});

Deno.test("the test tools also have exact versions", async () => {
  const { dependencies } = await json("tools/package.json");
  for (const [name, version] of Object.entries<string>(dependencies)) {
    assert.match(version, EXACT, name);
  }
  // The hosted runtime has this Deno version. A test runs the gateway on this version.
  assert.equal(dependencies.deno, "2.1.4");
});

Deno.test("Deno reads package versions only from the import map", async () => {
  const { importMap, imports, nodeModulesDir, lock } = await json("deno.json");
  assert.deepEqual([importMap, imports], ["./import_map.json", undefined]);
  assert.deepEqual([nodeModulesDir, lock], ["manual", false]);
});

// deno-lint-ignore no-explicit-any -- the tests compare parts of the value
async function json(path: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(`${root}${path}`));
}
