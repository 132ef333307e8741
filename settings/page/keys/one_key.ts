// The views of one key. Both are in one script, so that the page can show a new key even if the
// connection breaks right after the key was created.
export { keyPage } from "./key_page.ts";
export { newKey } from "./new_key.ts";
