import { sendExternalTemplate } from "./app.ts";
import { readSenderConfig } from "./config.ts";

export default {
  fetch: sendExternalTemplate(await readSenderConfig(Deno.env.toObject())).fetch,
};
