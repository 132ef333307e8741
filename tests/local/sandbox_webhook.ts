import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { sandbox, type SandboxOptions } from "../../sandbox/sandbox.ts";
import { signatureOf } from "../support/channel_apps.ts";

/** A post that a webhook has received. */
export interface Post {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
  // deno-lint-ignore no-explicit-any -- as above
  value: any;
}

export const SECRET = "secret-of-the-app";
export const NUMBER = "106540352242922";
export const NOW = 1_795_262_400;
export const MARK = "5e4d0000-0000-4000-8000-000000000001.1";
const CHANNEL = "http://127.0.0.1:54330/sandbox";

/**
 * Creates a sandbox for one test, with a webhook that records the posts. The sandbox posts its
 * events without delays, and the clock changes only when the test changes it.
 * @param answer the webhook's response.
 */
export function sandboxWithWebhook(
  answer: (post: Post) => Response | Promise<Response> = () => new Response(),
  options: SandboxOptions = {},
) {
  const clock = { now: NOW * 1000 };
  const posts: Post[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const body = JSON.parse(new TextDecoder().decode(bytes));
      const { value } = body.entry[0].changes[0];
      const post = { bytes, headers: request.headers, body, value };
      posts.push(post);
      return await answer(post);
    },
  );
  const webhook = { url: `http://127.0.0.1:${server.addr.port}/webhook/app`, secret: SECRET };
  const channel = sandbox({ now: () => clock.now, webhook: () => webhook, pace: 0, ...options });

  const fetch = (path: string, init?: RequestInit) =>
    channel.fetch(new Request(CHANNEL + path, init));
  const call = async (path: string, json: unknown, headers: Record<string, string> = {}) => {
    const response = await channel.fetch(
      new Request(CHANNEL + path, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${SANDBOX_TOKEN}`,
          "Content-Type": "application/json",
          ...headers,
        },
        body: typeof json === "string" ? json : JSON.stringify(json),
      }),
    );
    return { status: response.status, body: await response.json() };
  };

  return {
    clock,
    webhook,
    /** All posts so far, except posts that `told()` has already returned. */
    posts,
    call,
    fetch,
    get: (path: string) => fetch(path),
    stop: channel.stop,
    /** Waits until the sandbox has posted everything, and returns all posts in order. */
    async told(): Promise<Post[]> {
      await channel.told();
      return posts.splice(0);
    },
    /** Sends the template order_update with these changed parts. Returns the message's id. */
    async send(addressee: { to?: string; recipient?: string }, parts: object = {}) {
      const { status, body } = await call(`/v26.0/${NUMBER}/messages`, {
        ...template("order_update", "Ada", "A-1815"),
        ...addressee,
        ...parts,
      });
      assert.equal(status, 200, JSON.stringify(body));
      return body.messages[0].id as string;
    },
    /** The messages that the sandbox has accepted, newest first. */
    listed: async () => await (await channel.fetch(new Request(`${CHANNEL}/messages`))).json(),
    /** Makes a person write a message to the number. */
    writes: (from: string, text: string, more: object = {}) =>
      call("/inbound", { phone_number_id: NUMBER, from, text, ...more }),
    [Symbol.asyncDispose]: async () => {
      await channel.stop();
      await server.shutdown();
    },
  };
}

/** A template message with these body variables, without a recipient. */
export function template(name: string, ...values: string[]) {
  const body = { type: "body", parameters: values.map((text) => ({ type: "text", text })) };
  const components: { type: string; parameters: object[] }[] = values.length > 0 ? [body] : [];
  return {
    messaging_product: "whatsapp",
    type: "template",
    biz_opaque_callback_data: MARK,
    template: { name, language: { code: "en_US" }, components },
  };
}

/** The parts that change a template message into a free text message. */
export const text = (body: string) => ({ type: "text", template: undefined, text: { body } });

/**
 * The statuses in a post, each with its error codes, and the types of the messages in the post,
 * separated by commas.
 */
export function inWords({ value: { statuses = [], messages = [] } }: Post): string {
  return [
    ...statuses.map(({ status, errors }: { status: string; errors?: { code: number }[] }) =>
      [status, ...errors?.map(({ code }) => code) ?? []].join(" ")
    ),
    ...messages.map(({ type }: { type: string }) => type),
  ].join();
}

/** Asserts that the signature of a post covers its bytes, which are escaped ASCII. */
export async function assertSigned({ bytes, headers }: Post) {
  assert.equal(headers.get("X-Hub-Signature-256"), await signatureOf(bytes, SECRET));
  assert.equal(headers.get("Content-Type"), "application/json");
  assert.match(new TextDecoder().decode(bytes), /^[\x20-\x7e]+$/);
}
