// How the WhatsApp API checks a template message, and the errors with which it refuses one.

import * as z from "zod";

/** The access token of every account in the sandbox. It is no secret: it works nowhere else. */
export const SANDBOX_TOKEN = "sandbox-token";

/** The languages that templates can have (WhatsApp Business Platform, "Supported languages"). */
const LANGUAGES = new Set(
  ("af sq ar ar_EG ar_AE ar_LB ar_MA ar_QA az be_BY bn bn_IN bg ca zh_CN zh_HK zh_TW hr cs da prs_AF " +
    "nl nl_BE en en_GB en_US en_AE en_AU en_CA en_GH en_IE en_IN en_JM en_MY en_NZ en_QA en_SG en_UG en_ZA " +
    "et fil fi fr fr_BE fr_CA fr_CH fr_CI fr_MA ka de de_AT de_CH el gu ha he hi hu id ga it ja kn kk rw_RW " +
    "ko ky_KG lo lv lt mk ms ml mr nb ps_AF fa pl pt_BR pt_PT pa ro ru sr si_LK sk sl es es_AR es_CL es_CO " +
    "es_CR es_DO es_EC es_HN es_MX es_PA es_PE es_ES es_UY sw sv ta te th tr uk ur uz vi zu").split(
      " ",
    ),
);

// In the value of a placeholder, the channel refuses line breaks, tabs and more than four spaces in a row.
const Parameter = z.strictObject({
  type: z.literal("text"),
  text: z.string().min(1).max(1024).refine((text) => !/[\n\r\t]| {5}/.test(text), {
    params: { code: 132018 },
  }),
});

const Component = z.strictObject({
  type: z.enum(["header", "body"]),
  parameters: z.array(Parameter).min(1),
});

const Message = z.object({
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string().regex(/^\+?[1-9]\d{6,14}$/),
  type: z.literal("template"),
  biz_opaque_callback_data: z.string().max(512).optional(),
  template: z.strictObject({
    name: z.string().regex(/^[a-z0-9_]{1,512}$/, { error: "no such name" }),
    language: z.strictObject({ code: z.string() }),
    components: z.array(Component).refine(
      (components) => new Set(components.map(({ type }) => type)).size === components.length,
    ),
  }),
});

export type TemplateMessage = z.output<typeof Message>;

/** The error code and the reason with which the channel refuses a message; null when it accepts it. */
export function validate(body: unknown): { code: number; details: string } | null {
  const result = Message.safeParse(body, { reportInput: true });
  if (result.success) {
    const { name, language } = result.data.template;
    if (LANGUAGES.has(language.code)) return null;
    return {
      code: 132001,
      details: `template name (${name}) does not exist in ${language.code}`,
    };
  }
  const [issue] = result.error.issues;
  const path = issue.path.join(".");
  const details = `${path || "body"} is missing or malformed`;
  if (path === "template.name") return { code: 132001, details };
  if (issue.code === "custom" && issue.params?.code) return { code: issue.params.code, details };
  const isMissing = "input" in issue && issue.input === undefined;
  return {
    code: isMissing ? 131008 : path.startsWith("template.components") ? 132012 : 100,
    details,
  };
}

/** The HTTP status and the title of some error codes; any other code has the status 400. */
const ERRORS: Record<number, [status: number, title: string]> = {
  0: [401, "AuthException"],
  1: [400, "API Unknown"],
  2: [503, "API Service"],
  3: [500, "API Method"],
  4: [400, "API Too Many Calls"],
  10: [403, "Permission Denied"],
  100: [400, "Invalid parameter"],
  190: [401, "Invalid OAuth access token"],
  130429: [429, "Rate limit hit"],
  131000: [500, "Something went wrong"],
  131005: [403, "Access denied"],
  131008: [400, "Required parameter is missing"],
  131016: [500, "Service unavailable"],
  131026: [400, "Message undeliverable"],
  131050: [400, "User's marketing opt-out"],
  131056: [400, "Pair rate limit hit"],
  132000: [400, "Template Param Count Mismatch"],
  132001: [404, "Template name does not exist in the translation"],
  132012: [400, "Template Parameter Format Mismatch"],
  132015: [400, "Template is Paused"],
  132018: [400, "Template Parameters Invalid"],
  133004: [503, "Server Temporarily Unavailable"],
};

/** An error response as the Graph API makes it. */
export function graphError(code: number, details?: string): Response {
  const [status, title] = ERRORS[code] ?? [400, "Error"];
  return Response.json({
    error: {
      message: `(#${code}) ${title}`,
      type: "OAuthException",
      code,
      error_data: {
        messaging_product: "whatsapp",
        details: details ?? `The sandbox answers this recipient with the code ${code}.`,
      },
      fbtrace_id: `sandbox${crypto.randomUUID().slice(0, 8)}`,
    },
  }, { status });
}
