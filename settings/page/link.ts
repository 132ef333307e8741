/** With what a person came who followed the link of a mail. */
export interface Link {
  /** The link signs in, and the person then chooses a password: it was of a reset or of an invitation. */
  choosesPassword: boolean;
  /** The link was used before or is too old. */
  hasFailed: boolean;
}

/** What Supabase Auth has put behind the `#` of the address. A failure is taken out of it. */
export function takeLink(): Link {
  const said = new URLSearchParams(location.hash.replace(/^#\/?/, ""));
  const hasFailed = said.has("error") || said.has("error_code");
  if (hasFailed) history.replaceState(null, "", location.pathname + location.search);
  return {
    choosesPassword: said.has("access_token") &&
      ["recovery", "invite"].includes(said.get("type") ?? ""),
    hasFailed,
  };
}
