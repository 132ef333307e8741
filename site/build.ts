import { basename, dirname, join } from "node:path";
import { replaceFolder } from "../local/built_folder.ts";
import { root } from "../local/checkout.ts";
import { LOCAL_API_URL } from "../local/usual_port.ts";
import { landingPage } from "./landing.ts";
import { pageOf, type Site } from "./layout.ts";
import { listOfPages, wholeText } from "./llms.ts";
import { type Files, readPages } from "./page.ts";
import { faultsOfList, GROUPS, placeOf } from "./pages.ts";
import { referencePage, STATIC_SETTINGS } from "./reference.ts";
import { scalarFile } from "./scalar.ts";
import { faultsOfWords, sectionsOf } from "./search.ts";
import { filesBelow, stateOfSources } from "../local/site_sources.ts";
import { guidesOf } from "./guides.ts";
import { operationsOf } from "./operations.ts";
import { OPENAPI_FILE, readOpenApi } from "./openapi.ts";

export interface SiteOptions {
  /** The folder of the site. At the end, the build replaces the folder's earlier content. */
  out: string;
  /** The API's base URL, which ends in /functions/v1; null for the local stack. */
  apiUrl: string | null;
  /** The build calls this function before each step that may take a moment. */
  progress(step: string): void;
}

/**
 * Builds the site. Until the new site is complete, the earlier site stays in the folder.
 *
 * @throws Error with a sentence for each wrong page, broken link or failed download.
 */
export async function buildSite({ out, apiUrl, progress }: SiteOptions): Promise<void> {
  await replaceFolder(out, "a site", stateOfSources(), async (unfinished) => {
    for (const [place, content] of await contentOf(apiUrl)) {
      const path = join(unfinished, place);
      await Deno.mkdir(dirname(path), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(path, content);
      else await Deno.copyFile(content.copyOf, path);
    }
    await Deno.copyFile(await scalarFile(progress), join(unfinished, "scalar.js"));
    const search = join(root, "site/node_modules/minisearch/dist/es/index.js");
    await Deno.copyFile(search, join(unfinished, "minisearch.js"));
  });
}

/** In pages and examples, this placeholder means the URL of a deployment. */
const ANY_PROJECT = "https://<project>.supabase.co/functions/v1";

type Content = string | { copyOf: string };

/** All files of the site by path, without the files that come from packages. */
async function contentOf(apiUrl: string | null): Promise<Map<string, Content>> {
  const there = [...filesBelow("docs"), "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
    .filter((path) => path.endsWith(".md"));
  const files: Files = new Map(
    filesBelow("examples").map((path) => [path, path.replace(/^examples\//, "files/")]),
  );
  files.set(OPENAPI_FILE, "openapi.json");
  const listed = GROUPS.flatMap((group) => group.pages).filter((path) => there.includes(path));
  const openapi = await readOpenApi(apiUrl);
  const operations = operationsOf(openapi);
  const { pages, faults } = await readPages(
    listed,
    files,
    operations,
    (text) => apiUrl === null ? text : text.replaceAll(ANY_PROJECT, apiUrl),
  );
  const sections = sectionsOf(pages, operations);
  faults.unshift(...faultsOfList(there), ...faultsOfWords(sections));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const site: Site = {
    name: openapi.info.title,
    groups: GROUPS.map((group) => ({
      ...group,
      pages: group.pages.map((path) => {
        const { place, title } = pages.find((page) => page.place === placeOf(path))!;
        return { place, title };
      }),
    })),
  };
  const list = listOfPages(site.name, openapi.info.summary, pages);
  const notFound = pageOf(site, {
    place: "404",
    title: "This page does not exist",
    description: "There is no page at this URL.",
    main: "<h1>This page does not exist</h1>\n<p>There is no page at this URL. <a " +
      'href="index.html">The first page</a> lists all pages.</p>',
    kind: "landing",
    asMarkdown: false,
  });

  return new Map<string, Content>([
    ["index.html", landingPage({ site, pages, apiUrl })],
    ["index.md", list],
    ["llms.txt", list],
    ["llms-full.txt", wholeText(pages)],
    ["search.json", JSON.stringify(sections)],
    ["404.html", notFound],
    ["reference.html", referencePage(site)],
    ["reference-settings.json", JSON.stringify(STATIC_SETTINGS)],
    ["reference-guides.json", JSON.stringify(guidesOf(pages, operations))],
    ["openapi.json", JSON.stringify(openapi)],
    ...pages.flatMap((page): [string, Content][] => [
      [`${page.place}.html`, pageOf(site, { ...page, main: page.html })],
      [`${page.place}.md`, page.markdown],
    ]),
    ...await filesFor(apiUrl, files),
    ...filesBelow("site/assets").map((path): [string, Content] => [
      basename(path),
      { copyOf: join(root, path) },
    ]),
  ]);
}

/**
 * The files in addition to the pages. In the JSON files, which other tools import, the deployment's
 * URL replaces the local URL.
 */
async function filesFor(apiUrl: string | null, files: Files): Promise<[string, Content][]> {
  const others = [...files].filter(([, to]) => to !== "openapi.json");
  return await Promise.all(others.map(async ([from, to]): Promise<[string, Content]> => {
    const path = join(root, from);
    if (apiUrl === null || !to.endsWith(".json")) return [to, { copyOf: path }];
    const text = await Deno.readTextFile(path);
    const filled = text.replaceAll(JSON.stringify(LOCAL_API_URL), JSON.stringify(apiUrl));
    return [to, filled.replaceAll(ANY_PROJECT, apiUrl)];
  }));
}
