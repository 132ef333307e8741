/** The format that each fact must match, so that nothing else, such as a key, reaches the log. */
const FACTS = {
  key_id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  hint: /^[A-Za-z0-9_-]{1,8}$/,
  reason: /^[a-z_]{1,32}$/,
};

/**
 * What the database reports about a key that it refused: its id, its hint (the last four
 * characters) and the reason (inactive, expired or scope). For an unknown key, the database reports
 * nothing.
 *
 * @param details the details of the error that `app.company_id()` raises: a JSON object with
 *   `key_id`, `hint`, `reason`. A fact that is missing or has another format is left out.
 */
export function refusedKeyFacts(details: unknown): Record<string, string> {
  const told = parsed(details);
  const facts: Record<string, string> = {};
  for (const [name, form] of Object.entries(FACTS)) {
    const value = told[name];
    if (typeof value === "string" && form.test(value)) facts[name] = value;
  }
  return facts;
}

function parsed(details: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(details));
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch {
    return {};
  }
}
