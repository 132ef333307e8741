/// <reference lib="deno.worker" />
import type { FloodAnswers, FloodPlan } from "./flood.ts";
import type { WireRequest } from "./wire.ts";

const answers: FloodAnswers = { statuses: {}, withoutRetryAfter: 0 };
let isOver = false;
let flooding: Promise<unknown> = Promise.resolve();

self.onmessage = async ({ data }: MessageEvent<FloodPlan | "end">) => {
  if (data !== "end") {
    const connection = data.trickles ? trickle : repeat;
    flooding = Promise.all(Array.from({ length: data.connections }, () => connection(data)));
    return;
  }
  isOver = true;
  await flooding;
  self.postMessage(answers);
};

let number = 100_000_000;

async function repeat({ url, requests }: FloodPlan) {
  for (let turn = 0; !isOver; turn++) {
    const answer = await ask(url, requests[turn % requests.length]);
    note(answer?.status ?? 0);
    const isLater = answer?.status === 429 || answer?.status === 503;
    if (isLater && !answer.headers.has("Retry-After")) answers.withoutRetryAfter++;
  }
}

async function ask(url: string, { method, target, headers, body, chunkBytes }: WireRequest) {
  const n = String(number++);
  const filled = (text: string) => text.includes("{{n}}") ? text.replaceAll("{{n}}", n) : text;
  const bytes = typeof body === "string" ? new TextEncoder().encode(filled(body)) : body;
  const sent = bytes as Uint8Array<ArrayBuffer> | undefined;
  try {
    const answer = await fetch(url + filled(target), {
      method,
      headers,
      body: sent && chunkBytes ? inPieces(sent, chunkBytes) : sent,
    });
    await answer.bytes();
    return answer;
  } catch {
    return null;
  }
}

function inPieces(bytes: Uint8Array<ArrayBuffer>, each: number) {
  let at = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += each));
    },
  });
}

const TRICKLE_MS = 100;

/**
 * Begins a request, and sends the next byte of its body from time to time. Begins again after a
 * refusal.
 */
async function trickle({ url, requests: [{ method, target, headers }] }: FloodPlan) {
  const { hostname, port } = new URL(url);
  const lines = [...headers, ["Host", hostname], ["Content-Length", "60000"]];
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...lines.map((line) => line.join(": ")),
    "",
    '{"x":"',
  ];
  while (!isOver) {
    const connection = await Deno.connect({ hostname, port: Number(port) });
    let isOpen = true;
    const reading = connection.read(new Uint8Array(1024)).catch(() => null).then((length) => {
      isOpen = false;
      note(length === null ? 0 : 401);
    });
    await connection.write(new TextEncoder().encode(head.join("\r\n"))).catch(() => {});
    while (isOpen && !isOver) {
      await connection.write(new TextEncoder().encode("x")).catch(() => isOpen = false);
      await new Promise((resolve) => setTimeout(resolve, TRICKLE_MS));
    }
    connection.close();
    await reading;
  }
}

function note(status: number) {
  answers.statuses[status] = (answers.statuses[status] ?? 0) + 1;
}
