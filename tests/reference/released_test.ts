// Compares this release with the previous one. The changelog must name each change that can break a
// caller.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import { breakingChanges, nameOf } from "../../generate/released/breaking_changes.ts";
import { recordedRelease } from "../../generate/released/recorded_release.ts";
import present from "../../supabase/functions/gateway/openapi.json" with { type: "json" };

/**
 * The entries for callers under "Changed" and "Removed" in the changelog's section for the next
 * release.
 */
function toldToCallers(changelog: string): string[] {
  const [, unreleased = ""] = /^## \[Unreleased\]\n([^]*?)(?=^## |(?![^]))/m.exec(changelog) ?? [];
  const [, forCallers = ""] = /^### For callers\n([^]*?)(?=^### |(?![^]))/m.exec(unreleased) ?? [];
  const sections = forCallers.matchAll(/^#### (?:Changed|Removed)\n([^]*?)(?=^#### |(?![^]))/gm);
  return Array.from(sections, ([, section]) => section.split(/^- /m).slice(1)).flat();
}

/** The changes that the changelog does not name. */
function unnamed(changes: string[], changelog: string): string[] {
  const entries = toldToCallers(changelog);
  return changes.filter((each) => !entries.some((entry) => entry.includes(`\`${nameOf(each)}\``)));
}

Deno.test("the changelog names every breaking change since the last release", async () => {
  const changelog = await Deno.readTextFile(`${root}CHANGELOG.md`);
  const record = `${root}generate/released/openapi.json`;
  if (!existsSync(record)) {
    const versions = Array.from(changelog.matchAll(/^## \[(.*?)\]/gm), ([, version]) => version);
    assert.deepEqual(versions, ["Unreleased"], "npm run release:record has not recorded a release");
    return;
  }
  const released = JSON.parse(await Deno.readTextFile(record));
  const changes = unnamed(breakingChanges(released, present), changelog);
  const what =
    "under Changed or Removed for callers, CHANGELOG.md must have an entry with the name";
  assert.deepEqual(changes, [], `${what}:\n${changes.join("\n")}`);
});

Deno.test("a changelog entry must name its change in backticks, under Changed or Removed of the next release", () => {
  const changelog = (entry: string, heading = "Changed", version = "[Unreleased]") =>
    `# Changelog\n\n## ${version}\n\n### For callers\n\n#### Added\n\n- \`x\`\n\n#### ${heading}\n\n- other\n` +
    `- ${entry}\n\n### For operators\n\n#### Changed\n\n- \`Own.field\`\n\n## [0.1.0]\n\n- \`Old.field\`\n`;
  const change = "`Thing.colour` may also be null.";
  const named = (...args: Parameters<typeof changelog>) =>
    unnamed([change], changelog(...args)).length === 0;
  assert.ok(named("`colour` may be null now\n  (`Thing.colour`)."));
  assert.ok(named("`Thing.colour` may be null.", "Removed"));
  assert.ok(!named("`Thing.colour` may be null.", "Fixed"));
  assert.ok(!named("`Thing.colour` may be null.", "Changed", "[0.2.0]"));
  assert.ok(!named("Thing.colour may be null."));
  assert.ok(!named("`Thing.colours` may be null."));
  for (const elsewhere of ["x", "Own.field", "Old.field"]) {
    assert.equal(unnamed([`\`${elsewhere}\` is removed.`], changelog("y")).length, 1, elsewhere);
  }
});

Deno.test("a release record contains everything that the comparison reads, but no descriptions", () => {
  const recorded = recordedRelease(present, "0.0.1");
  assert.deepEqual(breakingChanges(present, recorded), []);
  assert.deepEqual(breakingChanges(recorded, present), []);
  assert.deepEqual(recordedRelease(recorded, "0.0.1"), recorded);
  assert.ok(JSON.stringify(recorded).length < JSON.stringify(present).length * 0.75);
});

Deno.test("a release record omits descriptions, but keeps a field named `description`", () => {
  const thing = {
    type: "object",
    description: "A thing.",
    properties: {
      description: { type: "string", description: "x" },
      examples: { const: { tags: 1 } },
    },
  };
  const document = { openapi: "3.1.0", info: {}, paths: {}, components: { schemas: { thing } } };
  assert.deepEqual(recordedRelease(document, "1").components.schemas.thing, {
    type: "object",
    properties: { description: { type: "string" }, examples: { const: { tags: 1 } } },
  });
});
