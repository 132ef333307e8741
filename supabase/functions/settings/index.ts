import { settings } from "./app.ts";
import { readSettingsConfig } from "./settings_config.ts";

export default { fetch: settings(await readSettingsConfig(Deno.env.toObject())).fetch };
