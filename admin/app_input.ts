import { OperatorError } from "./operator_error.ts";
import { promptHidden } from "./token.ts";

/**
 * Reads an app's secrets, one from each line of standard input. At a terminal, the command asks for
 * each secret with a prompt that does not show what the operator types. No command-line argument
 * accepts a secret; the comment on `readToken` in token.ts explains why.
 *
 * @param names what each line contains, for the prompt and the errors.
 * @throws OperatorError when a line is missing or is not a valid secret. The message never contains
 * the secret.
 */
export async function readAppSecrets<const Names extends readonly string[]>(
  names: Names,
): Promise<{ [At in keyof Names]: string }> {
  const lines = Deno.stdin.isTerminal()
    ? names.map(promptHidden)
    : (await new Response(Deno.stdin.readable).text()).trimEnd().split("\n");
  if (lines.length > names.length) {
    throw new OperatorError(
      `Standard input has more lines than expected: one for each of ${names.join(" and ")}.`,
    );
  }
  return names.map((name, at) => checked(name, (lines[at] ?? "").trim())) as {
    [At in keyof Names]: string;
  };
}

function checked(name: string, secret: string): string {
  if (secret === "") {
    throw new OperatorError(
      `The ${name} is missing: pass it on standard input, or type it at the prompt.`,
    );
  }
  if (/^[!-~]{8,255}$/.test(secret)) return secret;
  throw new OperatorError(
    `This is not a valid ${name}: it must have 8 to 255 visible ASCII characters and no spaces.`,
  );
}
