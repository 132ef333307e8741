// The rules of the sandbox for access tokens and for template messages.

import { type Fault, noObject } from "./graph_error.ts";
import { TemplateMessage } from "./message_shape.ts";
import { fileOf, FREE_MESSAGES, type FreeMessage } from "./reply_shape.ts";
import { type MediaFault, parameterFaults } from "./parameter_rules.ts";
import { findTemplate } from "./template_list.ts";

/**
 * The access token of every account in the sandbox. The token is not secret, because it works
 * nowhere else.
 */
export const SANDBOX_TOKEN = "sandbox-token";

/**
 * The business account that the sandbox's token can use. In supabase/seed.sql, the demo accounts
 * belong to it.
 */
export const SANDBOX_BUSINESS_ACCOUNT_ID = "900000000000001";

/**
 * Why the channel refuses a request because of its token; null when the request has the sandbox's
 * token.
 */
export function tokenFault(request: Request): Fault | null {
  const header = request.headers.get("Authorization");
  // If the header is missing, the channel reads the token from the URL.
  const token = header ?? `Bearer ${new URL(request.url).searchParams.get("access_token")}`;
  if (token === `Bearer ${SANDBOX_TOKEN}`) return null;
  return { code: 190, details: "The access token is not the sandbox's" };
}

/** What is wrong with the request's token or with the id of an object; null when both are valid. */
export function accessFault(request: Request, id: string): Fault | null {
  return tokenFault(request) ?? (/^[1-9]\d{0,31}$/.test(id) ? null : noObject(id));
}

/**
 * Why the channel would refuse the message, regardless of the recipient; null when there is no such
 * fault. Only the first fault is reported, in this order: format, template, parameters.
 *
 * @param mediaFault returns why the sender cannot send the file with this id.
 */
export function faultOf(body: unknown, mediaFault: MediaFault): Fault | null {
  const type = String((body as { type?: unknown } | null | undefined)?.type);
  const shape = Object.hasOwn(FREE_MESSAGES, type)
    ? FREE_MESSAGES[type as keyof typeof FREE_MESSAGES]
    : TemplateMessage;
  const result = shape.safeParse(body, { reportInput: true });
  if (!result.success) {
    const [issue] = result.error.issues;
    const path = issue.path.join(".");
    const isMissing = "input" in issue && issue.input === undefined;
    return {
      code: isMissing ? 131008 : path.startsWith("template.components") ? 132012 : 100,
      details: `${path || "body"} is missing or malformed`,
    };
  }
  const message = result.data as TemplateMessage | FreeMessage;
  if (message.to === undefined && message.recipient === undefined) {
    return { code: 131008, details: "to is missing or malformed" };
  }
  if (message.type === "template") return templateFault(message, mediaFault);
  const file = fileOf(message);
  if (file?.id === undefined) return null;
  return mediaFault(file.id, file.kind);
}

function templateFault(message: TemplateMessage, mediaFault: MediaFault): Fault | null {
  const { name, language, components } = message.template;
  const template = findTemplate(name, language.code);
  if (template?.status === "PAUSED") {
    return { code: 132015, details: `template (${name}) is paused because of its low quality` };
  }
  if (template?.status !== "APPROVED") {
    return { code: 132001, details: `template name (${name}) does not exist in ${language.code}` };
  }
  if (template.category === "AUTHENTICATION" && message.to === undefined) {
    return { code: 131062, details: "An authentication template needs a phone number in to" };
  }
  const [fault] = parameterFaults(template, components, mediaFault);
  return fault ?? null;
}
