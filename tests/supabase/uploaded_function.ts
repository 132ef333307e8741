import { root } from "../../local/checkout.ts";
import { type FunctionProcess, startFunctionProcess } from "../../local/functions/process.ts";
import { withFolder } from "../support/started.ts";
import { environment } from "../support/test_stack.ts";
import type { Upload } from "./management_api.ts";

/** A function as the platform has it: the uploaded files and nothing else. */
export class UploadedFunction {
  #folder: string;
  #upload: Upload;

  private constructor(folder: string, upload: Upload) {
    this.#folder = folder;
    this.#upload = upload;
  }

  /** Unpacks an upload into a folder of its own, for as long as the work takes. */
  static async unpacked(upload: Upload, work: (unpacked: UploadedFunction) => Promise<void>) {
    await withFolder(async (folder) => {
      for (const [path, text] of upload.files) {
        const file = `${folder}/${path}`;
        await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
        await Deno.writeTextFile(file, text);
      }
      // In place of the platform's download, so that no registry is needed.
      await Deno.symlink(`${root}node_modules`, `${folder}/node_modules`);
      await work(new UploadedFunction(folder, upload));
    });
  }

  /** Whether a Deno accepts its types, and the printed errors. */
  async check(deno: string): Promise<[isRight: boolean, printed: string]> {
    const { success, stderr } = await new Deno.Command(deno, {
      args: ["check", ...this.#flags, this.#entry],
      cwd: this.#folder,
      env: { NO_COLOR: "1" },
      stdout: "null",
    }).output();
    return [success, new TextDecoder().decode(stderr)];
  }

  /** Starts it with a Deno; it serves the tests' stack. */
  async start(deno: string): Promise<FunctionProcess> {
    return await startFunctionProcess({
      entry: this.#entry,
      env: environment(),
      deno,
      cwd: this.#folder,
      flags: this.#flags,
    });
  }

  get #entry(): string {
    return `${this.#folder}/${this.#upload.metadata.entrypoint_path}`;
  }

  get #flags(): string[] {
    const importMap = `${this.#folder}/${this.#upload.metadata.import_map_path}`;
    return ["--no-config", "--no-lock", "--node-modules-dir=manual", `--import-map=${importMap}`];
  }
}
