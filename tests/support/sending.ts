import { type Answer, send } from "./calls.ts";
import type { SandboxMessage } from "../../sandbox/sandbox.ts";
import { type Company, sealedFor } from "./company.ts";
import { stack, statement, withDatabase } from "./test_stack.ts";

/**
 * The body of a template send to this phone number, with these changes. Without changes, the
 * endpoint and the sandbox accept the body.
 */
export function template<Changes extends Record<string, unknown>>(
  phone: string,
  changes: Changes = {} as Changes,
) {
  return {
    phone,
    template_name: "order_update",
    language_code: "pt_BR",
    display_text: "Olá, o seu pedido está a caminho 🚚",
    body_variables: ["Ada", "A-1815"],
    ...changes,
  };
}

/** Sends a template through the stack, whose channel is the sandbox. */
export async function sendTemplate(key: string, json: unknown): Promise<Answer> {
  return await send(stack.template_url, "POST", {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
  }, JSON.stringify(json));
}

/** The messages that the sandbox has accepted from one account, newest first. */
export async function takenFrom(
  { phone_number_id }: { phone_number_id: string },
  to?: string,
): Promise<SandboxMessage[]> {
  const query = new URLSearchParams({ phone_number_id, ...(to && { to }) });
  const { status, body } = await send(`${stack.sandbox_url}?${query}`, "GET", {});
  if (status !== 200) throw new Error(`The sandbox answered ${status}`);
  return body.data;
}

/** A message as the database stores it. */
export async function storedMessage(id: string) {
  return await withDatabase(async (sql) => {
    const [message] = await sql`select * from messages where id = ${id}`;
    return message;
  });
}

/** A company's sends, oldest first. */
export async function ledgerOf({ id }: { id: string }) {
  return await withDatabase(async (sql) => [
    ...await sql`select * from sends where company_id = ${id} order by created_at`,
  ]);
}

/** Replaces an account's encrypted token with this token. */
export async function setSealedToken({ account_id }: { account_id: string }, sealed: string) {
  await statement`
    update messaging_accounts set encrypted_token = ${sealed} where id = ${account_id}
  `;
}

/** Changes the token of a company's account. */
export async function setToken(
  { id, account_id, phone_number_id }: Pick<Company, "id" | "account_id" | "phone_number_id">,
  token: string,
) {
  await setSealedToken({ account_id }, await sealedFor({ company_id: id, phone_number_id }, token));
}

/** Lets all of a company's leases expire now. */
export async function endLeases({ id }: { id: string }) {
  await statement`
    update sends set lease_ends_at = now() - interval '1 second' where company_id = ${id}
  `;
}

/** A channel for one test that records every call. */
export function ownChannel(answer: (call: Call, request: Request) => Response | Promise<Response>) {
  const calls: Call[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const call = {
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: await request.json(),
      };
      calls.push(call);
      return await answer(call, request);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v26.0`,
    calls,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}

/** A channel that accepts the message, but responds only when the test calls `answer`. */
export function slowChannel() {
  const [called, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const channel = ownChannel(async () => {
    called.resolve();
    await mayAnswer.promise;
    return accepted();
  });
  return {
    ...channel,
    called: called.promise,
    answer: () => mayAnswer.resolve(),
    [Symbol.asyncDispose]: async () => {
      mayAnswer.resolve(); // otherwise, a failed test would wait for the server forever
      await channel[Symbol.asyncDispose]();
    },
  };
}

/** A call that the channel has received. */
export interface Call {
  path: string;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
}

/** The channel's response to an accepted message. */
export function accepted(id = `wamid.${crypto.randomUUID()}`): Response {
  return Response.json({ messages: [{ id, message_status: "accepted" }] });
}
