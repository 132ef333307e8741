import { encodeBase64 } from "deno-std/encoding/base64.js";
import { build, type BuildResult, type Metafile, type Plugin, stop, transform } from "esbuild";
import { join } from "node:path";
import { replaceFolder } from "../local/built_folder.ts";
import { root } from "../local/checkout.ts";
import { stateOfSettings } from "../local/settings_sources.ts";
import type { Config } from "./page/page_config.ts";

export interface SettingsOptions {
  /** The page's folder. The folder's earlier content is replaced when the build is complete. */
  out: string;
  /**
   * The content of config.json. If it is null, the build does not write the file, because the host
   * serves its own config.json.
   */
  config: Config | null;
}

const PAGE = join(root, "settings", "page");
const ASSETS = join(root, "settings", "assets");

/** The files that the build wrote. Each entry names the file's source and its imports. */
export type Made = Metafile["outputs"];

/**
 * Builds the page: index.html, its styles, its scripts and config.json. The names of the scripts
 * depend on their content.
 */
export async function buildSettings({ out, config }: SettingsOptions): Promise<Made> {
  let all: Made = {};
  await replaceFolder(out, "the settings page", stateOfSettings(), async (folder) => {
    const { scripts, preloads, style, first, made } = await bundle(folder);
    all = made;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(first));
    const tags = [
      ...preloads.map((name) => `<link rel="modulepreload" href="${name}">`),
      ...scripts.map((name) => `<script type="module" src="${name}"></script>`),
    ];
    const html = (await Deno.readTextFile(join(ASSETS, "index.html")))
      .replace("%policy%", policyFor(config, encodeBase64(digest)))
      .replaceAll("%style%", style)
      .replace("%first%", first)
      .replace("%icon%", await inlineIcon())
      .replace("%scripts%", tags.join("\n"));
    await Deno.writeTextFile(join(folder, "index.html"), html);
    await Deno.copyFile(join(ASSETS, "favicon.svg"), join(folder, "favicon.svg"));
    if (config) {
      await Deno.writeTextFile(
        join(folder, "config.json"),
        JSON.stringify(config, null, 2) + "\n",
      );
    }
  });
  return all;
}

/** The esbuild options that are the same for styles and for scripts. */
const COMMON = {
  chunkNames: "[name]-[hash]",
  entryNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  metafile: true,
  legalComments: "none",
  logLevel: "silent",
  absWorkingDir: root,
} as const;

/** What index.html loads. */
interface Bundled {
  /** The scripts that run, in this order. */
  scripts: string[];
  /** The files that these scripts import. */
  preloads: string[];
  style: string;
  /** The inline style in index.html. */
  first: string;
  made: Made;
}

/** Writes scripts and styles into the folder. */
async function bundle(folder: string): Promise<Bundled> {
  try {
    const views = Array.from(Deno.readDirSync(join(ASSETS, "views")), ({ name }) => name);
    const styled = await build({
      ...COMMON,
      entryPoints: [join(ASSETS, "style.css"), ...views.map((name) => join(ASSETS, "views", name))],
      outdir: folder,
    });
    const styles = filesOf(styled);
    const ofViews = views.map((name) => [name.replace(/\.css$/, ""), styles.get(`views/${name}`)!]);
    const first = await transform(await Deno.readTextFile(join(ASSETS, "first.css")), {
      ...{ loader: "css", minify: true },
    });
    const { metafile: { outputs } } = await build({
      ...COMMON,
      entryPoints: ["start", "main", "supabase"].map((name) => join(PAGE, `${name}.ts`)),
      outdir: folder,
      splitting: true,
      format: "esm",
      target: "es2022",
      define: { __STYLES__: JSON.stringify(Object.fromEntries(ofViews)) },
      plugins: [PAGE_SOURCES],
      // supabase-js is installed with the packages of the checkout.
      nodePaths: [join(root, "node_modules")],
    });
    const pathOf = (entry: string) =>
      Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith(`page/${entry}`))!;
    const scripts = [pathOf("start.ts"), pathOf("main.ts")];
    const needed = new Set(
      scripts.flatMap((path) =>
        outputs[path].imports.filter(({ kind }) => kind === "import-statement")
          .map(({ path }) => path)
      ),
    );
    return {
      scripts: scripts.map(nameOf),
      preloads: [...needed].map(nameOf),
      style: styles.get("style.css")!,
      first: first.code.trim(),
      made: { ...styled.metafile.outputs, ...outputs },
    };
  } finally {
    await stop();
  }
}

/** The icon as a data URI, which needs no request. */
async function inlineIcon(): Promise<string> {
  const icon = await Deno.readTextFile(join(ASSETS, "favicon.svg"));
  return icon.replace(/xmlns="[^"]*"/, 'width="28" height="28" aria-hidden="true"').trim();
}

function nameOf(path: string): string {
  return path.split("/").at(-1)!;
}

/**
 * Maps the path of each entry file, relative to the assets folder, to the name of the file that was
 * built from it.
 */
function filesOf({ metafile }: BuildResult<{ metafile: true }>): Map<string, string> {
  return new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [
      entryPoint!.split("assets/").at(-1)!,
      nameOf(path),
    ]),
  );
}

/**
 * Changes the page's sources when they are read. The indentation of HTML templates is removed,
 * because it has no meaning there. Each script that is loaded later also imports main.ts, which has
 * run by then. Therefore esbuild puts the whole code of the first view into one file. Otherwise,
 * esbuild would write a separate file for each set of views that share code.
 */
const PAGE_SOURCES: Plugin = {
  name: "page-sources",
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /^\./ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || path.includes("/texts/") || pluginData) return null;
      const found = await resolve(path, { kind, resolveDir, pluginData: "asked" });
      return { path: found.path, pluginData: "later" };
    });
    onLoad({ filter: /settings.page.*\.ts$/ }, async ({ path, pluginData }) => {
      const text = (await Deno.readTextFile(path)).replace(/\n +/g, "\n");
      const main = pluginData === "later"
        ? `import ${JSON.stringify(join(PAGE, "main.ts"))};\n`
        : "";
      return { contents: main + text, loader: "ts" };
    });
  },
};

/**
 * The page's content security policy. It allows the page's own files and any project over https.
 * It allows a project over http only if the config names this project.
 * @param digestOfStyle the digest of the inline style in index.html.
 */
function policyFor(config: Config | null, digestOfStyle: string): string {
  const origin = config?.project_url.startsWith("http:")
    ? ` ${new URL(config.project_url).origin}`
    : "";
  return [
    "default-src 'self'",
    `style-src 'self' 'sha256-${digestOfStyle}'`,
    `connect-src 'self' https:${origin}`,
    // Supabase Auth returns the QR code for a second factor as a data URI.
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html",
  ].join("; ");
}
