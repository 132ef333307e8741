import { readConfig } from "../_shared/config.ts";
import { gateway } from "./app.ts";

export default { fetch: gateway(await readConfig(Deno.env.toObject())).fetch };
