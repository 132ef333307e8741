/**
 * The problem with a publishable key; null when the key is valid. A secret key on a page would give
 * every visitor the rows of every company. So this function refuses a secret key: `sb_secret_…`, or
 * the legacy token of `service_role`.
 */
export function faultOfKey(key: string): string | null {
  if (/^sb_publishable_[\w-]+$/.test(key)) return null;
  if (key.startsWith("sb_secret_")) return SECRET;
  const role = roleOfToken(key);
  if (role === "anon") return null;
  return role ? SECRET : "Use the key that begins with sb_publishable_, or the legacy anon key.";
}

const SECRET = "This is a secret key, which no page may have. Use the publishable key.";

/** The role of a legacy key, which is a JWT; null when the key is not a JWT. */
function roleOfToken(key: string): string | null {
  const parts = key.split(".");
  try {
    const claims = JSON.parse(atob(parts[1].replaceAll("-", "+").replaceAll("_", "/")));
    return parts.length === 3 && typeof claims.role === "string" ? claims.role : null;
  } catch {
    return null;
  }
}
