import { settings } from "../../supabase/functions/settings/app.ts";
import {
  readSettingsConfig,
  type SettingsConfig,
} from "../../supabase/functions/settings/settings_config.ts";
import { personToken } from "../support/rest.ts";
import { environment } from "../support/test_stack.ts";

/**
 * Runs the settings function in this process, with the channel at this URL. The returned function
 * sends a request. If `person` is a user id, the function creates a JWT for this user. A `bearer`
 * is sent unchanged. If `person` is null, the request has no token.
 */
export async function ownSettings(channelUrl?: string, changes: Partial<SettingsConfig> = {}) {
  const app = settings({ ...await readSettingsConfig(environment({ channelUrl })), ...changes });
  return async (
    person: string | { bearer: string } | null,
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const bearer = typeof person === "string" ? await personToken(person) : person?.bearer;
    const response = await app.request(`http://edge/settings${path}`, {
      method,
      headers: {
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
        ...(json !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: json === undefined ? undefined : JSON.stringify(json),
    });
    const text = await response.text();
    // deno-lint-ignore no-explicit-any -- tests compare parts of any response
    const body: any = text === "" ? null : JSON.parse(text);
    return { status: response.status, headers: response.headers, body, text };
  };
}
