// Who may call the sandbox, and how it judges a template message.

import { type Fault, noObject } from "./graph_error.ts";
import { TemplateMessage, TextMessage } from "./message_shape.ts";
import { type MediaFault, parameterFaults } from "./parameter_rules.ts";
import { findTemplate } from "./template_list.ts";

/** The access token of every account in the sandbox. It is no secret: it works nowhere else. */
export const SANDBOX_TOKEN = "sandbox-token";

/** The business account that the sandbox's token names; supabase/seed.sql gives it to the demo accounts. */
export const SANDBOX_BUSINESS_ACCOUNT_ID = "900000000000001";

/** Why the channel refuses a request whatever it asks; null when it has the sandbox's token. */
export function tokenFault(request: Request): Fault | null {
  const header = request.headers.get("Authorization");
  // Without the header, the channel takes the token from the address.
  const token = header ?? `Bearer ${new URL(request.url).searchParams.get("access_token")}`;
  if (token === `Bearer ${SANDBOX_TOKEN}`) return null;
  return { code: 190, details: "The access token is not the sandbox's" };
}

/** Why the channel refuses a request about the object with this id, whatever it asks; null when it does not. */
export function accessFault(request: Request, id: string): Fault | null {
  return tokenFault(request) ?? (/^[1-9]\d{0,31}$/.test(id) ? null : noObject(id));
}

/**
 * Why the channel refuses a message, whoever gets it; null when it does not. The first fault counts: of the
 * shape, of the template, of its parameters.
 *
 * @param mediaFault why the sender cannot show a medium, by its id.
 */
export function faultOf(body: unknown, mediaFault: MediaFault): Fault | null {
  const isText = (body as { type?: unknown } | null | undefined)?.type === "text";
  const result = (isText ? TextMessage : TemplateMessage).safeParse(body, { reportInput: true });
  if (!result.success) {
    const [issue] = result.error.issues;
    const path = issue.path.join(".");
    const isMissing = "input" in issue && issue.input === undefined;
    return {
      code: isMissing ? 131008 : path.startsWith("template.components") ? 132012 : 100,
      details: `${path || "body"} is missing or malformed`,
    };
  }
  const message = result.data;
  if (message.to === undefined && message.recipient === undefined) {
    return { code: 131008, details: "to is missing or malformed" };
  }
  return message.type === "text" ? null : templateFault(message, mediaFault);
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
