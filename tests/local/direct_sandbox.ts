import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { sandbox } from "../../sandbox/sandbox.ts";

/** A response from the channel. */
export interface Answer {
  status: number;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
}

export const CHANNEL = "http://127.0.0.1:54330/sandbox/v26.0";
const AUTHORIZED = { Authorization: `Bearer ${SANDBOX_TOKEN}` };

/**
 * Creates a sandbox that a test calls without a network. The test may change the sandbox's clock.
 */
export function directSandbox() {
  const clock = { now: Date.now() };
  const { fetch } = sandbox({ now: () => clock.now });

  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const url = path.startsWith("http") ? path : CHANNEL + path;
    const { status, headers, ...answer } = await fetch(
      new Request(url, { ...init, headers: { ...AUTHORIZED, ...init.headers } }),
    ).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));
    return { status, headers, body: JSON.parse(answer.text) };
  };

  return {
    clock,
    fetch,
    call,
    get: (path: string) => call(path),
    /** Uploads a file for a phone number. `parts` replaces form parts, and null removes a part. */
    upload: (
      phoneNumberId: string,
      file: File,
      parts: Record<string, string | null> = {},
    ): Promise<Answer> => {
      const form = new FormData();
      const texts = { messaging_product: "whatsapp", type: file.type, ...parts };
      for (const [name, text] of Object.entries(texts)) if (text !== null) form.append(name, text);
      form.append("file", file);
      return call(`/${phoneNumberId}/media`, { method: "POST", body: form });
    },
    /** Sends a template to an arbitrary phone number. */
    send: (
      template: { name: string; language?: string; components?: unknown[] },
      phoneNumberId = "106540352242922",
    ): Promise<Answer> => {
      const { name, language = "en_US", components = [] } = template;
      return call(`/${phoneNumberId}/messages`, {
        method: "POST",
        body: JSON.stringify({
          messaging_product: "whatsapp",
          to: "+12025550101",
          type: "template",
          template: { name, language: { code: language }, components },
        }),
      });
    },
  };
}

/** The request that uploads a file of this size. The file is generated in chunks. */
export function largeUpload(url: string, type: string, size: number): Request {
  const part = (disposition: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${content}`;
  const head = part('name="messaging_product"', "\r\nwhatsapp\r\n") +
    part('name="type"', `\r\n${type}\r\n`) +
    part('name="file"; filename="large"', `Content-Type: ${type}\r\n\r\n`);
  function* pieces() {
    yield new TextEncoder().encode(head);
    for (let left = size; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left);
    yield new TextEncoder().encode("\r\n--b--\r\n");
  }
  return new Request(url, {
    method: "POST",
    headers: { ...AUTHORIZED, "Content-Type": "multipart/form-data; boundary=b" },
    body: ReadableStream.from(pieces()),
  });
}

const ZEROS = new Uint8Array(262_144);

/** A file of this type and size. */
export function fileOf(type: string, size = 1000, name = "file"): File {
  return new File([new Uint8Array(size)], name, { type });
}

/**
 * Asserts that a response is the channel's error with this code. `details` is the expected
 * explanation.
 */
export function assertFault({ status, body: { error } }: Answer, code: number, details?: RegExp) {
  assert.equal(error?.code, code, JSON.stringify(error));
  assert.equal(status, code === 132001 ? 404 : code === 190 ? 401 : 400);
  assert.equal(error.type, "OAuthException");
  assert.ok(error.message.startsWith(`(#${code}) `));
  if (details) assert.match(error.error_data.details, details);
}

export const header = (...parameters: unknown[]) => ({ type: "header", parameters });
export const body = (...texts: string[]) => ({
  type: "body",
  parameters: texts.map((text) => ({ type: "text", text })),
});
export const named = (type: "header" | "body", values: Record<string, string>) => ({
  type,
  parameters: Object.entries(values).map(([parameter_name, text]) => (
    { type: "text", parameter_name, text }
  )),
});
export const text = (text: string) => ({ type: "text", text });
export const urlButton = (index: string | number, suffix: string) => (
  { type: "button", sub_type: "url", index, parameters: [text(suffix)] }
);
export const copyCode = (index: string, coupon_code: string) => (
  {
    type: "button",
    sub_type: "copy_code",
    index,
    parameters: [{ type: "coupon_code", coupon_code }],
  }
);
