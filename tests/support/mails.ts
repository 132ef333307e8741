import type { Mail } from "../../local/auth/mailbox.ts";
import { stack } from "./test_stack.ts";

/** The e-mails to an address that the local stack has caught, newest first. */
export async function mailsTo(email: string, url = stack.mail_url!): Promise<Mail[]> {
  const answer = await fetch(url, { headers: { Accept: "application/json" } });
  const mails: Mail[] = await answer.json();
  return mails.filter(({ to }) => to === email);
}

/**
 * Opens a link from an e-mail as a browser does, and returns the URL to which the link redirects.
 */
export async function followed(link: string): Promise<URL> {
  const answer = await fetch(link, { redirect: "manual" });
  await answer.body?.cancel();
  const place = answer.headers.get("Location");
  if (answer.status !== 303 || !place) throw new Error(`${link} is answered with ${answer.status}`);
  return new URL(place);
}
