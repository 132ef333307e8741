// How the site is built when a source has changed, is wrong, or cannot be downloaded, and when a build is killed.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import packageJson from "../../package.json" with { type: "json" };
import { faultsOfList, GROUPS } from "../../site/pages.ts";
import { root } from "../../local/checkout.ts";
import { until, withFolder } from "../support/started.ts";
import { copyOfCheckout, site, startSite } from "./site_command.ts";

Deno.test("a build follows its sources", async (t) => {
  await withFolder(async (parent) => {
    const checkout = await copyOfCheckout(`${parent}/checkout`);
    const dist = `${checkout}site/dist`;
    const left = () => Array.from(Deno.readDirSync(`${checkout}site`), ({ name }) => name);
    const append = (path: string, text: string) =>
      Deno.writeTextFile(checkout + path, text, { append: true });

    await t.step("two at once build it once", async () => {
      const both = await Promise.all([1, 2].map(() => site(["--unless-current"], { checkout })));
      assert.deepEqual(both.map(({ code }) => code), [0, 0]);
      const said = both.map(({ out }) => out).join("");
      assert.match(said, /^Built \S+\/site\/dist in \d+\.\d s\.\n$/);
      assert.deepEqual(left().filter((name) => name.startsWith("dist")), ["dist"]);
    });

    await t.step("is made anew when a page has changed", async () => {
      await append("docs/deals.md", "\nA new last sentence.\n");
      assert.match((await site(["--unless-current"], { checkout })).out, /^Built /);
      assert.match(await Deno.readTextFile(`${dist}/deals.html`), /A new last sentence\./);
      assert.deepEqual(await site(["--unless-current"], { checkout }), {
        code: 0,
        out: "",
        err: "",
      });
    });

    await t.step("names everything that is wrong, and leaves the site as it was", async () => {
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
          "docs/lost.md has no place on the site: add it to a group of site/pages.ts.",
          "docs/sandbox.md is in site/pages.ts, but there is no such page.",
          "docs/api.md links to nowhere.md, which is not there.",
          "docs/api.md links to docs/deals.md#nothing, but there is no such heading.",
          "docs/erasing.md: <b> is HTML; write Markdown, or put it between backticks.",
        ]
      ) assert.ok(said.includes(sentence), `${sentence}\n${err}`);
      assert.doesNotMatch(err, /checkout\.ts/); // it is there, and the site has its name only
      assert.match(err, /^docs\/merging\.md: a block of code is in "cobol"; known are sh, /m);
      assert.match(await Deno.readTextFile(`${dist}/deals.html`), /A new last sentence\./);
    });
  });
});

Deno.test("without a network the build says so; one that is killed leaves nothing half", async () => {
  await withFolder(async (parent) => {
    const checkout = await copyOfCheckout(`${parent}/checkout`);
    await Deno.remove(`${checkout}site/node_modules/.cache`);
    /** Puts a command in place of npm. */
    const npm = async (script: string) => {
      await Deno.mkdir(`${parent}/bin`, { recursive: true });
      await Deno.writeTextFile(`${parent}/bin/npm`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    };
    const run = { checkout, env: { PATH: `${parent}/bin:${Deno.env.get("PATH")}` } };
    await npm("echo 'getaddrinfo ENOTFOUND registry' >&2; exit 1");
    const { code, err } = await site([], run);
    assert.equal(code, 1);
    assert.match(
      err,
      /npm could not download @scalar\S+ It said:\ngetaddrinfo ENOTFOUND registry$/m,
    );
    assert.ok(!existsSync(`${checkout}site/dist`));

    // While it waits for a download, its pages are written.
    await npm("while :; do sleep 0.1; done");
    const killed = startSite([], run);
    await until(() => existsSync(`${checkout}site/dist.unfinished/index.html`));
    await until(() => existsSync(`${checkout}site/node_modules/.cache/unfinished`));
    killed.kill("SIGKILL");
    await killed.output();
    assert.ok(!existsSync(`${checkout}site/dist`));
    await npm("echo not the package > scalar-api-reference-1.72.1.tgz");
    const wrong = await site([], run);
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /^@scalar\S+ is not the package that this project has chosen: /m);

    await Deno.remove(`${checkout}site/node_modules/.cache`, { recursive: true });
    await Deno.symlink(`${root}site/node_modules/.cache`, `${checkout}site/node_modules/.cache`);
    await Deno.mkdir(`${checkout}site/dist.unfinished`);
    await Deno.writeTextFile(`${checkout}site/dist.unfinished/gone.html`, "of a killed build");
    assert.equal((await site([], run)).code, 0);
    const dist = Array.from(Deno.readDirSync(`${checkout}site/dist`), ({ name }) => name);
    assert.ok(dist.includes("index.html") && !dist.includes("gone.html"));
  });
});

Deno.test("the first build of a fresh checkout installs what it needs", async () => {
  await withFolder(async (parent) => {
    const checkout = await copyOfCheckout(`${parent}/checkout`);
    await Deno.remove(`${checkout}site/node_modules`, { recursive: true });
    // The real npm; what was downloaded before is not downloaded again.
    const npm = `#!/bin/sh
PATH=$REAL_PATH npm "$@" && ln -s ${root}site/node_modules/.cache node_modules/.cache
`;
    await Deno.mkdir(`${parent}/bin`);
    await Deno.writeTextFile(`${parent}/bin/npm`, npm, { mode: 0o755 });
    const REAL_PATH = Deno.env.get("PATH")!;
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", packageJson.scripts.site],
      cwd: checkout,
      env: { REAL_PATH, PATH: `${parent}/bin:${root}node_modules/.bin:${REAL_PATH}` },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.deepEqual([code, /^Built /m.test(out)], [0, true], err);
  });
});

Deno.test("a page is in the list once", () => {
  const pages = GROUPS.flatMap((group) => group.pages);
  assert.deepEqual(faultsOfList(pages), []);
  GROUPS[0].pages.push(pages[0]);
  assert.deepEqual(faultsOfList(pages), [`${pages[0]} is in site/pages.ts twice.`]);
  GROUPS[0].pages.pop();
});

Deno.test("an address that is not that of the API is refused", async () => {
  const { code, err } = await site(["--api-url", "https://crm.example/functions"]);
  assert.equal(code, 1);
  assert.match(err, /It begins with https:\/\/ and ends in \/functions\/v1\./);
});
