// The views of one key. They are one script, so that a new key can be shown even if the connection
// breaks right after it was created.
export { keyPage } from "./key_page.ts";
export { newKey } from "./new_key.ts";
