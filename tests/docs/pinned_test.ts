// Tests that every download is pinned to an exact version or commit.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import settingsLock from "../../settings/package-lock.json" with { type: "json" };
import ofSettings from "../../settings/package.json" with { type: "json" };
import siteLock from "../../site/package-lock.json" with { type: "json" };
import ofSite from "../../site/package.json" with { type: "json" };
import lock from "../../tools/package-lock.json" with { type: "json" };
import wanted from "../../tools/package.json" with { type: "json" };

Deno.test("every GitHub action is pinned to a commit, and a comment names its release", async () => {
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

Deno.test("the packages of the tools, the site and the settings page have exact versions that match their lock files", () => {
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

Deno.test("the tools' lock file lists the binaries for every platform", () => {
  // npm omits packages that are missing in the registry. The error would appear only during an
  // installation on another platform.
  for (const [path, { dependencies, optionalDependencies }] of Object.entries(packages)) {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      assert.ok(packages[`node_modules/${name}`], `${path} needs ${name}`);
    }
  }
});

Deno.test("every tool has a checksum, except the binaries for some platforms", () => {
  for (const [path, { integrity, optional }] of Object.entries(packages)) {
    if (path !== "" && !optional) assert.match(integrity ?? "", /^sha512-/, path);
  }
});
