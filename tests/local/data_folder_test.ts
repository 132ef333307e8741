// Tests `npm start` with a data folder that has files of another program or person.
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { refuseOtherFolder } from "../../local/data_folder.ts";
import { loadSecrets } from "../../local/secrets.ts";
import { Started, startOn, withFolder } from "../support/started.ts";

/** Writes files with these paths and texts below the folder. */
function write(folder: string, files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    Deno.mkdirSync(dirname(`${folder}/${name}`), { recursive: true });
    Deno.writeTextFileSync(`${folder}/${name}`, text);
  }
}

/** The paths and texts of all files below a folder. */
function filesIn(folder: string, path = ""): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${path}`)) {
    if (isDirectory) Object.assign(files, filesIn(folder, `${path}${name}/`));
    else files[path + name] = Deno.readTextFileSync(`${folder}/${path}${name}`);
  }
  return files;
}

/** Starts a stack that must refuse the folder. Returns what it printed. */
async function refusal(folder: string, args: string[] = []): Promise<string> {
  const before = filesIn(folder);
  const started = new Started(["--data", folder, "--port", "0", "--quiet", ...args]);
  const [code, printed] = await started.ended();
  assert.deepEqual(filesIn(folder), before);
  assert.equal(code, 1);
  return printed;
}

Deno.test("npm start refuses a folder with someone else's files, and changes none of them", async () => {
  const folders: Record<string, string>[] = [
    { "data/customers.csv": "Ana", "unfinished-novel/ch1.txt": "It was" },
    { "lock": "", "notes.txt": "x" },
    { "stack.json": "{}" },
    { "secrets.json": `{"token": "x"}`, "lock": "mine" },
    { "secrets.json": "not JSON" },
    { "data/PG_VERSION": "17\n", "data/base/1": "rows" },
  ];
  await Promise.all(folders.map((files) =>
    withFolder(async (folder) => {
      write(folder, files);
      const sentence =
        `${folder} contains something other than a stack's data; choose another folder with --data.\n`;
      assert.equal(await refusal(folder), sentence);
      assert.equal(await refusal(folder, ["--fresh"]), sentence);
    })
  ));
});

Deno.test("npm start does not replace a folder `data` that has lost its PG_VERSION", async () => {
  await withFolder(async (folder) => {
    await loadSecrets(`${folder}/secrets.json`);
    write(folder, { "data/base/1": "rows" });
    const sentence = `${folder}/data is not a database, because it has no file PG_VERSION; ` +
      "move this folder away, or choose another folder with --data.\n";
    assert.equal(await refusal(folder), sentence);
    assert.equal(await refusal(folder, ["--fresh"]), sentence);
  });
});

Deno.test("npm start accepts a folder in which an earlier start was killed before it wrote its secrets", async () => {
  await withFolder(async (folder) => {
    await refuseOtherFolder(`${folder}/missing`);
    await refuseOtherFolder(folder);
    write(folder, { "lock": "", "secrets.json.unfinished": "{" });
    await refuseOtherFolder(folder);
  });
});

Deno.test("npm start keeps other folders next to the database", async () => {
  await withFolder(async (folder) => {
    await loadSecrets(`${folder}/secrets.json`);
    write(folder, { "unfinished-novel/ch1.txt": "It was" });
    const { started } = await startOn(folder, ["--no-seed"]);
    assert.equal(Deno.readTextFileSync(`${folder}/unfinished-novel/ch1.txt`), "It was");
    await started.end();
  });
});
