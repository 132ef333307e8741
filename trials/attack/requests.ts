import type { AttackedCompany } from "./companies.ts";
import type { WireRequest } from "./wire.ts";

// Requests as integrations send them.

export function list(key: string, resource = "contacts", limit = 50): WireRequest {
  return { method: "GET", target: `/gateway/${resource}?limit=${limit}`, headers: keyed(key) };
}

export function createContact(key: string, phone: string): WireRequest {
  return withJson(key, "POST", "/gateway/contacts", { phone, name: "Attack" });
}

export function renameContact({ key, ids, phones }: AttackedCompany, row = 0): WireRequest {
  const changes = { phone: phones[row], name: "Renamed" };
  return withJson(key, "PATCH", `/gateway/contacts/${ids.contact[row]}`, changes);
}

/** A batch whose 500 items all change the same contact. */
export function renameContactOften({ key, ids }: AttackedCompany, row = 0): WireRequest {
  const items = Array.from(
    { length: 500 },
    (_, n) => ({ id: ids.contact[row], name: `Name ${n}` }),
  );
  return withJson(key, "PATCH", "/gateway/contacts/batch", { items });
}

export function createDeal(
  { key, ids }: AttackedCompany,
  row = 0,
  title = "Attack",
): WireRequest {
  const deal = { title, contact_id: ids.contact[row], stage_id: ids.stage[0] };
  return withJson(key, "POST", "/gateway/deals", deal);
}

/** The same request with an Idempotency-Key. */
export function once(request: WireRequest, key: string): WireRequest {
  return { ...request, headers: [...request.headers, ["Idempotency-Key", key]] };
}

export function renameDeal({ key, ids }: AttackedCompany, row = 0): WireRequest {
  return withJson(key, "PATCH", `/gateway/deals/${ids.deal[row]}`, { title: "Renamed" });
}

/** @param name identifies the message at the channel, and is also its idempotency key. */
export function send(key: string, phone: string, name: string): WireRequest {
  return withJson(key, "POST", "/send-external-template", {
    phone,
    template_name: "order_update",
    language_code: "pt_BR",
    display_text: "Your order is on its way",
    body_variables: [name, "A-1815"],
    idempotency_key: name,
  });
}

/** The name that `send` gave to a message on the channel. */
// deno-lint-ignore no-explicit-any -- a message as it came to the channel
export function nameOf(message: any): string {
  return message.template?.components?.[0]?.parameters?.[0]?.text ?? "";
}

export function health(): WireRequest {
  return { method: "GET", target: "/gateway/health", headers: [] };
}

function keyed(key: string): [string, string][] {
  return [["Authorization", `Bearer ${key}`]];
}

function withJson(key: string, method: string, target: string, json: unknown): WireRequest {
  const headers: [string, string][] = [...keyed(key), ["Content-Type", "application/json"]];
  return { method, target, headers, body: JSON.stringify(json) };
}

let phones = 0;

/** A phone number that no other request of this run uses. */
export function newPhone(): string {
  return `+1999${String(++phones).padStart(9, "0")}`;
}

/** The URL of the function that handles a request. */
export function urlFor(
  { target }: WireRequest,
  { gateway, sender }: { gateway: { url: string }; sender: { url: string } },
): string {
  return target.startsWith("/send-external-template") ? sender.url : gateway.url;
}
