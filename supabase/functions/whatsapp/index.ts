import { whatsapp } from "./app.ts";
import { readWhatsappConfig } from "./config.ts";

export default { fetch: whatsapp(await readWhatsappConfig(Deno.env.toObject())).fetch };
