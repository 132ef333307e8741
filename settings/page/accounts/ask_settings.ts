import type { App } from "../app.ts";
import { Failure, failureOf } from "../failure.ts";
import type { Texts } from "../texts.ts";

/** An error of the function settings. */
interface Refusal {
  error?: string;
  code?: string;
  /** Why WhatsApp does not confirm an account. */
  reason?: string;
  details?: { field: string; message: string }[];
}

/**
 * How long a call waits for an answer. The function answers before this time, even if WhatsApp does
 * not answer.
 */
const PATIENCE_MS = 25_000;

/**
 * Calls the function settings, which does for the person what a browser cannot do.
 * @param inWords the page's own sentence for an error, if there is one.
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
  const says = (t: Texts) => inWords(answer, t);
  if (says(app.t) !== undefined) throw new Failure("invalid", answer.error, (t) => says(t)!);
  throw failureOf(response.status, answer.error ?? "", "unanswered");
}
