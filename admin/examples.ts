/** The company that the local stack's demo data has, so that an example can be tried as it is. */
export const EXAMPLE_COMPANY = "de300000-0000-4000-8000-000000000001";

/** Stands for the id of a key or an account, which everyone has others of. */
export const EXAMPLE_ROW = "7d1f6f0e-2c4b-4a57-9a1e-5f2f3c1b8e90";

/** The end of a command's help: command lines as they are typed. */
export function examples(...lines: string[]): string {
  return ["", lines.length > 1 ? "Examples:" : "Example:", ...lines.map((line) => `  ${line}`)]
    .join("\n");
}
