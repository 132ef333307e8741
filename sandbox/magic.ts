import { delay } from "deno-std/async/delay.js";
import { HttpResponse } from "msw";
import { graphError } from "./graph_error.ts";

interface Call {
  /** Stores an accepted message and creates the response. */
  accept(): Response;
  /** The number of messages from this business number to this recipient, including this one. */
  calls: number;
}

interface Magic {
  /** The recipient's description in docs/sandbox.md. */
  does: string;
  answer(call: Call): Response | Promise<Response>;
}

/**
 * The recipients for whom the sandbox returns a special response. A phone number of +15550 and six
 * more digits is not listed here: the sandbox returns an error with these six digits as the error
 * code. stories.ts says what happens to a message after it was accepted.
 */
export const MAGIC: Record<string, Magic> = {
  "+15551000001": {
    does: "refuses the first two requests with 130429 (too many), then accepts every message",
    answer: ({ accept, calls }) => calls <= 2 ? fixedFailure(130429) : accept(),
  },
  "+15551000002": {
    does: "is down: it returns a 503 with `Retry-After: 30`",
    answer: () => plain(503, "Service Unavailable", { "Retry-After": "30" }),
  },
  "+15551000003": {
    does: "accepts the message and never responds",
    answer: ({ accept }) => accept() && new Promise(() => {}),
  },
  "+15551000004": {
    does: "accepts the message and responds after 30 s",
    answer: async ({ accept }) => {
      const answer = accept();
      await delay(30_000, { persistent: false });
      return answer;
    },
  },
  "+15551000005": {
    does: "accepts the message and closes the connection",
    answer: ({ accept }) => accept() && HttpResponse.error(),
  },
  "+15551000006": {
    does: "accepts the message and returns a 500 with a plain-text body",
    answer: ({ accept }) => accept() && plain(500, "Internal Server Error"),
  },
  "+15551000007": {
    does: "accepts the message and returns a 200 without the message id",
    answer: ({ accept }) => accept() && HttpResponse.json({ messaging_product: "whatsapp" }),
  },
};

/** The error that the sandbox returns for every message to this recipient. */
export function fixedFailure(code: number): Response {
  return graphError({ code, details: `The sandbox answers this recipient with the code ${code}.` });
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new HttpResponse(text, { status, headers });
}
