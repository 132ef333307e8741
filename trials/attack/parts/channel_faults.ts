import { SANDBOX_TOKEN } from "../../../sandbox/rules.ts";
import type { AttackedStack } from "../attacked_stack.ts";
import type { Context } from "../context.ts";
import type { Findings } from "../findings.ts";
import { outcomeOf } from "../judge.ts";
import { peakRss } from "../peak_rss.ts";
import { newPhone, send } from "../requests.ts";
import { shortened, type WireAnswer } from "../wire.ts";
import { ask } from "./fault_requests.ts";

const PROMISES = {
  token: "no answer contains the account's token",
  message: "at most 1,000 characters of the channel's error message are passed on",
  known: "an unusable response of the channel causes a 502",
};

const MIB = 1024 * 1024;
const LONGEST_MESSAGE = 1_000;

function refusal(error: Record<string, unknown>, status = 400): Response {
  return Response.json({ error: { code: 132001, message: "no", ...error } }, { status });
}

function text(body: string, status = 200, headers: HeadersInit = {}): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

/** Responses that are unusable or too long. */
const GARBAGE: Record<string, () => Response> = {
  "HTML": () => text("<html>Sorry, something went wrong.</html>"),
  "nothing": () => text(""),
  "null": () => text("null"),
  "half an answer": () => text('{"messages":[{"id":"wam'),
  "an id that is not a text": () => Response.json({ messages: [{ id: { a: 1 } }] }),
  "an id of 100 kB": () => Response.json({ messages: [{ id: "w".repeat(100_000) }] }),
  "no messages": () => Response.json({ messages: [] }),
  "bytes that are not text": () => new Response(new Uint8Array([0xff, 0xfe, 0, 1])),
  "a nested answer": () => text("[".repeat(50_000)),
  "a redirect": () => text("", 302, { Location: "http://127.0.0.1:9/" }),
  "a bare 500": () => text("", 500),
  "a bare 400": () => text("", 400),
  "a bare 429": () => text("", 429, { "Retry-After": "-5" }),
  "an invalid Retry-After": () => text("", 503, { "Retry-After": "soon" }),
  "an invalid code": () => refusal({ code: "x".repeat(300) }),
};

/** Refusals whose messages must not reach callers unchanged. */
const WORDS: Record<string, () => Response> = {
  "a message of 60 kB": () => refusal({ message: "m".repeat(60_000) }),
  "details of 60 kB": () => refusal({ error_data: { details: "d".repeat(60_000) } }),
  "a message of 4 MB": () => refusal({ message: "m".repeat(4_000_000) }),
  "a message with the token": () => refusal({ message: `Bearer ${SANDBOX_TOKEN} is wrong` }),
  "details with the token": () => refusal({ error_data: { details: `token=${SANDBOX_TOKEN}` } }),
  "control characters": () => refusal({ message: "\u0000\u001b[31m\ud800\r\nX: y" }),
};

/**
 * Ways in which the channel sends no complete response. A send waits twenty seconds for the
 * channel.
 */
const SILENCES: Record<string, () => Response | Promise<Response>> = {
  "a channel that hangs": () => new Promise(() => {}),
  "an answer that does not end": () => new Response(new ReadableStream({ start() {} })),
};

/** Tests a channel whose responses are malformed, too large or missing. */
export async function channelFaults(
  { ours, measured, quick, progress }: Context,
  findings: Findings,
) {
  for (const [name, answer] of Object.entries(GARBAGE)) {
    judgeWords(findings, name, await sendDuring(findings, ours, `channel: ${name}`, answer));
  }
  for (const [name, answer] of Object.entries(WORDS)) {
    judgeWords(findings, name, await sendDuring(findings, ours, `channel: ${name}`, answer));
  }
  if (quick) return;
  progress("faults: a channel that does not answer, and a gzip bomb");
  for (const [name, answer] of Object.entries(SILENCES)) {
    const given = await sendDuring(findings, ours, `channel: ${name}`, answer);
    if (given?.status !== 502) findings.add(PROMISES.known, given ? outcomeOf(given) : "", name);
  }
  const bomb = await gzipBomb(512);
  const peaks: number[] = [];
  for (const side of measured) peaks.push(await bombed(findings, side, bomb));
  findings.figures.push({
    title: "the channel answers a gzip bomb of 512 MiB",
    rows: [{ name: "peak MiB of the function", values: peaks.map((peak) => peak / MIB) }],
  });
}

/** The memory peak of a newly started function while its channel responds with a gzip bomb. */
async function bombed(findings: Findings, side: AttackedStack, bomb: Uint8Array<ArrayBuffer>) {
  const sender = await side.startFunction("send-external-template");
  const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
  const peak = await peakRss(sender, async () => {
    const answer = () => new Response(bomb, { headers });
    const given = await sendDuring(findings, { ...side, sender }, "channel: a gzip bomb", answer);
    if (given?.status !== 502) {
      findings.add(PROMISES.known, given ? outcomeOf(given) : "", "a bomb");
    }
  });
  await sender.end();
  return peak;
}

/**
 * The function's response to a send of the attacker while the channel returns the given response.
 */
async function sendDuring(
  findings: Findings,
  side: AttackedStack,
  fault: string,
  answer: () => Response | Promise<Response>,
): Promise<WireAnswer | null> {
  const { key, phoneNumberIds: [phoneNumberId] } = side.companies.attacker;
  using _behaviour = side.channel.behave(phoneNumberId, answer);
  const phone = newPhone();
  const [given] = await ask(findings, side, fault, [send(key, phone, `${fault} ${phone}`)]);
  return given;
}

function judgeWords(findings: Findings, name: string, answer: WireAnswer | null) {
  if (!answer) return;
  if (answer.text.includes(SANDBOX_TOKEN)) {
    findings.add(
      PROMISES.token,
      shortened(answer.text),
      `a send, when the channel answers ${name}`,
    );
  }
  const { message = "", details = "" } = JSON.parse(answer.text).channel ?? {};
  const longest = Math.max([...message].length, [...details].length);
  if (longest > LONGEST_MESSAGE) {
    const found = `${longest} characters`;
    findings.add(PROMISES.message, found, `a send, when the channel answers ${name}`);
  }
}

/** A gzip bomb of `mib` MiB of zeros, compressed to about a thousandth of that size. */
async function gzipBomb(mib: number): Promise<Uint8Array<ArrayBuffer>> {
  const zeros = new Uint8Array(MIB);
  let left = mib;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => left-- > 0 ? controller.enqueue(zeros) : controller.close(),
  });
  const compressed = stream.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}
