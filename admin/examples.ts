/**
 * The id of the company in the local stack's demo data, so that the printed examples work there.
 */
export const EXAMPLE_COMPANY = "de300000-0000-4000-8000-000000000001";

/** A placeholder for the id of an API key or a messaging account. */
export const EXAMPLE_ROW = "7d1f6f0e-2c4b-4a57-9a1e-5f2f3c1b8e90";

/** A placeholder for the key of an app. */
export const EXAMPLE_APP = "5f2f3c1b8e904a579a1e7d1f6f0e2c4b";

/** The last part of a command's help text: example command lines. */
export function examples(...lines: string[]): string {
  return ["", lines.length > 1 ? "Examples:" : "Example:", ...lines.map((line) => `  ${line}`)]
    .join("\n");
}
