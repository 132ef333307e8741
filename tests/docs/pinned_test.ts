// Every download is pinned, so it never changes.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import settingsLock from "../../settings/package-lock.json" with { type: "json" };
import ofSettings from "../../settings/package.json" with { type: "json" };
import siteLock from "../../site/package-lock.json" with { type: "json" };
import ofSite from "../../site/package.json" with { type: "json" };
import lock from "../../tools/package-lock.json" with { type: "json" };
import wanted from "../../tools/package.json" with { type: "json" };

Deno.test("every action of a workflow is pinned to a commit, with its release as a comment", async () => {
  const uses: string[] = [];
  for await (const { name } of Deno.readDir(`${root}.github/workflows`)) {
    const workflow = await Deno.readTextFile(`${root}.github/workflows/${name}`);
    uses.push(...Array.from(workflow.matchAll(/^.*\buses:.*$/gm), ([line]) => line.trim()));
  }
  assert.ok(uses.length > 0);
  for (const line of uses) {
    assert.match(line, /^(- )?uses: [\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

interface Locked {
  version?: string;
  optional?: boolean;
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
const packages: Record<string, Locked> = lock.packages;

Deno.test("the tools, the site and the settings page have exact versions, equal to those of their lock files", () => {
  const lists: [{ dependencies: Record<string, string> }, Record<string, Locked>][] = [
    [wanted, packages],
    [ofSite, siteLock.packages],
    [ofSettings, settingsLock.packages],
  ];
  for (const [list, locked] of lists) {
    for (const [name, version] of Object.entries<string>(list.dependencies)) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      assert.equal(locked[`node_modules/${name}`]?.version, version, name);
      assert.match(locked[`node_modules/${name}`].integrity ?? "", /^sha512-/, name);
    }
  }
});

Deno.test("the lock file of the tools has the binaries of every platform", () => {
  // npm leaves out packages that the registry does not have. The error would appear only when
  // someone installs on another platform.
  for (const [path, { dependencies, optionalDependencies }] of Object.entries(packages)) {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      assert.ok(packages[`node_modules/${name}`], `${path} needs ${name}`);
    }
  }
});

Deno.test("every tool has a checksum, except the binaries of some platforms", () => {
  for (const [path, { integrity, optional }] of Object.entries(packages)) {
    if (path !== "" && !optional) assert.match(integrity ?? "", /^sha512-/, path);
  }
});
