import { root } from "../local/checkout.ts";

/**
 * Generates the module that contains the functions' release, which is the version in package.json.
 */
export async function release(): Promise<string> {
  const { version } = JSON.parse(await Deno.readTextFile(`${root}package.json`));
  return `// Written by \`npm run generate\` from the version in package.json; do not edit.

/** The release of the functions. */
export const RELEASE = ${JSON.stringify(version)};
`;
}
