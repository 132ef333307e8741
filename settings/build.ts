import { build, type Plugin, stop } from "esbuild";
import { join } from "node:path";
import { replaceFolder } from "../local/built_folder.ts";
import { root } from "../local/checkout.ts";
import { stateOfSettings } from "../local/settings_sources.ts";
import type { Config } from "./page/page_config.ts";

export interface SettingsOptions {
  /** The folder of the page. Its earlier content is replaced when everything has been built. */
  out: string;
  /** The content of config.json. Null: no file is written, because the host serves it. */
  config: Config | null;
}

const PAGE = join(root, "settings", "page");
const ASSETS = join(root, "settings", "assets");

/**
 * Builds the page: index.html, its style, its scripts and config.json. The names of the scripts
 * depend on their content.
 */
export async function buildSettings({ out, config }: SettingsOptions): Promise<void> {
  await replaceFolder(out, "the settings page", stateOfSettings(), async (folder) => {
    const { scripts, style } = await bundle(folder);
    const html = (await Deno.readTextFile(join(ASSETS, "index.html")))
      .replace("%policy%", policyFor(config))
      .replace("%style%", style)
      .replace("%scripts%", scripts.map(tagOf).join("\n"));
    await Deno.writeTextFile(join(folder, "index.html"), html);
    await Deno.copyFile(join(ASSETS, "favicon.svg"), join(folder, "favicon.svg"));
    if (config) {
      await Deno.writeTextFile(
        join(folder, "config.json"),
        JSON.stringify(config, null, 2) + "\n",
      );
    }
  });
}

/**
 * Writes scripts and style into the folder. @returns the names of the files that index.html loads;
 * main is the last one.
 */
async function bundle(folder: string): Promise<{ scripts: string[]; style: string }> {
  try {
    const { metafile } = await build({
      entryPoints: {
        page: join(PAGE, "main.ts"),
        supabase: join(PAGE, "supabase.ts"),
        style: join(ASSETS, "style.css"),
      },
      outdir: folder,
      entryNames: "[name]-[hash]",
      chunkNames: "[name]-[hash]",
      bundle: true,
      splitting: true,
      format: "esm",
      target: "es2022",
      minify: true,
      metafile: true,
      legalComments: "none",
      logLevel: "silent",
      plugins: [TRIMMED],
      absWorkingDir: root,
      // supabase-js is installed with the packages of the checkout.
      nodePaths: [join(root, "node_modules")],
    });
    const names = Object.entries(metafile.outputs);
    const outputOf = (entry: string) =>
      names.find(([, { entryPoint }]) => entryPoint?.endsWith(entry))![0].split("/").at(-1)!;
    const main = names.find(([, { entryPoint }]) => entryPoint?.endsWith("page/main.ts"))!;
    const needed = main[1].imports.filter(({ kind }) => kind === "import-statement")
      .map(({ path }) => path.split("/").at(-1)!);
    return {
      scripts: [...needed, outputOf("page/main.ts")],
      style: outputOf("assets/style.css"),
    };
  } finally {
    await stop();
  }
}

/** Removes the indentation from HTML templates, where it has no meaning. */
const TRIMMED: Plugin = {
  name: "trimmed",
  setup({ onLoad }) {
    onLoad({ filter: /settings.page.*\.ts$/ }, async ({ path }) => {
      const text = await Deno.readTextFile(path);
      return { contents: text.replace(/\n +/g, "\n"), loader: "ts" };
    });
  },
};

function tagOf(script: string, at: number, all: string[]): string {
  return at === all.length - 1
    ? `<script type="module" src="${script}"></script>`
    : `<link rel="modulepreload" href="${script}">`;
}

/**
 * What the page may load and call: its own files and any project over https. With a config, only
 * the project in it.
 */
function policyFor(config: Config | null): string {
  const origin = config?.project_url.startsWith("http:")
    ? ` ${new URL(config.project_url).origin}`
    : "";
  return [
    "default-src 'self'",
    `connect-src 'self' https:${origin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html",
  ].join("; ");
}
