import { webhooks } from "./app.ts";
import { readWebhooksConfig } from "./webhooks_config.ts";

export default { fetch: webhooks(await readWebhooksConfig(Deno.env.toObject())).fetch };
