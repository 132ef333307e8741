import { whatsapp } from "./app.ts";
import { readWhatsappConfig } from "./whatsapp_config.ts";

export default { fetch: whatsapp(await readWhatsappConfig(Deno.env.toObject())).fetch };
