// Tests the built site: every page, every link, and that nothing is loaded from other hosts.
import assert from "node:assert/strict";
import { posix } from "node:path";
import openapi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { GROUPS, placeOf } from "../../site/pages.ts";
import { stack, statement } from "../support/test_stack.ts";
import { anchors, readPage, readPages } from "../docs/pages.ts";
import { site } from "./site_command.ts";

const API = "https://crm.example/functions/v1";
const folder = await Deno.makeTempDir({ prefix: "crm-site-" });
const ending = await site(["--out", `${folder}/site`, "--api-url", `${API}/`]);
assert.equal(ending.code, 0, ending.err);

/** The text of every file of the site, by path. */
const files = new Map<string, string>();
function* pathsBelow(path: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/site/${path}`)) {
    if (isDirectory) yield* pathsBelow(`${path}${name}/`);
    else yield path + name;
  }
}
for (const path of pathsBelow("")) {
  files.set(path, await Deno.readTextFile(`${folder}/site/${path}`));
}
await Deno.remove(folder, { recursive: true });

const endingIn = (extension: string) => [...files].filter(([path]) => path.endsWith(extension));
const pages = endingIn(".html");
/** The pages with the layout of the guides. */
const own = pages.filter(([path]) => path !== "reference.html");
const listed = GROUPS.flatMap((group) => group.pages);

/** The values of an HTML attribute, with entities decoded. */
function values(html: string, attribute: string): string[] {
  const found = html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, "g"));
  return Array.from(found, ([, value]) => value.replaceAll("&amp;", "&"));
}

Deno.test("the site contains every page of docs/ as HTML and as Markdown", async () => {
  const written = (await readPages()).map(({ path }) => path)
    .filter((path) => path.startsWith("docs/"));
  assert.deepEqual(written.filter((path) => !listed.includes(path)), []);
  for (const path of listed) {
    const place = placeOf(path);
    const [, title] = /^# (.+)$/m.exec((await readPage(path)).text)!;
    assert.ok(files.get(`${place}.md`)?.startsWith(`# ${title}\n`), place);
    const html = files.get(`${place}.html`) ?? "";
    assert.match(html, /^<!doctype html>\n<html lang="en">/, place);
    assert.match(html, /<meta name="description" content="[^"]{20,}">/, place);
    assert.equal(html.match(/<h1 /g)?.length, 1, place);
  }
});

Deno.test("the pages and files of a deployed site contain the deployment's URL instead of the placeholder", () => {
  const gettingStarted = files.get("getting-started.md")!;
  assert.match(gettingStarted, /^export CRM_API_URL=https:\/\/crm\.example\/functions\/v1$/m);
  for (const [path, text] of files) {
    assert.doesNotMatch(text, /(<|&lt;)project(>|&gt;)\.supabase\.co\/functions\/v1(?!\/)/, path);
    // The workflow for receiving webhooks makes no request.
    const makesRequests = path.startsWith("files/") && path.endsWith(".json") &&
      !path.endsWith("/receive-events.json");
    if (makesRequests) assert.ok(text.includes(`"value": "${API}"`), path);
  }
});

Deno.test("the reference lists the methods of every path in the same order", () => {
  const shown = JSON.parse(files.get("openapi.json")!);
  assert.deepEqual(shown.paths, openapi.paths);
  const methods = (path: string) => Object.keys(shown.paths[path]);
  assert.deepEqual(methods("/gateway/contacts"), ["get", "post", "put"]);
  assert.deepEqual(methods("/gateway/contacts/{id}"), ["get", "patch", "delete"]);
  assert.deepEqual(methods("/gateway/deals/{id}"), ["get", "patch", "delete"]);
});

Deno.test("every link and every anchor on the site has an existing target", () => {
  let followed = 0;
  for (const [path, html] of pages) {
    for (const address of [...values(html, "href"), ...values(html, "src")]) {
      if (/^[a-z]+:/.test(address)) continue;
      followed++;
      // A URL that begins with a slash would fail on a site that is served below a path.
      assert.doesNotMatch(address, /^\//, `${path}: ${address}`);
      const [name, anchor] = address.split("#");
      const to = name === "" ? path : posix.normalize(`${posix.dirname(path)}/${name}`);
      const target = files.get(to);
      assert.ok(target !== undefined, `${path} links to ${address}`);
      if (anchor === undefined) continue;
      // Scalar creates the anchors of the reference.
      const [, , method, operation] = /^tag\/(\w+)\/([A-Z]+)(\/.+)$/.exec(anchor) ?? [];
      const isThere = to === "reference.html"
        ? method.toLowerCase() in openapi.paths[operation as keyof typeof openapi.paths]
        : values(target, "id").includes(anchor);
      assert.ok(isThere, `${path}: ${address}`);
    }
  }
  assert.ok(followed > 1000);
});

Deno.test("every link in the Markdown pages leads to a page that also exists as Markdown", () => {
  for (const [path, text] of [...endingIn(".md"), ["llms.txt", files.get("llms.txt")!]]) {
    const prose = text.replaceAll(/^( *)```[^]*?^\1```$/gm, "");
    for (const [, address] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:|^#/.test(address)) continue;
      const to = posix.normalize(`${posix.dirname(path)}/${address.split("#")[0]}`);
      assert.ok(files.has(to), `${path} links to ${address}`);
      assert.doesNotMatch(to, /\.html$/, path);
    }
  }
});

Deno.test("headings on the site have the same anchors as on GitHub", async () => {
  for (const path of listed) {
    const html = files.get(`${placeOf(path)}.html`)!;
    const found = Array.from(html.matchAll(/<h\d id="([^"]*)"/g), ([, anchor]) => anchor);
    assert.deepEqual(found, anchors(await readPage(path)), path);
  }
});

Deno.test("a page loads nothing from other hosts, and contains no inline script or style", () => {
  for (const [path, html] of own) {
    const loaded = html.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]+)"/g);
    for (const [, address] of loaded) assert.doesNotMatch(address, /^([a-z]+:|\/\/)/, path);
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| style=| on\w+=/, path);
    assert.match(html, /http-equiv="Content-Security-Policy" content="default-src 'self';/, path);
  }
  assert.doesNotMatch(files.get("style.css")!, /https?:|url\(|@import|@font-face/);
  assert.ok(files.get("site.js")!.length < 2500 && files.get("style.css")!.length < 16_000);
});

Deno.test("a page is highlighted in the menu, and links to the previous page, the next page and its Markdown version", () => {
  const html = files.get("finding.html")!;
  assert.match(html, /<a href="finding\.html" aria-current="page">Finding records<\/a>/);
  assert.equal(html.match(/aria-current/g)?.length, 1);
  assert.match(html, /rel="prev" href="[\w-]+\.html"[^]*rel="next" href="[\w-]+\.html"/);
  assert.match(html, /<link rel="alternate" type="text\/markdown" href="finding\.md">/);
  assert.match(html, /<a class="skip" href="#main">/);
});

/** The text of a page's code blocks. */
function codesOf(html: string): string[] {
  const codes = html.matchAll(/<pre tabindex="0"><code>([^]*?)<\/code>/g);
  return Array.from(codes, ([, code]) => {
    const text = code.replaceAll(/<[^>]*>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">");
    return text.replaceAll("&quot;", '"').replaceAll(/&#(x27|39);/g, "'").replaceAll("&amp;", "&");
  });
}

Deno.test("highlighted code keeps its text unchanged", async () => {
  const page = await readPage("docs/finding.md");
  const texts = codesOf(files.get("finding.html")!);
  assert.deepEqual(texts, page.blocks.map(({ text }) => text.replace(/\n$/, "")));
  assert.match(files.get("finding.html")!, /<span class="hljs-string">/);
});

Deno.test("the search finds every heading of every page, with the text below the heading", () => {
  const sections: {
    address: string;
    heading: string;
    page: string;
    text: string;
    forCallers: boolean;
  }[] = JSON.parse(files.get("search.json")!);
  const found = sections.map(({ address }) => address);
  for (const path of listed) {
    const place = placeOf(path);
    const ids = Array.from(files.get(`${place}.html`)!.matchAll(/<h[2-6] id="([^"]*)"/g));
    for (const [, id] of ids) assert.ok(found.includes(`${place}.html#${id}`), `${place}#${id}`);
    assert.ok(found.includes(`${place}.html`), place);
  }
  const { heading, page, text, forCallers } = sections.find(({ address }) =>
    address === "finding.html#by-custom-field"
  )!;
  assert.deepEqual([heading, page, forCallers], ["By custom field", "Finding records", true]);
  assert.match(text, /^custom_fields\.<key>= accepts values, .* Shell curl --get \S+\/contacts -H/);
});

Deno.test("llms.txt lists every page with a description", () => {
  const text = files.get("llms.txt")!;
  assert.match(text, /^# CRM and messaging API\n\n> .+\n/);
  for (const path of listed) {
    assert.match(text, new RegExp(`^- \\[[^\\]]+\\]\\(${placeOf(path)}\\.md\\): .{20}`, "m"), path);
  }
  assert.ok(files.get("llms-full.txt")!.includes(files.get("finding.md")!.trim()));
});

Deno.test("the API's description and the first request contain the configured URL", () => {
  const { servers, ...rest } = JSON.parse(files.get("openapi.json")!);
  assert.deepEqual(servers, [{ url: API }]);
  const { servers: _, ...expected } = openapi;
  assert.deepEqual(rest, expected);
  assert.ok(files.get("index.html")!.includes(`CRM_API_URL=${API}\n`));
});

Deno.test("the first request on the first page returns the response that the page shows", async () => {
  const [request, shown] = codesOf(files.get("index.html")!);
  const [, path] = /"\$CRM_API_URL(\S+)"/.exec(request)!;
  const headers = { Authorization: `Bearer ${stack.demo!.api_key}` };
  // Other tests add contacts to the demo company. These contacts are newer than the company's key,
  // which the stack creates at startup.
  const { company_id } = stack.demo!;
  const [{ start }] = await statement`
    select min(created_at) as start from api_keys where company_id = ${company_id}
  `;
  const url = new URL(`${stack.url}/functions/v1${path}`);
  url.searchParams.set("created_at[lt]", start.toISOString());
  const answer = await (await fetch(url, { headers })).json();
  answer.pagination.next_cursor = "…";
  assert.deepEqual(answer, JSON.parse(shown));
});

Deno.test("the reference uses Scalar without Scalar's online services, and sends no requests on a static host", () => {
  assert.deepEqual(JSON.parse(files.get("reference-settings.json")!), { tryIt: false });
  const settings = files.get("reference.js")!;
  for (
    const setting of ["withDefaultFonts: false", "telemetry: false", "agent: { disabled: true }"]
      .concat("mcp: { disabled: true }", "hideClientButton: true", 'showDeveloperTools: "never"')
      .concat("hideTestRequestButton: !settings.tryIt")
  ) assert.ok(settings.includes(setting), setting);
  assert.ok(files.get("scalar.js")!.length > 4_000_000);
  const html = files.get("reference.html")!;
  assert.deepEqual(values(html, "src"), ["scalar.js", "reference.js"]);
  assert.match(html, /content="default-src 'self'; script-src 'self' 'unsafe-eval'; style-src/);
});
