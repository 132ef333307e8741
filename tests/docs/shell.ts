import assert from "node:assert/strict";

/** The shell prints this line after the output of each group of commands. */
const MARK = "=== answered ===";

/** A shell that keeps its variables and functions from one group of commands to the next. */
export class Shell {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  readonly #errors: Promise<string>;
  #printed = "";

  constructor(cwd: string) {
    this.#child = new Deno.Command("bash", {
      ...{ args: ["-eu"], cwd, stdin: "piped", stdout: "piped", stderr: "piped" },
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#errors = new Response(this.#child.stderr).text();
  }

  /**
   * Runs commands and returns their output.
   *
   * @param mayFail whether a command may fail. Otherwise the shell ends when a command fails.
   */
  async run(commands: string, { mayFail = false } = {}): Promise<string> {
    const group = `{ :\n${commands}\n} < /dev/null${mayFail ? " || true" : ""}\n`;
    // If the shell has ended, its errors say why.
    await this.#input.write(new TextEncoder().encode(`${group}echo; echo '${MARK}'\n`))
      .catch(() => {});
    for (;;) {
      const end = this.#printed.indexOf(`\n${MARK}\n`);
      if (end >= 0) {
        const answer = this.#printed.slice(0, end);
        this.#printed = this.#printed.slice(end + MARK.length + 2);
        return answer;
      }
      const { done, value } = await this.#output.read();
      if (done) assert.fail(`The shell has ended: ${await this.#errors}`);
      this.#printed += value;
    }
  }

  async [Symbol.asyncDispose]() {
    await this.#input.close().catch(() => {});
    await this.#output.cancel();
    await Promise.all([this.#child.status, this.#errors]);
  }
}
