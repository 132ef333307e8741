import { answeredTemplate, type StoredColumns } from "../../_shared/templates/answered_template.ts";

/**
 * An event's record, in the form in which a GET returns it. The database returns every record in
 * this form except templates, because some fields of a template are computed here.
 */
export function answeredData(
  type: string,
  data: Record<string, unknown> | null,
): Record<string, unknown> | null {
  const isTemplate = data && type.startsWith("template.") && "components" in data;
  return isTemplate ? { ...answeredTemplate(data as unknown as StoredColumns) } : data;
}
