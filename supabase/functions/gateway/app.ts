import { api } from "../_shared/http/api.ts";
import type { Scope } from "../_shared/key/token.ts";
import type { GatewayConfig } from "./gateway_config.ts";
import { gatewayOperations } from "./operations.ts";

/** The gateway, which reads and writes the records of the API key's company. */
export function gateway(config: GatewayConfig) {
  const operations = gatewayOperations(config);
  return api(config, {
    ...{ name: "gateway", operations, scopeOf },
    // The page is loaded only when someone opens the gateway's URL.
    welcome: async (request) => (await import("./welcome.ts")).welcome(config, request),
  });
}

/**
 * Returns the scope that a method needs (specification, part 5). A method that reads needs the
 * `read` scope. A method that creates, changes or deletes needs the `write` scope.
 */
function scopeOf(method: string): Scope | null {
  if (method === "OPTIONS") return null;
  return method === "GET" || method === "HEAD" ? "read" : "write";
}
