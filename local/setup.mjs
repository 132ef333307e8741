// Installs the packages that are not installed yet, so that `npm start` and `npm test` are all the
// set-up there is. Node built-ins only: nothing else may be there.
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
install(root, "package-lock.json", ["ci"]);
const TOOLS = {
  "--with-tools": join(root, "tools"),
  "--with-bench-tools": join(root, "bench", "tools"),
};
for (const [flag, folder] of Object.entries(TOOLS)) {
  if (!process.argv.includes(flag)) continue;
  // Exact versions and no lock file: a lock lists every platform's binaries, and the older of these
  // tools are not to be had for every platform everywhere.
  install(folder, "package.json", ["install", "--no-package-lock"]);
}

/** Installs a folder's packages, unless that was done with the same list before. */
function install(folder, list, command) {
  const wanted = createHash("sha256").update(readFileSync(join(folder, list))).digest("hex");
  const mark = join(folder, "node_modules", ".installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;

  console.error("Installing packages, once …");
  const args = [...command, "--no-audit", "--no-fund", "--loglevel=error"];
  // npm's own output goes to stderr, so that who reads this command's output gets only that.
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) fail(`npm ${command.join(" ")} did not succeed; its messages above say why.`);
  putDenoInPlace(folder);
  writeFileSync(mark, wanted);
}

/** npm may be told not to run install scripts; deno's is the one that puts its binary in place. */
function putDenoInPlace(folder) {
  const bin = join(folder, "node_modules", ".bin", "deno");
  if (existsSync(bin) && !realpathSync(bin).endsWith("bin.cjs")) return;
  const installer = join(folder, "node_modules", "deno", "install.cjs");
  if (!existsSync(installer)) return; // a folder of tools without one
  const { status } = spawnSync(process.execPath, [installer], { stdio: ["ignore", 2, 2] });
  if (status !== 0) fail("The Deno binary could not be put in place; its messages above say why.");
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
