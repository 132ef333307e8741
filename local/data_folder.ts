import { existsSync } from "node:fs";
import { readIfPresent } from "./files.ts";

/** A start that was killed before it wrote secrets.json may leave only these files. */
const BEFORE_SECRETS = ["lock", "secrets.json.unfinished"];

/**
 * Refuses a folder with other programs' files, because a start writes and deletes files there. The
 * folder must be missing or empty, or must contain a stack's secrets.json. A subfolder `data` must
 * be empty or a Postgres database.
 *
 * @throws Error with one sentence that names the folder.
 */
export async function refuseOtherFolder(folder: string) {
  const data = `${folder}/data`;
  const isOther = !await hasSecrets(folder) &&
    namesIn(folder).some((name) => !BEFORE_SECRETS.includes(name));
  if (isOther) {
    throw new Error(
      `${folder} contains something other than a stack's data; choose another folder with --data.`,
    );
  }
  if (namesIn(data).length > 0 && !existsSync(`${data}/PG_VERSION`)) {
    throw new Error(
      `${data} is not a database, because it has no file PG_VERSION; ` +
        "move this folder away, or choose another folder with --data.",
    );
  }
}

/** Whether the folder's secrets.json has the secrets that every version of the stack wrote. */
async function hasSecrets(folder: string): Promise<boolean> {
  const text = await readIfPresent(`${folder}/secrets.json`);
  try {
    const { database_password, jwt_secret } = JSON.parse(text ?? "{}");
    return typeof database_password === "string" && typeof jwt_secret === "string";
  } catch {
    return false; // the file is another program's
  }
}

/** The names of the entries of a folder; none when the folder does not exist. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? Array.from(Deno.readDirSync(folder), ({ name }) => name) : [];
}
