// Uploads one document in a separate process, and prints the maximum resident memory in bytes.
// Arguments: the origin of the sample's host, and the origin of the channel.
import { uploadSample } from "../../supabase/functions/_shared/templates/sample_media.ts";

const [host, channel] = Deno.args;
await uploadSample(
  { url: `${channel}/v26.0`, timeoutMs: 20_000, mediaHosts: [host] },
  { token: "EAAG-token", phoneNumberId: "1" },
  { url: `${host}/terms.pdf`, format: "DOCUMENT", templateName: "terms" },
  AbortSignal.timeout(60_000),
);
// The maximum resident memory ("high water mark"); see proc(5).
const [, kib] = /^VmHWM:\s*(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
console.log(Number(kib) * 1024);
