import * as z from "zod/mini";
import { lazily } from "../_shared/lazily.ts";
import type { Config } from "../_shared/config.ts";
import { rows } from "../_shared/database/rows.ts";
import { one } from "../_shared/http/answers.ts";
import { MAX_ITEMS } from "../_shared/http/batch_body.ts";
import { MAX_BODY_BYTES } from "../_shared/http/body.ts";
import { Id, Timestamp } from "../_shared/http/fields.ts";
import { operation, reply } from "../_shared/http/operation.ts";
import { MAX_LIMIT } from "./records/list_parameters.ts";

export const OwnCompany = lazily(() =>
  z.object({ id: Id, name: z.string() }).register(z.globalRegistry, {
    id: "OwnCompany",
  })
);

export const OwnKey = lazily(() =>
  z.object({
    id: Id,
    name: z.string(),
    scopes: z.array(z.enum(["read", "write", "messaging", "webhooks"])),
    expires_at: z.nullable(Timestamp),
  }).register(z.globalRegistry, { id: "OwnKey" })
);

export const Limits = lazily(() =>
  z.object({
    body_bytes: z.int(),
    batch_items: z.int(),
    page_records: z.int(),
    requests_at_once: z.int(),
    requests_waiting: z.int(),
    waiting_seconds: z.number(),
  }).register(z.globalRegistry, { id: "Limits" })
);

/** The company and the API key of a request, and the limits that apply to the company. */
export const Me = lazily(() =>
  z.object({
    company: OwnCompany,
    key: OwnKey,
    environment: z.enum(["live", "local"]),
    limits: Limits,
  }).register(z.globalRegistry, { id: "Me" })
);

/**
 * Returns the company and the API key of the request. See the specification, 4.11. The operation
 * accepts any valid key, so a program can use it to test a key.
 */
export function me({ environment, statementShare }: Config) {
  const limits = {
    body_bytes: MAX_BODY_BYTES,
    batch_items: MAX_ITEMS,
    page_records: MAX_LIMIT,
    requests_at_once: statementShare.atOnce,
    requests_waiting: statementShare.waiting,
    waiting_seconds: statementShare.patienceMs / 1000,
  };
  return operation({
    id: "getMe",
    method: "GET",
    path: "/me",
    scope: "any",
    answers: () => ({ 200: one(Me) }),
  }, async ({ caller }) => {
    const [own] = rows(await caller.db.rpc("own_key", undefined, { get: true }));
    const { company_id, company_name, ...ownKey } = own;
    const company = { id: company_id, name: company_name };
    const key = ownKey as z.output<typeof OwnKey>;
    return reply(200, { data: { company, key, environment, limits } });
  });
}
