import { root } from "../local/checkout.ts";

/** The module that tells the functions the release, which package.json has. */
export async function release(): Promise<string> {
  const { version } = JSON.parse(await Deno.readTextFile(`${root}package.json`));
  return `// Written by \`npm run generate\` from the version in package.json; do not edit.

/** The release of the functions. */
export const RELEASE = ${JSON.stringify(version)};
`;
}
