// Written by `npm run generate` from the version in package.json; do not edit.

/** The release of the functions. */
export const RELEASE = "0.1.0";
