import { filled, mediumOf, textOf, type Values, type WholeTemplate } from "./template.ts";

/** The fields of a send that come from the template and its values. */
export function fieldsOf(template: WholeTemplate, values: Values, phoneNumberId: string) {
  const medium = mediumOf(template);
  return {
    template_name: template.name,
    language_code: template.language,
    phone_number_id: phoneNumberId,
    ...(medium && { template_header_type: medium }),
    ...(values.header.length > 0 && { header_variables: values.header }),
    ...(values.body.length > 0 && { body_variables: values.body }),
    ...(values.buttons.length > 0 && { button_variables: values.buttons }),
  };
}

/**
 * A command for a terminal that sends the template. The idempotency key contains the phone and the
 * language, because the API refuses the same key for another phone or language.
 * @param phone the recipient, or a placeholder for it.
 * @param key the API key, or a placeholder for it.
 */
export function requestFor(
  functionsUrl: string,
  template: WholeTemplate,
  values: Values,
  { phone, phoneNumberId, key }: { phone: string; phoneNumberId: string; key: string },
): string {
  const text = textOf(template, "BODY");
  const body = {
    phone,
    ...fieldsOf(template, values, phoneNumberId),
    display_text: text === null
      ? template.name
      : filled(text, template.variables.body, values.body),
    idempotency_key: `${template.name.slice(0, 150)}-${template.language}-${phone}-1`,
  };
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl "${functionsUrl}/send-external-template" \\\n  -H "Authorization: Bearer ${key}" \\\n` +
    `  -H "Content-Type: application/json" \\\n  -d '${json}'`;
}
