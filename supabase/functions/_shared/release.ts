/** The version of the functions; package.json has the same. */
export const VERSION = "0.1.0";
