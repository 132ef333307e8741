// Scalar shows the reference. The site needs one file of Scalar's package. The build extracts only
// this file, because an installation would also install many other packages.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { root } from "../local/checkout.ts";
import { readTarFile } from "./tar.ts";

const PACKAGE = "@scalar/api-reference@1.72.1";
const FILE = "package/dist/browser/standalone.js";
const SHA512 = "b54dc9e1eb84a3995720ccb8d871782944ddba777300cb87a0ec366745aab8d0" +
  "1b76280b55d0323863c92680a686248d5519d281f36a6c1d5576221f3404c432";

/** `npm ci` empties the folder of this file, and so removes files of other versions. */
const KEPT = join(root, "site", "node_modules", ".cache", "scalar.js");

/**
 * Downloads Scalar's file in the pinned version, if this has not been done before.
 *
 * @returns the path of the file.
 * @throws Error with a sentence if the file cannot be downloaded or is not the pinned file.
 */
export async function scalarFile(progress: (step: string) => void): Promise<string> {
  const kept = await Deno.readFile(KEPT).catch(() => null);
  if (kept && sha512(kept) === SHA512) return KEPT;

  progress(`downloading ${PACKAGE}, once (10 MB)`);
  const folder = join(KEPT, "..", "unfinished");
  await Deno.remove(folder, { recursive: true }).catch(() => {}); // a killed build may have left this folder
  await Deno.mkdir(folder, { recursive: true });
  try {
    const { success, stderr } = await new Deno.Command("npm", {
      args: ["pack", PACKAGE, "--pack-destination", folder, "--loglevel=error"],
      cwd: folder,
      stdin: "null",
    }).output();
    if (!success) {
      const said = new TextDecoder().decode(stderr).trim();
      throw new Error(`npm could not download ${PACKAGE}. npm reported:\n${said}`);
    }
    const [{ name }] = Array.from(Deno.readDirSync(folder));
    const file = await readTarFile(`${folder}/${name}`, FILE).catch(() => null);
    if (!file || sha512(file) !== SHA512) {
      throw new Error(
        `${PACKAGE} is not the pinned package: ${FILE} differs.`,
      );
    }
    await Deno.writeFile(`${folder}/scalar.js`, file);
    await Deno.rename(`${folder}/scalar.js`, KEPT);
    return KEPT;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function sha512(bytes: Uint8Array): string {
  return createHash("sha512").update(bytes).digest("hex");
}
