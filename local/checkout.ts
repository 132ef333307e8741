import { fileURLToPath } from "node:url";

/** The root folder of this checkout, with a slash at the end. */
export const root = fileURLToPath(new URL("../", import.meta.url));
