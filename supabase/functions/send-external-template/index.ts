import { readConfig } from "../_shared/config.ts";
import { sendExternalTemplate } from "./app.ts";

export default { fetch: sendExternalTemplate(await readConfig(Deno.env.toObject())).fetch };
