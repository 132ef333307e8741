import { root } from "../../local/checkout.ts";
import { withFolder } from "../support/started.ts";
import { environment } from "../support/test_stack.ts";
import type { Upload } from "./management_api.ts";

/** A function of which there is nothing but what was uploaded. */
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

  /** Whether its types hold with a Deno, and what that printed. */
  async check(deno: string): Promise<[isRight: boolean, printed: string]> {
    const { success, stderr } = await this.#command(deno, ["check"]).output();
    return [success, new TextDecoder().decode(stderr)];
  }

  /** Starts it with a Deno, before the tests' stack. */
  async start(deno: string) {
    const listen = ["--host", "127.0.0.1", "--port", "0", "--allow-net", "--allow-env"];
    const server = this.#command(deno, ["serve", ...listen]).spawn();
    let printed = "";
    const reading = server.stderr.pipeThrough(new TextDecoderStream()).values();
    while (!/http:\S+\/\s/.test(printed)) {
      const { value, done } = await reading.next();
      if (done) throw new Error(`It did not start: ${printed}`);
      printed += value;
    }
    await reading.return?.();
    return {
      url: /http:\/\/[\w.:]+/.exec(printed)![0],
      [Symbol.asyncDispose]: async () => {
        server.kill("SIGTERM");
        await server.status;
      },
    };
  }

  #command(deno: string, args: string[]): Deno.Command {
    const { entrypoint_path, import_map_path } = this.#upload.metadata;
    return new Deno.Command(deno, {
      args: [
        ...args,
        ...["--no-config", "--no-lock", "--node-modules-dir=manual"],
        `--import-map=${this.#folder}/${import_map_path}`,
        `${this.#folder}/${entrypoint_path}`,
      ],
      cwd: this.#folder,
      env: { ...environment(), NO_COLOR: "1" },
      stdout: "null",
      stderr: "piped",
    });
  }
}
