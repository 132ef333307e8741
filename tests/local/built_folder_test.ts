// Tests that a build replaces only an earlier build of the same kind.
import assert from "node:assert/strict";
import { replaceFolder } from "../../local/built_folder.ts";
import { stateOfSettings } from "../../local/settings_sources.ts";
import { MADE_OF, stateOfSources } from "../../local/site_sources.ts";
import { withFolder } from "../support/started.ts";

const SITE = ["a site", stateOfSources()] as const;
const SETTINGS = ["the settings page", stateOfSettings()] as const;

Deno.test("a build replaces an earlier build of the same kind, and never a build of the other kind", async () => {
  for (const [[own, state], [other, otherState]] of [[SITE, SETTINGS], [SETTINGS, SITE]]) {
    await withFolder(async (folder) => {
      const out = `${folder}/public`;
      const write = (what: string) => (unfinished: string) =>
        Deno.writeTextFile(`${unfinished}/index.html`, what);
      const shown = () => Deno.readTextFile(`${out}/index.html`);
      await replaceFolder(out, own, state, write("first"));
      await replaceFolder(out, own, state, write("second"));
      assert.equal(await shown(), "second");
      await assert.rejects(
        replaceFolder(out, other, otherState, write("third")),
        new RegExp(`public contains something other than ${other}\\. Choose a new folder`),
      );
      assert.equal(await shown(), "second");
      // Earlier versions did not store the kind.
      await Deno.writeTextFile(`${out}/${MADE_OF}`, "0123abcd");
      await replaceFolder(out, own, state, write("fourth"));
      assert.equal(await shown(), "fourth");
    });
  }
});
