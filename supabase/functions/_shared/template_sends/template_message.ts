import type { MessageContent } from "../channel/message_call.ts";
import type { KnownTemplate, OwnMedia } from "./template_claim.ts";
import type { SendRequest } from "./template_request.ts";

/** The parts of a request that the channel receives. */
type Message = Pick<
  SendRequest,
  | "phone"
  | "template_name"
  | "language_code"
  | "header_variables"
  | "body_variables"
  | "button_variables"
>;

/**
 * The template of a request, in the channel's format.
 *
 * @param ownMedia the caller's media file for the header.
 * @param template what is stored about the template. Null means that only the request is known.
 */
export function templateMessage(
  request: Message,
  template: KnownTemplate | null,
  ownMedia?: OwnMedia,
): MessageContent & { to: string } {
  const { phone, template_name, language_code } = request;
  return {
    to: phone,
    type: "template",
    template: {
      name: template_name,
      language: { code: language_code },
      components: [
        ...header(request, template, ownMedia),
        ...textComponent("body", request.body_variables, named(template?.variables.body, template)),
        ...buttons(request, template),
      ],
    },
  };
}

/** The channel does not attach the approved sample, so a media header needs uploaded media. */
function header(
  { header_variables }: Message,
  template: KnownTemplate | null,
  ownMedia: OwnMedia | undefined,
) {
  if (ownMedia) {
    const { type, ...medium } = ownMedia;
    return [{ type: "header", parameters: [{ type, [type]: medium }] }];
  }
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

/** The names of the variables, if the channel requires names. */
function named(variables: { name: string }[] = [], template: KnownTemplate | null): string[] {
  return template?.parameter_format === "NAMED" ? variables.map(({ name }) => name) : [];
}

/** A component without parameters is left out, as the channel requires. */
function textComponent(type: "header" | "body", values: string[], names: string[]) {
  if (values.length === 0) return [];
  const parameters = values.map((text, at) => ({
    type: "text",
    ...(at < names.length && { parameter_name: names[at] }),
    text,
  }));
  return [{ type, parameters }];
}

/**
 * The buttons that need a value. The value comes from the request, or is the code of an
 * authentication template.
 */
function buttons(
  { button_variables, body_variables }: Message,
  template: KnownTemplate | null,
) {
  if (!template) return [];
  const { variables: { buttons }, otp_button } = template;
  // Too few values are not an error here, because the stored template may be out of date. If the
  // stored template is up to date, the channel refuses the send.
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
