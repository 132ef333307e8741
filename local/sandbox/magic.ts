import { delay } from "deno-std/async/delay.js";
import { HttpResponse } from "msw";
import { graphError } from "./graph_error.ts";

interface Call {
  /** Keeps the message and makes the answer to an accepted message. */
  accept(): Response;
  /** The number of calls from this number to this recipient, this one included. */
  calls: number;
}

interface Magic {
  /** The recipient's row in docs/sandbox.md. */
  does: string;
  answer(call: Call): Response | Promise<Response>;
}

/**
 * The recipients with an answer of their own. Besides them, +15550 and six digits get that error code. What
 * becomes of a message that was accepted is in stories.ts.
 */
export const MAGIC: Record<string, Magic> = {
  "+15551000001": {
    does: "throttles twice, then takes every message",
    answer: ({ accept, calls }) => calls <= 2 ? fixedFailure(130429) : accept(),
  },
  "+15551000002": {
    does: "is down: a 503 with `Retry-After: 30`",
    answer: () => plain(503, "Service Unavailable", { "Retry-After": "30" }),
  },
  "+15551000003": {
    does: "takes the message and never answers",
    answer: ({ accept }) => accept() && new Promise(() => {}),
  },
  "+15551000004": {
    does: "takes the message and answers after 30 s",
    answer: async ({ accept }) => {
      const answer = accept();
      await delay(30_000, { persistent: false });
      return answer;
    },
  },
  "+15551000005": {
    does: "takes the message and breaks the connection off",
    answer: ({ accept }) => accept() && HttpResponse.error(),
  },
  "+15551000006": {
    does: "takes the message and answers a bare 500",
    answer: ({ accept }) => accept() && plain(500, "Internal Server Error"),
  },
  "+15551000007": {
    does: "takes the message and answers 200 without its id",
    answer: ({ accept }) => accept() && HttpResponse.json({ messaging_product: "whatsapp" }),
  },
};

/** The error that a recipient gets whatever the message is. */
export function fixedFailure(code: number): Response {
  return graphError({ code, details: `The sandbox answers this recipient with the code ${code}.` });
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new HttpResponse(text, { status, headers });
}
