import { promptSecret } from "deno-std/cli/prompt_secret.js";
import { OperatorError } from "./target.ts";

/**
 * An access token of the messaging channel, from standard input or, at a terminal, from a prompt
 * that does not show it. Never from an argument: those are seen by every user of the machine and
 * kept by the shell.
 *
 * @throws OperatorError when nothing came, or what came cannot be a token.
 */
export async function readToken(): Promise<string> {
  const text = Deno.stdin.isTerminal() ? ask() : await new Response(Deno.stdin.readable).text();
  const token = text.trim();
  if (token === "") {
    throw new OperatorError(
      "No access token came: pass it on standard input, or type it when asked.",
    );
  }
  // It travels in a header, which takes no more than this.
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    throw new OperatorError(
      "This is no access token: it must be at most 4096 ASCII characters, with no space or line break within.",
    );
  }
  return token;
}

/** Asks on stderr. stdout gets nothing but white space, so that the answer stays one JSON value. */
function ask(): string {
  Deno.stderr.writeSync(new TextEncoder().encode("Access token (not shown while you type):"));
  const token = promptSecret("", { mask: "" });
  if (!Deno.stdout.isTerminal()) console.error();
  return token ?? "";
}
