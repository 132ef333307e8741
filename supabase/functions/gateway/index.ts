import { gateway } from "./app.ts";
import { readGatewayConfig } from "./gateway_config.ts";

export default { fetch: gateway(await readGatewayConfig(Deno.env.toObject())).fetch };
