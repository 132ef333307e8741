import type { MessageContent } from "../_shared/whatsapp/message_call.ts";
import type { KnownTemplate } from "./claim.ts";
import type { SendRequest } from "./request.ts";

/**
 * The template of a request, as the channel takes it.
 * @param template what the catalogue knows of it; null fills it by the request alone.
 */
export function templateMessage(
  request: SendRequest,
  template: KnownTemplate | null,
): MessageContent & { to: string } {
  const { phone, template_name, language_code } = request;
  return {
    to: phone,
    type: "template",
    template: {
      name: template_name,
      language: { code: language_code },
      components: [
        ...header(request, template),
        ...textComponent("body", request.body_variables, named(template?.variables.body, template)),
        ...buttons(request, template),
      ],
    },
  };
}

/** The channel attaches no approved sample by itself, so a media header carries the uploaded one. */
function header({ header_variables }: SendRequest, template: KnownTemplate | null) {
  if (template?.media && template.header_format) {
    const { id, filename } = template.media;
    const type = template.header_format.toLowerCase();
    return [{
      type: "header",
      parameters: [{ type, [type]: { id, ...(filename !== null && { filename }) } }],
    }];
  }
  return textComponent("header", header_variables, named(template?.variables.header, template));
}

/** The names of the variables, where the channel wants them. */
function named(variables: { name: string }[] = [], template: KnownTemplate | null): string[] {
  return template?.parameter_format === "NAMED" ? variables.map(({ name }) => name) : [];
}

/** A component without parameters is left out, as the channel demands. */
function textComponent(type: "header" | "body", values: string[], names: string[]) {
  if (values.length === 0) return [];
  const parameters = values.map((text, at) => ({
    type: "text",
    ...(at < names.length && { parameter_name: names[at] }),
    text,
  }));
  return [{ type, parameters }];
}

/** The buttons that need a value: one of the request's, or the code of an authentication template. */
function buttons(
  { button_variables, body_variables }: SendRequest,
  template: KnownTemplate | null,
) {
  if (!template) return [];
  const { variables: { buttons }, otp_button } = template;
  // The channel's first answer to fewer values is a refusal; the catalogue may be out of date.
  const given = buttons.slice(0, button_variables.length).map(({ index, kind }, at) =>
    kind === "copy_code"
      ? button(index, kind, { type: "coupon_code", coupon_code: button_variables[at] })
      : button(index, kind, { type: "text", text: button_variables[at] })
  );
  const [code] = body_variables;
  return otp_button === null || code === undefined
    ? given
    : [...given, button(otp_button, "url", { type: "text", text: code })];
}

function button(index: number, subType: "url" | "copy_code", parameter: Record<string, string>) {
  return { type: "button", sub_type: subType, index: String(index), parameters: [parameter] };
}
