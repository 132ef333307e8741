import { api } from "../_shared/http/api.ts";
import type { Scope } from "../_shared/key/token.ts";
import type { GatewayConfig } from "./gateway_config.ts";
import { gatewayOperations } from "./operations.ts";

/** The gateway, which lists and writes the records of the key's company. */
export function gateway(config: GatewayConfig) {
  const operations = gatewayOperations(config);
  return api(config, {
    ...{ name: "gateway", operations, scopeOf },
    // The page is loaded only when someone opens the address of the gateway.
    welcome: async (request) => (await import("./welcome.ts")).welcome(config, request),
  });
}

/**
 * Specification, part 5: a method that reads needs the scope read. A method that creates, changes
 * or deletes needs the scope write.
 */
function scopeOf(method: string): Scope | null {
  if (method === "OPTIONS") return null;
  return method === "GET" || method === "HEAD" ? "read" : "write";
}
