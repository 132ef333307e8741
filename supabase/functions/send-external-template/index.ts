import { sendExternalTemplate } from "./app.ts";
import { readSenderConfig } from "../_shared/template_sends/template_send_config.ts";

export default {
  fetch: sendExternalTemplate(await readSenderConfig(Deno.env.toObject())).fetch,
};
