// Tests site builds without downloads, after a killed build, and with changed or invalid sources.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import { faultsOfList, GROUPS } from "../../site/pages.ts";
import { until, withFolder } from "../support/started.ts";
import { copyOfCheckout, site, startSite } from "./site_command.ts";

Deno.test("a build works on a copy of this checkout", async (t) => {
  await withFolder(async (parent) => {
    const checkout = await copyOfCheckout(`${parent}/checkout`);
    const dist = `${checkout}site/dist`;
    const cache = `${checkout}site/node_modules/.cache`;
    const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name);
    const append = (path: string, text: string) =>
      Deno.writeTextFile(checkout + path, text, { append: true });
    /** Replaces `npm` with this shell script. */
    const npm = async (script: string) => {
      await Deno.mkdir(`${parent}/bin`, { recursive: true });
      await Deno.writeTextFile(`${parent}/bin/npm`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    };
    const run = { checkout, env: { PATH: `${parent}/bin:${Deno.env.get("PATH")}` } };
    await Deno.remove(cache);

    await t.step(
      "a build without a network connection reports the failed download and leaves no files",
      async () => {
        await npm("echo 'getaddrinfo ENOTFOUND registry' >&2; exit 1");
        const { code, err } = await site([], run);
        assert.equal(code, 1);
        assert.match(
          err,
          /npm could not download @scalar\S+ npm reported:\ngetaddrinfo ENOTFOUND registry$/m,
        );
        assert.deepEqual(names(`${checkout}site`).filter((name) => name.startsWith("dist")), []);
      },
    );

    await t.step("a build refuses a package that differs from the pinned package", async () => {
      await npm("echo not the package > scalar-api-reference-1.72.1.tgz");
      const { code, err } = await site([], run);
      assert.equal(code, 1);
      assert.match(err, /^@scalar\S+ is not the pinned package: /m);
    });

    await t.step("a killed build leaves no half-finished site in site/dist", async () => {
      // The build writes its pages while it waits for a download.
      await npm("while :; do sleep 0.1; done");
      const killed = startSite([], run);
      await until(() => existsSync(`${dist}.unfinished/index.html`));
      await until(() => existsSync(`${cache}/unfinished`));
      killed.kill("SIGKILL");
      await killed.output();
      assert.ok(!existsSync(dist));
      await Deno.writeTextFile(`${dist}.unfinished/gone.html`, "of the killed build");
    });

    await t.step("two simultaneous installations install the packages once", async () => {
      await Deno.remove(`${checkout}site/node_modules`, { recursive: true });
      const packages = ["marked", "highlight.js", "minisearch", ".cache"].map((name) =>
        `ln -s "${root}site/node_modules/${name}" node_modules/`
      );
      await npm(`[ "$1" = ci ] && mkdir node_modules && ${packages.join(" && ")}`);
      const both = await Promise.all([1, 2].map(() => site(["--unless-current"], run)));
      assert.deepEqual(both.map(({ code }) => code), [0, 0]);
      const said = both.map(({ out }) => out).join("");
      assert.match(said, /^Built \S+\/site\/dist in \d+\.\d s\.\n$/);
      assert.deepEqual(names(`${checkout}site`).filter((name) => /^dist/.test(name)), ["dist"]);
      assert.ok(existsSync(`${dist}/index.html`) && !existsSync(`${dist}/gone.html`));
    });

    await t.step("a build refuses a folder whose content is not a site", async () => {
      const other = await site(["--out", checkout], { checkout });
      assert.equal(other.code, 1);
      assert.match(
        other.err,
        /checkout contains something other than a site\. Choose a new folder/,
      );
      assert.ok(existsSync(`${checkout}docs/deals.md`));
    });

    await t.step("the site is rebuilt only if a page has changed", async () => {
      await append("docs/deals.md", "\nA new last sentence.\n");
      assert.match((await site(["--unless-current"], { checkout })).out, /^Built /);
      assert.match(await Deno.readTextFile(`${dist}/deals.html`), /A new last sentence\./);
      const nothing = { code: 0, out: "", err: "" };
      assert.deepEqual(await site(["--unless-current"], { checkout }), nothing);
    });

    await t.step("a failed build reports every error and keeps the previous site", async () => {
      await append(
        "docs/api.md",
        "[a](nowhere.md) [b](deals.md#nothing) [c](../local/checkout.ts)\n",
      );
      await append("docs/merging.md", "\n```cobol\n```\n");
      await append("docs/erasing.md", "\nA <b>bold</b> word.\n");
      await Deno.writeTextFile(`${checkout}docs/lost.md`, "# Lost\n\nA page.\n");
      await Deno.remove(`${checkout}docs/sandbox.md`);
      const { code, out, err } = await site([], { checkout });
      assert.deepEqual([code, out], [1, ""]);
      const said = err.trim().split("\n");
      for (
        const sentence of [
          "docs/lost.md is missing from the site: add it to a group of site/pages.ts.",
          "docs/sandbox.md is in site/pages.ts, but there is no such page.",
          "docs/api.md links to nowhere.md, which does not exist.",
          "docs/api.md links to docs/deals.md#nothing, but there is no such heading.",
          "docs/erasing.md: <b> is HTML; write Markdown, or put it between backticks.",
        ]
      ) assert.ok(said.includes(sentence), `${sentence}\n${err}`);
      assert.doesNotMatch(err, /checkout\.ts/); // this link is valid
      assert.match(
        err,
        /^docs\/merging\.md: a block of code is in "cobol"; known languages are sh, /m,
      );
      assert.match(await Deno.readTextFile(`${dist}/deals.html`), /A new last sentence\./);
    });
  });
});

Deno.test("a page that is listed twice is refused", () => {
  const pages = GROUPS.flatMap((group) => group.pages);
  assert.deepEqual(faultsOfList(pages), []);
  GROUPS[0].pages.push(pages[0]);
  assert.deepEqual(faultsOfList(pages), [`${pages[0]} is in site/pages.ts twice.`]);
  GROUPS[0].pages.pop();
});

Deno.test("a URL that cannot be the API's URL is refused", async () => {
  const { code, err } = await site(["--api-url", "https://crm.example/functions"]);
  assert.equal(code, 1);
  assert.match(err, /The URL must begin with http:\/\/ or https:\/\/ and end in \/functions\/v1\./);
});
