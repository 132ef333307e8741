// A template as the channel lists it.

/** The buttons of a template are numbered from 0. A send identifies a button by this number. */
export type Button =
  | { type: "QUICK_REPLY"; text: string }
  | { type: "PHONE_NUMBER"; text: string; phone_number: string }
  | { type: "URL"; text: string; url: string; example?: string[] }
  | { type: "COPY_CODE"; text: string; example: string[] }
  | { type: "OTP"; otp_type: "COPY_CODE"; text: string };

export type MediaFormat = "IMAGE" | "VIDEO" | "DOCUMENT";

/** A component with its approved `example`. */
export type Component =
  | {
    type: "HEADER";
    format: "TEXT";
    text: string;
    example?: { header_text: string[] } | { header_text_named_params: NamedExample[] };
  }
  | { type: "HEADER"; format: MediaFormat; example: { header_handle: string[] } }
  | { type: "HEADER"; format: "LOCATION" }
  | {
    type: "BODY";
    text: string;
    add_security_recommendation?: boolean;
    example?: { body_text: string[][] } | { body_text_named_params: NamedExample[] };
  }
  | { type: "FOOTER"; text: string; code_expiration_minutes?: number }
  | { type: "BUTTONS"; buttons: Button[] }
  | { type: "CAROUSEL"; cards: { components: Component[] }[] };

export interface NamedExample {
  param_name: string;
  example: string;
}

export type ParameterFormat = "POSITIONAL" | "NAMED";

/** A template in one language. */
export interface Template {
  id: string;
  name: string;
  language: string;
  status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED";
  category: "UTILITY" | "MARKETING" | "AUTHENTICATION";
  /**
   * The category that the template will have. This category differs from the current one only if
   * the channel has announced a change.
   */
  correct_category: "UTILITY" | "MARKETING" | "AUTHENTICATION";
  quality_score: { score: "GREEN" | "YELLOW" | "RED" | "UNKNOWN" };
  rejected_reason: string;
  parameter_format: ParameterFormat;
  components: Component[];
  message_send_ttl_seconds?: number;
}

/** The variables of a text, each once, in the order in which they first appear. */
export function variablesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(VARIABLE), ([, name]) => name))];
}

/** A text with its variables filled. */
export function filled(text: string, values: Record<string, string>): string {
  return text.replace(VARIABLE, (_, name) => values[name] ?? "");
}

const VARIABLE = /\{\{(\w+)\}\}/g;
