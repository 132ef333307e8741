import type { App } from "../app.ts";
import { Failure, failureOf } from "../failure.ts";
import type { Texts } from "../texts.ts";

/** An error response from the function `settings`. */
interface Refusal {
  error?: string;
  code?: string;
  /** Why WhatsApp does not confirm an account. */
  reason?: string;
  details?: { field: string; message: string }[];
}

/**
 * How long a call waits for a response. The function responds within this time, even if WhatsApp
 * does not respond.
 */
const PATIENCE_MS = 25_000;

/**
 * Calls the function `settings`, which does for the user what a browser cannot do.
 * @param inWords returns the page's own message for an error, if there is one.
 * @throws Failure
 */
export async function askSettings<Answer>(
  app: App,
  path: string,
  body: object,
  inWords: (refusal: Refusal, t: Texts) => string | undefined,
  method: "POST" | "PATCH" = "POST",
): Promise<Answer> {
  const { client, functionsUrl } = app.project;
  const { data: { session } } = await client.auth.getSession();
  let response: Response;
  let answer: { data?: Answer } & Refusal;
  try {
    response = await fetch(`${functionsUrl}/settings/${path}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${session?.access_token}`,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    answer = await response.json();
  } catch (error) {
    throw new Failure("unanswered", String(error));
  }
  if (response.ok) return answer.data!;
  if (response.status === 401) app.project.refused();
  const says = (t: Texts) => inWords(answer, t);
  if (says(app.t) !== undefined) throw new Failure("invalid", answer.error, (t) => says(t)!);
  const { error = "" } = answer;
  // After a 5xx response, the change may have been made, unless the error says that nothing was
  // changed.
  const isUnknown = response.status >= 500 && !error.includes("nothing was changed");
  throw isUnknown ? new Failure("unanswered", error) : failureOf(response.status, error);
}
