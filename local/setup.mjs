// Installs missing packages, so that `npm start` and `npm test` need no other set-up. This file
// uses only Node's own modules, because no package may be installed yet.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (Number(process.versions.node.split(".")[0]) < 20) {
  fail(`Node 20 or newer is needed; this is ${process.version}.`);
}
if (process.platform === "win32") {
  fail("Windows is supported through WSL: run this in a Linux distribution there.");
}
install(root);
const TOOLS = {
  "--with-tools": join(root, "tools"),
  "--with-bench-tools": join(root, "trials", "bench", "tools"),
  "--with-site": join(root, "site"),
  "--with-settings": join(root, "settings"),
};
for (const [flag, folder] of Object.entries(TOOLS)) {
  if (process.argv.includes(flag)) install(folder);
}

/**
 * Installs a folder's packages, unless the same list was already installed in the same way. The
 * list is the folder's lock file, or its package.json with exact versions if it has no lock file.
 *
 * The lock file of `tools/` was made with a registry that had Deno 2.1.4 and the Supabase CLI 3.1.0
 * only for Linux on x64. The lock file lists their binaries for other platforms with an exact
 * version, but without a checksum. To add the checksums with a registry that has all these
 * binaries, delete the lock file and run `npm install --package-lock-only`.
 */
function install(folder) {
  const isLocked = existsSync(join(folder, "package-lock.json"));
  const list = isLocked ? "package-lock.json" : "package.json";
  const command = isLocked ? ["ci"] : ["install", "--no-package-lock"];
  // With NODE_ENV=production, npm would omit packages that the tests need.
  const all = ["--include=dev", "--include=optional"];
  const args = [...command, ...all, "--no-audit", "--no-fund", "--loglevel=error"];
  // The hash includes the arguments, because with other arguments npm may have omitted packages.
  const wanted = createHash("sha256").update(readFileSync(join(folder, list)))
    .update(args.join(" ")).digest("hex");
  const mark = join(folder, "node_modules", ".installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;

  console.error("Installing packages, once …");
  // npm's output goes to stderr, so that stdout has only the output of this command.
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) fail(`npm ${command.join(" ")} did not succeed; its messages above say why.`);
  putDenoInPlace(folder);
  writeFileSync(mark, wanted);
}

/**
 * The `deno` package's install script puts the binary in place. npm may be configured not to run
 * install scripts, so this function runs the script.
 */
function putDenoInPlace(folder) {
  const bin = join(folder, "node_modules", ".bin", "deno");
  if (existsSync(bin) && !realpathSync(bin).endsWith("bin.cjs")) return;
  const installer = join(folder, "node_modules", "deno", "install.cjs");
  if (!existsSync(installer)) return; // a folder of tools without a lock file
  const { status } = spawnSync(process.execPath, [installer], { stdio: ["ignore", 2, 2] });
  if (status !== 0) fail("The Deno binary could not be put in place; its messages above say why.");
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
