import type { Button, Component, MediaFormat, NamedExample } from "./template_types.ts";

// Components as the channel lists them, each with its approved examples.

export function header(text: string, ...example: string[]): Component {
  return { type: "HEADER", format: "TEXT", text, ...ifAny(example, { header_text: example }) };
}

/** @param file a name in SAMPLES. */
export function mediaHeader(format: MediaFormat, file: string): Component {
  return { type: "HEADER", format, example: { header_handle: [file] } };
}

export function body(text: string, ...example: string[]): Component {
  return { type: "BODY", text, ...ifAny(example, { body_text: [example] }) };
}

/** @param example the example values, by the names of the variables. */
export function namedHeader(text: string, example: Record<string, string>): Component {
  const header_text_named_params = named(example);
  return { type: "HEADER", format: "TEXT", text, example: { header_text_named_params } };
}

/**
 * @param example the example values, by the names of the variables, in the order in which they
 *   first appear.
 */
export function namedBody(text: string, example: Record<string, string>): Component {
  return { type: "BODY", text, example: { body_text_named_params: named(example) } };
}

export function footer(text: string): Component {
  return { type: "FOOTER", text };
}

export function buttons(...buttons: Button[]): Component {
  return { type: "BUTTONS", buttons };
}

const OTP_URL = "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp";

/**
 * An authentication template with one button, which copies the code. The channel lists that button
 * either as OTP or as URL.
 */
export function authentication(listed: "OTP" | "URL"): Component[] {
  const text = "Copy code";
  return [
    {
      ...body("*{{1}}* is your code. For your security, do not share it.", "123456"),
      add_security_recommendation: true,
    } as Component,
    { type: "FOOTER", text: "The code expires in 10 minutes.", code_expiration_minutes: 10 },
    buttons(
      listed === "OTP"
        ? { type: "OTP", otp_type: "COPY_CODE", text }
        : { type: "URL", text, url: `${OTP_URL}{{1}}`, example: [`${OTP_URL}123456`] },
    ),
  ];
}

/** A card of a carousel. */
export function card(product: string, path: string): { components: Component[] } {
  const url = "https://ondalva.example/picks/";
  return {
    components: [
      mediaHeader("IMAGE", "espresso_cup.jpg"),
      body(`${product}, now {{1}}`, "USD 12"),
      buttons(
        { type: "QUICK_REPLY", text: "Reserve" },
        { type: "URL", text: "Look", url: `${url}{{1}}`, example: [url + path] },
      ),
    ],
  };
}

function ifAny<Example>(values: string[], example: Example): { example?: Example } {
  return values.length > 0 ? { example } : {};
}

function named(example: Record<string, string>): NamedExample[] {
  return Object.entries(example).map(([param_name, example]) => ({ param_name, example }));
}
