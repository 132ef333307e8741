// Runs `npm run site` on this checkout, or on a copy whose pages a test changes.
import { existsSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import { filesBelow } from "../../local/site_sources.ts";

/** The result of a build. */
export interface Ending {
  code: number;
  out: string;
  err: string;
}

interface Run {
  /** The checkout whose site is built, with a trailing slash. The default is this checkout. */
  checkout?: string;
  env?: Record<string, string>;
}

/** Starts a build. */
export function startSite(args: string[], { checkout = root, env = {} }: Run = {}) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", `${checkout}site/main.ts`, ...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Builds a site and waits until the build ends. */
export async function site(args: string[], run: Run = {}): Promise<Ending> {
  const { code, stdout, stderr } = await startSite(args, run).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, err };
}

/**
 * Copies everything that a site build needs, including this checkout's packages. A test may change
 * the copied files.
 * @param folder must not exist yet.
 */
export async function copyOfCheckout(folder: string): Promise<string> {
  // If Scalar is missing, builds the site once. The build installs packages and downloads Scalar.
  if (!existsSync(`${root}site/node_modules/.cache/scalar.js`)) {
    const { code, err } = await site(["--out", `${folder}-first`]);
    if (code !== 0) throw new Error(err);
  }
  const files = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "README.md", "package.json"]
    .concat(
      "package-lock.json",
      "deno.json",
      "import_map.json",
      "local/build_in_turn.ts",
      "local/built_folder.ts",
      "local/checkout.ts",
      "local/files.ts",
      "local/site_sources.ts",
      "local/usual_port.ts",
    )
    .concat("local/setup.mjs", "supabase/functions/gateway/openapi.json");
  for (const name of ["docs", "examples", "site"]) files.push(...filesBelow(name));
  for (const file of files) {
    await Deno.mkdir(`${folder}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(root + file, `${folder}/${file}`);
  }
  await Deno.symlink(`${root}node_modules`, `${folder}/node_modules`);
  await Deno.mkdir(`${folder}/site/node_modules`);
  for (const name of ["marked", "highlight.js", ".installed", ".cache"]) {
    await Deno.symlink(`${root}site/node_modules/${name}`, `${folder}/site/node_modules/${name}`);
  }
  return `${folder}/`;
}
