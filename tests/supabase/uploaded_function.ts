import { root } from "../../local/checkout.ts";
import { type FunctionProcess, startFunctionProcess } from "../../local/functions/process.ts";
import { withFolder } from "../support/started.ts";
import { environment } from "../support/test_stack.ts";
import type { Upload } from "./management_api.ts";

/**
 * Type-checks these uploads with a Deno version. Returns whether the check passes, and the errors.
 * All uploads are checked in one folder, because they share most of their files.
 */
export async function checkTypes(
  uploads: Upload[],
  deno: string,
): Promise<[isRight: boolean, printed: string]> {
  return await withFolder(async (folder) => {
    for (const upload of uploads) await unpack(upload, folder);
    await linkPackages(folder);
    const entries = uploads.map(({ metadata }) => metadata.entrypoint_path);
    const { success, stderr } = await new Deno.Command(deno, {
      args: ["check", ...flags(uploads[0], folder), ...entries],
      cwd: folder,
      env: { NO_COLOR: "1" },
      stdout: "null",
    }).output();
    return [success, new TextDecoder().decode(stderr)];
  });
}

/** A function as the platform stores it: only the uploaded files. */
export class UploadedFunction {
  #folder: string;
  #upload: Upload;

  private constructor(folder: string, upload: Upload) {
    this.#folder = folder;
    this.#upload = upload;
  }

  /** Unpacks an upload into a temporary folder, which exists while `work` runs. */
  static async unpacked(upload: Upload, work: (unpacked: UploadedFunction) => Promise<void>) {
    await withFolder(async (folder) => {
      await unpack(upload, folder);
      await linkPackages(folder);
      await work(new UploadedFunction(folder, upload));
    });
  }

  /** Starts the function with a Deno version. The function uses the tests' stack. */
  async start(deno: string): Promise<FunctionProcess> {
    return await startFunctionProcess({
      entry: `${this.#folder}/${this.#upload.metadata.entrypoint_path}`,
      env: environment(),
      deno,
      cwd: this.#folder,
      flags: flags(this.#upload, this.#folder),
    });
  }
}

async function unpack(upload: Upload, folder: string) {
  for (const [path, text] of upload.files) {
    const file = `${folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
}

/**
 * Links the installed packages. The platform downloads them instead, but the tests must not need a
 * registry.
 */
async function linkPackages(folder: string) {
  await Deno.symlink(`${root}node_modules`, `${folder}/node_modules`);
}

function flags(upload: Upload, folder: string): string[] {
  const importMap = `${folder}/${upload.metadata.import_map_path}`;
  return ["--no-config", "--no-lock", "--node-modules-dir=manual", `--import-map=${importMap}`];
}
