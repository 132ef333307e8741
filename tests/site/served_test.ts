// Tests the local stack's responses at /docs, with a small site instead of the real site.
import assert from "node:assert/strict";
import { serveDocs } from "../../local/docs.ts";
import { existsSync } from "node:fs";
import { until, withFolder } from "../support/started.ts";

const KEY = "sk_live_demo";
const PORT = 7654;

interface Served {
  parent: string;
  /** Requests a path without following redirects. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Marks the site as outdated, and replaces its build script. */
  change(build: string): Promise<void>;
  /** Ends a build in progress. */
  stop(): void;
}

/** Serves a small site that a script builds. */
async function served(
  work: (served: Served) => Promise<void>,
  { patienceMs = 30_000, folder = "/srv/other data" } = {},
) {
  await withFolder(async (parent) => {
    const script = `${parent}/build.mjs`;
    const write = (build: string) =>
      Deno.writeTextFile(
        script,
        `import fs from "node:fs"; process.chdir(${JSON.stringify(parent)});\n${build}`,
      );
    await write(BUILD);
    let isCurrent = false;
    const docs = serveDocs({
      apiKey: KEY,
      port: PORT,
      folder,
      site: {
        folder: `${parent}/site`,
        isCurrent: () => isCurrent,
        build: ["run", "--allow-all", "--no-prompt", script],
      },
      patienceMs,
    });
    const get = async (path: string, init?: RequestInit) => {
      const answer = await docs.fetch(new Request(`http://127.0.0.1${path}`, init));
      isCurrent ||= answer.status === 200;
      return answer;
    };
    const change = async (build: string) => {
      isCurrent = false;
      await write(build);
    };
    try {
      await work({ parent, get, change, stop: docs.stop });
    } finally {
      docs.stop();
    }
  });
}

const BUILD = `
fs.appendFileSync("builds", ".");
fs.mkdirSync("site/recipes", { recursive: true });
fs.writeFileSync("site/.made-of", "");
fs.writeFileSync("site/index.html", "<title>First page</title>");
fs.writeFileSync("site/404.html", "<head><title>Missing</title>");
fs.writeFileSync("site/style.css", "a{}");
for (const name of ["a.html", "a.md", "a.json", "a.js"]) {
  fs.writeFileSync("site/" + name, "curl http://127.0.0.1:54321/functions/v1 ./.local/stack.json");
}
fs.writeFileSync("site/recipes/a b.html", "a recipe");
fs.writeFileSync("outside.html", "outside");
fs.symlinkSync("../outside.html", "site/link.html");
`;

Deno.test("the stack builds the site only on the first visit, and serves the files with their content types", async () => {
  await served(async ({ parent, get }) => {
    const both = await Promise.all([get("/docs/"), get("/docs/style.css")]);
    assert.deepEqual(await Promise.all(both.map((answer) => answer.text())), [
      "<title>First page</title>",
      "a{}",
    ]);
    assert.deepEqual(both.map(({ headers }) => headers.get("Content-Type")), [
      "text/html; charset=utf-8",
      "text/css; charset=utf-8",
    ]);
    const [{ headers }] = both;
    assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
    assert.equal(headers.get("Cross-Origin-Resource-Policy"), "same-origin");
    assert.equal(await (await get("/docs/recipes/a%20b.html")).text(), "a recipe");
    assert.equal(await Deno.readTextFile(`${parent}/builds`), ".");

    const moved = await get("/docs?a=b");
    assert.deepEqual([moved.status, moved.headers.get("Location")], [308, "/docs/?a=b"]);
    const tag = headers.get("ETag")!;
    const known = await get("/docs/", { headers: { "If-None-Match": `"x", ${tag}` } });
    assert.deepEqual([known.status, known.headers.get("ETag")], [304, tag]);
    const posted = await get("/docs/", { method: "POST", body: "a" });
    assert.deepEqual([posted.status, posted.headers.get("Allow")], [405, "GET, HEAD"]);
  });
});

Deno.test("no URL path leads to a file outside the site", async () => {
  await served(async ({ get }) => {
    await (await get("/docs/")).text();
    const paths = ["nothing.html", "..%2foutside.html", "%2e%2e%2foutside.html", "link.html"]
      .concat("..%5coutside.html", ".made-of", "%2emade-of", "recipes", "recipes/", "%", "%00")
      .concat("recipes/..%2f..%2foutside.html", "//outside.html", "%2f", "a/b/c.html")
      .concat("x".repeat(5000));
    for (const path of paths) {
      const answer = await get(`/docs/${path}`);
      const text = await answer.text();
      assert.equal(answer.status, 404, path);
      assert.equal(text, '<head>\n<base href="/docs/"><title>Missing</title>', path);
    }
  });
});

Deno.test("pages and files contain this stack's URL and folder, and the site's scripts remain unchanged", async () => {
  const tags = new Set<string | null>();
  const folders = { "/srv/other data": undefined, "/srv/'ana\"": "./.local" };
  for (const [folder, shown = folder] of Object.entries(folders)) {
    await served(async ({ get }) => {
      for (const name of ["a.html", "a.md", "a.json"]) {
        const answer = await get(`/docs/${name}`);
        const text = `curl http://127.0.0.1:${PORT}/functions/v1 ${shown}/stack.json`;
        assert.equal(await answer.text(), text);
        tags.add(answer.headers.get("ETag"));
      }
      assert.match(await (await get("/docs/a.js")).text(), /:54321/);
    }, { folder });
  }
  assert.equal(tags.size, 2, "a browser must not cache the page of another stack");
});

Deno.test("if the site's files were removed, the response is a 404 that says that the page does not exist", async () => {
  await served(async ({ parent, get }) => {
    await (await get("/docs/")).text();
    await Deno.remove(`${parent}/site`, { recursive: true });
    const answer = await get("/docs/a.html");
    assert.deepEqual([answer.status, /This page does not exist/.test(await answer.text())], [
      404,
      true,
    ]);
  });
});

Deno.test("the reference's settings contain the demo key, and only pages of this stack can read the key", async () => {
  await served(async ({ get }) => {
    const answer = await get("/docs/reference-settings.json");
    assert.deepEqual(await answer.json(), { tryIt: true, server: "/functions/v1", apiKey: KEY });
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
    assert.equal(answer.headers.get("Cross-Origin-Resource-Policy"), "same-origin");
    assert.equal(answer.headers.get("Access-Control-Allow-Origin"), null);
  });
});

Deno.test("after a failed build, the page shows the error, and the next visit starts a new build", async () => {
  await served(async ({ get, change }) => {
    await change(
      'console.error("docs/a.md links to <b>, which does not exist."); process.exit(1);',
    );
    const failed = await get("/docs/");
    const text = await failed.text();
    assert.equal(failed.status, 500);
    assert.match(text, /could not be built[^]*links to &lt;b>, which does not exist\./);
    assert.match(text, /Load this page again/);
    await change(BUILD);
    assert.equal(await (await get("/docs/")).text(), "<title>First page</title>");
  });
});

Deno.test("during a slow build, the page reloads itself", async () => {
  await served(async ({ parent, get, change }) => {
    await change(
      `while (!fs.existsSync("go")) await new Promise((go) => setTimeout(go, 20));${BUILD}`,
    );
    const early = await get("/docs/");
    assert.deepEqual([early.status, early.headers.get("Retry-After")], [503, "2"]);
    assert.match(await early.text(), /is being built[^]*/);
    await Deno.writeTextFile(`${parent}/go`, "");
    let answer = early;
    while (answer.status === 503) answer = await get("/docs/");
    assert.equal(await answer.text(), "<title>First page</title>");
    assert.equal(await Deno.readTextFile(`${parent}/builds`), ".");
  }, { patienceMs: 100 });
});

Deno.test("when the stack stops, a build in progress and its child processes also stop", async () => {
  await served(async ({ parent, get, change, stop }) => {
    // Like npm, this program ignores a SIGTERM while it waits for its child process.
    await change(`import { spawnSync } from "node:child_process";
      spawnSync("sh", ["-c", "trap : TERM; echo $$ > child; while :; do sleep 0.1; done"]);`);
    const visit = get("/docs/");
    const child = () => Number(Deno.readTextFileSync(`${parent}/child`));
    await until(() => existsSync(`${parent}/child`) && child() > 0);
    stop();
    assert.equal((await visit).status, 500);
    await until(() => !isAlive(child()));
  });
});

function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch {
    return false;
  }
}
