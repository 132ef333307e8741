import { promptSecret } from "deno-std/cli/prompt_secret.js";
import { OperatorError } from "./operator_error.ts";

/**
 * Reads an access token of the messaging channel from standard input. At a terminal, the command
 * asks for the token with a prompt that does not show what the operator types. The command has no
 * argument for the token: every user of the machine can see the arguments of a command. The shell
 * also keeps them in its history.
 *
 * @throws OperatorError when the input is empty or is not a valid token.
 */
export async function readToken(): Promise<string> {
  const text = Deno.stdin.isTerminal()
    ? promptHidden("Access token")
    : await new Response(Deno.stdin.readable).text();
  const token = text.trim();
  if (token === "") {
    throw new OperatorError(
      "The access token is missing: pass it on standard input, or type it at the prompt.",
    );
  }
  // The token is sent in a header, which allows only these characters.
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    throw new OperatorError(
      "This is not an access token: it must have at most 4096 ASCII characters and no spaces or line breaks.",
    );
  }
  return token;
}

/**
 * Reads a secret that the operator types at a prompt. The prompt goes to stderr. Only white space
 * is written to stdout, so that `--json` still prints one JSON value.
 */
export function promptHidden(what: string): string {
  Deno.stderr.writeSync(new TextEncoder().encode(`${what} (not shown while you type):`));
  const token = promptSecret("", { mask: "" });
  if (!Deno.stdout.isTerminal()) console.error();
  return token ?? "";
}
